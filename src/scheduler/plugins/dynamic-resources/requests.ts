import type { DeviceClass } from "../../../api/resource/device-class/schema.ts";
import type {
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
} from "../../../api/resource/resource-claim/device-request.ts";
import type { ResourceClaim } from "../../../api/resource/resource-claim/schema.ts";
import { type Constraint, constraintOf, type RequestNames } from "./constraints.ts";
import type { PoolDevice } from "./pools.ts";

/** The allocation cannot succeed on this node, or on any, for a reason that is no lack of devices. */
export class AllocationError extends Error {
  override readonly name = "AllocationError";
}

/** The most devices that the status of a claim can have (upstream `AllocationResultsMaxSize`). */
export const mostDevices = 32;

/** A request, or one alternative of it. */
export interface WantedDevices {
  /** The name of the request or of the alternative, as messages show it. */
  readonly name: string;
  readonly names: RequestNames;
  /** `request`, or `request/subrequest`. */
  readonly fullName: string;
  readonly spec: ExactDeviceRequest | DeviceSubRequest;
  readonly hasAdminAccess: boolean;
  readonly deviceClass: DeviceClass;
  readonly count: number;
  /** The devices of a request for all devices. */
  readonly all: readonly PoolDevice[] | undefined;
  /** The devices of which it is known that they match or do not match. */
  readonly matches: Map<PoolDevice, boolean>;
}

/** One entry of `spec.devices.requests`. */
export interface Slot {
  readonly request: DeviceRequest;
  /** The alternatives by preference; exactly one for a request without alternatives. */
  readonly alternatives: readonly WantedDevices[];
  /** The index of the alternative that is tried, at last of the one that was chosen. */
  chosen: number;
}

/** A claim that is to be allocated. */
export interface WantedClaim {
  readonly claim: ResourceClaim;
  readonly slots: readonly Slot[];
  readonly constraints: readonly Constraint[];
  /** The devices that are chosen so far. */
  readonly chosen: Choice[];
}

export interface Choice {
  readonly wanted: WantedDevices;
  readonly device: PoolDevice;
  /** The part of a shared device's capacity; undefined for a device that is not shared. */
  readonly consumed: Readonly<Record<string, string>> | undefined;
  /** True when the device consumes shared counters that are not consumed yet. */
  readonly isCounted: boolean;
}

/** The claim's name as messages show it. */
export function nameOf({ metadata }: ResourceClaim): string {
  const { namespace, name } = metadata;
  return namespace === undefined ? (name ?? "") : `${namespace}/${name}`;
}

/** The parts of a search that a request is prepared with. */
export interface RequestContext {
  readonly deviceClass: (name: string) => DeviceClass | undefined;
  /** All usable devices that match. @throws AllocationError when a pool is not usable */
  readonly allDevices: (wanted: WantedDevices, claim: ResourceClaim) => readonly PoolDevice[];
}

/** Prepares a claim. @throws AllocationError when it can never be allocated as it stands */
export function wantedClaim(claim: ResourceClaim, context: RequestContext): WantedClaim {
  const { requests, constraints = [] } = claim.spec.devices;
  const slots = requests.map((request): Slot => slotOf(request, claim, context));
  const least = slots.reduce(
    (sum, { alternatives }) => sum + Math.min(...alternatives.map(({ count }) => count)),
    0,
  );
  if (least > mostDevices) {
    const what = `number of requested devices ${least} exceeds the claim limit of ${mostDevices}`;
    throw new AllocationError(`claim ${nameOf(claim)}: ${what}`);
  }
  return { claim, slots, chosen: [], constraints: constraints.map(readConstraint) };

  function readConstraint(one: (typeof constraints)[number], i: number): Constraint {
    const read = constraintOf(one);
    if (read !== undefined) return read;
    const what = `constraint #${i}: empty constraint (unsupported constraint type?)`;
    throw new AllocationError(`claim ${nameOf(claim)}, ${what}`);
  }
}

function slotOf(request: DeviceRequest, claim: ResourceClaim, context: RequestContext): Slot {
  const { name, exactly, firstAvailable = [] } = request;
  const alternatives =
    exactly === undefined
      ? firstAvailable.map((one) => {
          const fullName = `${name}/${one.name}`;
          return wantedDevices(one, { name: one.name, names: [name, fullName], fullName }, claim, context);
        })
      : [wantedDevices(exactly, { name, names: [name], fullName: name }, claim, context)];
  if (alternatives.length > 0) return { request, alternatives, chosen: 0 };
  throw new AllocationError(`resource claim ${nameOf(claim)}, request ${name}: unknown request type`);
}

type Naming = Pick<WantedDevices, "name" | "names" | "fullName">;

function wantedDevices(
  spec: ExactDeviceRequest | DeviceSubRequest,
  { name, names, fullName }: Naming,
  claim: ResourceClaim,
  context: RequestContext,
): WantedDevices {
  const fail = (why: string) => new AllocationError(`claim ${nameOf(claim)}, request ${name}: ${why}`);
  for (const [i, { cel }] of (spec.selectors ?? []).entries()) {
    if (cel !== undefined) continue;
    throw new AllocationError(
      `claim ${nameOf(claim)}, request ${name}, selector #${i}: CEL expression empty (unsupported selector type?)`,
    );
  }
  const { deviceClassName, allocationMode, count = 0 } = spec;
  if (deviceClassName === "") throw fail("missing device class name (unsupported request type?)");
  const deviceClass = context.deviceClass(deviceClassName);
  if (deviceClass === undefined) {
    const missing = `deviceclass.resource.k8s.io "${deviceClassName}" not found`;
    throw fail(`could not retrieve device class ${deviceClassName}: ${missing}`);
  }
  const hasAdminAccess = "adminAccess" in spec && spec.adminAccess === true;
  const one = {
    name,
    names,
    fullName,
    spec,
    hasAdminAccess,
    deviceClass,
    matches: new Map<PoolDevice, boolean>(),
  };
  if (allocationMode === "ExactCount") return { ...one, count, all: undefined };
  if (allocationMode !== "All") throw fail(`unsupported count mode ${allocationMode ?? ""}`);
  const all = context.allDevices({ ...one, count: 0, all: [] }, claim);
  return { ...one, count: all.length, all };
}
