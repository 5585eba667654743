import { type FieldError, type FieldPath, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateDnsLabel } from "../../../meta/validation/report.ts";
import { validateNodeSelector } from "../../core/pod/validation/affinity.ts";
import { validateNodeName } from "../../core/pod/validation/scheduling.ts";
import { validateDriverName } from "../../core/volume/validation/volume.ts";
import { validateSet } from "../lists.ts";
import { validatePoolName } from "../names.ts";
import type { CounterSet, Device } from "../v1/device.ts";
import type { ResourcePool, ResourceSlice, ResourceSliceSpec } from "./schema.ts";
import { validateCounters, validateDevice } from "./validation-device.ts";

const limits = { devices: 128, advancedDevices: 64, counterSets: 8 } as const;

const path = root.child("spec");

export function* validateSliceSpec({ spec }: ResourceSlice, old?: ResourceSlice): Generator<FieldError> {
  yield* validateDriverName(spec.driver, path.child("driver"));
  yield* validatePool(spec.pool, path.child("pool"));
  if (old !== undefined) {
    yield* validateImmutable(spec.pool.name, old.spec.pool.name, path.child("pool", "name"));
    yield* validateImmutable(spec.driver, old.spec.driver, path.child("driver"));
    yield* validateImmutable(spec.nodeName, old.spec.nodeName, path.child("nodeName"));
  }
  yield* validateNodes(spec);
  if (spec.sharedCounters !== undefined && spec.devices !== undefined) {
    yield invalid(path, "", "only one of `sharedCounters` or `devices` is allowed");
  }
  yield* validateDevices(spec, old);
  const sets = path.child("sharedCounters");
  yield* validateSet(spec.sharedCounters, limits.counterSets, sets, validateCounterSet, ({ name }) => name);
}

function* validatePool(
  { name, resourceSliceCount, generation }: ResourcePool,
  place: FieldPath,
): Generator<FieldError> {
  yield* validatePoolName(name, place.child("name"));
  if (resourceSliceCount <= 0) {
    yield invalid(place.child("resourceSliceCount"), resourceSliceCount, "must be greater than zero");
  }
  if (generation < 0) {
    yield invalid(place.child("generation"), generation, "must be greater than or equal to zero");
  }
}

/** Requires exactly one of the fields that select nodes. */
function* validateNodes(spec: ResourceSliceSpec): Generator<FieldError> {
  const { nodeName, nodeSelector } = spec;
  if (nodeName === "") {
    yield invalid(path.child("nodeName"), nodeName, "must be either unset or set to a non-empty string");
  } else if (nodeName !== undefined) yield* validateNodeName(nodeName, path.child("nodeName"));
  if (nodeSelector !== undefined) {
    const place = path.child("nodeSelector");
    const { nodeSelectorTerms: terms } = nodeSelector;
    yield* validateNodeSelector(nodeSelector, place);
    const rule = "must have exactly one node selector term";
    if (terms.length !== 1) yield invalid(place.child("nodeSelectorTerms"), terms, rule);
  }
  for (const name of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[name] === false) yield invalid(path.child(name), false, "must be either unset or set to true");
  }
  const names = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"] as const;
  const given = names.filter((name) => Boolean(spec[name])).map((name) => `\`${name}\``);
  const rule = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (given.length === 0) yield requiredValue(path, rule);
  else if (given.length > 1) {
    yield invalid(path, `{${given.join(", ")}}`, `${rule}, but multiple fields are set`);
  }
}

function* validateDevices(
  { devices, perDeviceNodeSelection = false }: ResourceSliceSpec,
  old: ResourceSlice | undefined,
): Generator<FieldError> {
  const isAdvanced = ({ taints, consumesCounters }: Device) =>
    taints !== undefined || consumesCounters !== undefined;
  const max = devices?.some(isAdvanced) === true ? limits.advancedDevices : limits.devices;
  const check = (device: Device, place: FieldPath) => {
    const before = old?.spec.devices?.find(({ name }) => name === device.name);
    return validateDevice(device, before, place, perDeviceNodeSelection);
  };
  yield* validateSet(devices, max, path.child("devices"), check, ({ name }) => name);
}

function* validateCounterSet({ name, counters }: CounterSet, place: FieldPath): Generator<FieldError> {
  if (name === "") yield requiredValue(place.child("name"));
  else yield* validateDnsLabel(name, place.child("name"));
  yield* validateCounters(counters, place.child("counters"));
}
