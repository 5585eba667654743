import type { Strategy } from "../../../meta/strategy.ts";
import type { DeviceClass } from "./schema.ts";
import { validateDeviceClass } from "./validation.ts";

export const deviceClassStrategy: Strategy<DeviceClass> = {
  validateCreate: (deviceClass) => validateDeviceClass(deviceClass),
  validateUpdate: (deviceClass, old) => validateDeviceClass(deviceClass, old),
  generation: true,
  returnDeletedObject: true,
};
