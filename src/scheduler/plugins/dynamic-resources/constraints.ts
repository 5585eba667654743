import type { DeviceConstraint } from "../../../api/resource/resource-claim/device-request.ts";
import type { DeviceAttribute } from "../../../api/resource/v1/device.ts";
import type { PoolDevice } from "./pools.ts";

/**
 * A constraint with the devices that are chosen so far. Monotonic: once it refuses a device, further devices do not make
 * it accept that one.
 */
export interface Constraint {
  /** Adds a device for a request; false when the constraint refuses it. */
  add(names: RequestNames, device: PoolDevice): boolean;
  /** Removes the device that was added last. */
  remove(names: RequestNames): void;
}

/** The names by which constraints refer to a request: its own, and `request/subrequest` of an alternative. */
export type RequestNames = readonly string[];

/** Undefined for a constraint of an unknown type. */
export function constraintOf({
  requests = [],
  matchAttribute,
  distinctAttribute,
}: DeviceConstraint): Constraint | undefined {
  const attribute = matchAttribute ?? distinctAttribute;
  if (attribute === undefined) return undefined;
  const isMatch = matchAttribute !== undefined;
  const concerns = (names: RequestNames) =>
    requests.length === 0 || names.some((name) => requests.includes(name));
  /** The values of the chosen devices, as texts that are equal for equal values of one type. */
  const chosen: string[] = [];
  return {
    add(names, device) {
      if (!concerns(names)) return true;
      const value = valueOf(attributeOf(device, attribute));
      if (value === undefined) return false;
      const isAccepted = isMatch ? chosen.length === 0 || chosen[0] === value : !chosen.includes(value);
      if (isAccepted) chosen.push(value);
      return isAccepted;
    },
    remove(names) {
      if (concerns(names)) chosen.pop();
    },
  };
}

/** A name without a domain has the driver's. */
function attributeOf({ device, slice }: PoolDevice, name: string): DeviceAttribute | undefined {
  const { attributes = {} } = device;
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const slash = name.indexOf("/");
  const id = name.slice(slash + 1);
  if (slash < 0 || name.slice(0, slash) !== slice.spec.driver) return undefined;
  return Object.hasOwn(attributes, id) ? attributes[id] : undefined;
}

/** Versions are equal only as texts: semver requires the minimal form. */
function valueOf(attribute: DeviceAttribute | undefined): string | undefined {
  const { string, int, bool, version } = attribute ?? {};
  if (string !== undefined) return `string:${string}`;
  if (int !== undefined) return `int:${int}`;
  if (bool !== undefined) return `bool:${bool}`;
  return version === undefined ? undefined : `version:${version}`;
}
