import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  tooLong,
} from "../../../meta/field-error.ts";
import { labelValueProblems } from "../../../meta/label-syntax.ts";
import { validateLabelKey } from "../../../meta/validation/labels.ts";
import { report, validateDnsLabel, validateOneOf } from "../../../meta/validation/report.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { validateNodeSelector } from "../../core/pod/validation/affinity.ts";
import { validateNodeName } from "../../core/pod/validation/scheduling.ts";
import { validateMap, validateSet, validateSlice } from "../lists.ts";
import { maxQualifiedName, validateQualifiedName } from "../names.ts";
import type {
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  DeviceTaint,
} from "../v1/device.ts";
import { validateBindingConditions } from "./validation-binding-conditions.ts";
import { validateRequestPolicy } from "./validation-capacity.ts";
import { taintEffects } from "../resource-claim/validation-request.ts";

const limits = {
  attributesAndCapacities: 32,
  attributeValues: 48,
  valueBytes: 64,
  taints: 16,
  consumptions: 2,
  counters: 32,
  labelLength: 63,
} as const;

/** `choosesNodes` is true if the slice has per-device node selection. */
export function* validateDevice(
  device: Device,
  old: Device | undefined,
  path: FieldPath,
  choosesNodes: boolean,
): Generator<FieldError> {
  yield* validateDnsLabel(device.name, path.child("name"));
  yield* validateAttributes(device, path);
  const capacities = path.child("capacity");
  const isShared = device.allowMultipleAllocations === true;
  const checkCapacity = (one: DeviceCapacity, place: FieldPath) => validateCapacity(one, isShared, place);
  const named = { maxKey: maxQualifiedName };
  yield* validateMap(device.capacity, named, capacities, validateQualifiedName, checkCapacity);
  if (old === undefined || !deepEqual(old.taints, device.taints)) {
    yield* validateSlice(device.taints, limits.taints, path.child("taints"), validateTaint);
  }
  const counters = path.child("consumesCounters");
  const setOf = ({ counterSet }: DeviceCounterConsumption) => counterSet;
  yield* validateSet(device.consumesCounters, limits.consumptions, counters, validateConsumption, setOf);
  if (choosesNodes) yield* validateNodes(device, path);
  else if ((device.nodeName ?? device.nodeSelector ?? device.allNodes) !== undefined) {
    const names = "`nodeName`, `nodeSelector` and `allNodes`";
    const rule = "can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    yield invalid(path, null, `${names} ${rule}`);
  }
  yield* validateBindingConditions(device, path);
}

function* validateAttributes(
  { attributes = {}, capacity = {} }: Device,
  path: FieldPath,
): Generator<FieldError> {
  const values = Object.keys(attributes).length;
  const all = values + Object.keys(capacity).length;
  const tooManyOf = (what: string, max: number) => `the total number of ${what} must not exceed ${max}`;
  if (all > limits.attributesAndCapacities) {
    yield invalid(path, all, tooManyOf("attributes and capacities", limits.attributesAndCapacities));
  }
  if (values > limits.attributeValues) {
    yield invalid(path, values, tooManyOf("attribute values", limits.attributeValues));
  }
  const named = { maxKey: maxQualifiedName };
  yield* validateMap(attributes, named, path.child("attributes"), validateQualifiedName, validateAttribute);
}

/** A semantic version (semver.org 2.0.0). */
const version = (() => {
  const numeric = String.raw`(0|[1-9]\d*)`;
  const preRelease = String.raw`(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
  const build = "[0-9a-zA-Z-]+";
  const core = [numeric, numeric, numeric].join(String.raw`\.`);
  return new RegExp(String.raw`^${core}(-${preRelease}(\.${preRelease})*)?(\+${build}(\.${build})*)?$`);
})();

function* validateAttribute(attribute: DeviceAttribute, path: FieldPath): Generator<FieldError> {
  const { string: text, version: release } = attribute;
  if (text !== undefined) yield* validateLength(text, path.child("string"));
  if (release !== undefined) {
    const place = path.child("version");
    const rule = "must be a string compatible with semver.org spec 2.0.0";
    if (!version.test(release)) yield invalid(place, release, rule);
    yield* validateLength(release, place);
  }
  const count = Object.values(attribute).filter((value) => value !== undefined).length;
  if (count !== 1) yield invalid(path, count === 0 ? "" : attribute, "exactly one value must be specified");
}

function* validateLength(text: string, path: FieldPath): Generator<FieldError> {
  if (Buffer.byteLength(text) > limits.valueBytes) yield tooLong(path, limits.valueBytes);
}

function* validateCapacity(
  { value, requestPolicy }: DeviceCapacity,
  isShared: boolean,
  path: FieldPath,
): Generator<FieldError> {
  if (requestPolicy === undefined) return;
  const place = path.child("requestPolicy");
  if (isShared) yield* validateRequestPolicy(requestPolicy, value, place);
  else yield forbidden(place, "allowMultipleAllocations must be true");
}

function* validateTaint({ key, value = "", effect }: DeviceTaint, path: FieldPath): Generator<FieldError> {
  yield* validateLabelKey(key, path.child("key"));
  yield* report(path.child("value"), value, labelValueProblems(value));
  yield* validateOneOf(effect, taintEffects, path.child("effect"));
}

function* validateConsumption(
  { counterSet, counters }: DeviceCounterConsumption,
  path: FieldPath,
): Generator<FieldError> {
  if (counterSet === "") yield requiredValue(path.child("counterSet"));
  else yield* validateDnsLabel(counterSet, path.child("counterSet"));
  yield* validateCounters(counters, path.child("counters"));
}

/** Validates counters. Any amount is valid. */
export function* validateCounters(
  counters: CounterSet["counters"] = {},
  path: FieldPath,
): Generator<FieldError> {
  if (Object.keys(counters).length === 0) yield requiredValue(path);
  const size = { max: limits.counters, maxKey: limits.labelLength };
  yield* validateMap(counters, size, path, validateDnsLabel, function* () {});
}

/** Requires exactly one of the fields that select nodes. */
function* validateNodes(device: Device, path: FieldPath): Generator<FieldError> {
  const { nodeName, nodeSelector, allNodes } = device;
  if (nodeName === "") yield invalid(path.child("nodeName"), nodeName, "must not be empty");
  else if (nodeName !== undefined) yield* validateNodeName(nodeName, path.child("nodeName"));
  if (nodeSelector !== undefined) yield* validateNodeSelector(nodeSelector, path.child("nodeSelector"));
  if (allNodes === false) {
    yield invalid(path.child("allNodes"), allNodes, "must be either unset or set to true");
  }
  const names = ["nodeName", "nodeSelector", "allNodes"] as const;
  const given = names.filter((name) => Boolean(device[name])).map((name) => `\`${name}\``);
  const rule =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (given.length === 0) yield requiredValue(path, rule);
  else if (given.length > 1) yield invalid(path, `{${given.join(", ")}}`, rule);
}
