import type { Draft } from "../../../meta/schema.ts";
import type { DeviceClaim, DeviceSubRequest, ExactDeviceRequest } from "./device-request.ts";

/** Requests one device if the number is absent. */
export function defaultDeviceClaim({ requests }: Draft<DeviceClaim>): void {
  for (const { exactly, firstAvailable = [] } of requests) {
    if (exactly !== undefined) defaultCount(exactly);
    for (const alternative of firstAvailable) defaultCount(alternative);
  }
}

function defaultCount(request: Draft<ExactDeviceRequest | DeviceSubRequest>): void {
  if (request.allocationMode === "ExactCount") request.count ??= 1;
}
