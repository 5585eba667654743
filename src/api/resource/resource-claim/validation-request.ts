import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
} from "../../../meta/field-error.ts";
import { labelValueProblems } from "../../../meta/label-syntax.ts";
import { validateLabelKey } from "../../../meta/validation/labels.ts";
import { report, validateDnsLabel, validateSubdomain } from "../../../meta/validation/report.ts";
import { validateSet, validateSlice } from "../lists.ts";
import { validateFullyQualifiedName } from "../names.ts";
import { type SelectorChecker, validateSelectors } from "../selectors.ts";
import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
} from "./device-request.ts";
import { maxConfigurations, validateConfiguration } from "../validation-configuration.ts";

const limits = { requests: 32, alternatives: 8, constraints: 32 } as const;

const itself = (name: string) => name;
const nameOf = ({ name }: { readonly name: string }) => name;

/** `check` yields the errors of CEL expressions. */
export function* validateDeviceClaim(
  claim: DeviceClaim,
  path: FieldPath,
  check?: SelectorChecker,
): Generator<FieldError> {
  const names = requestNames(claim);
  const { requests, constraints, config } = claim;
  const checkRequest = (request: DeviceRequest, place: FieldPath) => validateRequest(request, place, check);
  yield* validateSet(requests, limits.requests, path.child("requests"), checkRequest, nameOf);
  yield* validateSlice(constraints, limits.constraints, path.child("constraints"), (one, place) =>
    validateConstraint(one, names, place),
  );
  yield* validateSlice(config, maxConfigurations, path.child("config"), (one, place) =>
    validateClaimConfiguration(one, names, place),
  );
}

/** The names that a claim and its status can refer to: `request` and `request/subrequest`. */
export function requestNames({ requests }: DeviceClaim): ReadonlySet<string> {
  const names = requests.flatMap(({ name, firstAvailable = [] }) => [
    name,
    ...firstAvailable.map((alternative) => `${name}/${alternative.name}`),
  ]);
  return new Set(names);
}

function* validateRequest(
  { name, exactly, firstAvailable = [] }: DeviceRequest,
  path: FieldPath,
  check: SelectorChecker | undefined,
): Generator<FieldError> {
  yield* validateDnsLabel(name, path.child("name"));
  const rule = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly === undefined) {
    if (firstAvailable.length === 0) yield requiredValue(path, rule);
    const checkOne = (one: DeviceSubRequest, place: FieldPath) => validateAlternative(one, place, check);
    const place = path.child("firstAvailable");
    yield* validateSet(firstAvailable, limits.alternatives, place, checkOne, nameOf);
  } else if (firstAvailable.length > 0) yield invalid(path, null, `${rule}, but multiple fields are set`);
  else yield* validateDevices(exactly, path.child("exactly"), check);
}

function* validateAlternative(
  request: DeviceSubRequest,
  path: FieldPath,
  check: SelectorChecker | undefined,
): Generator<FieldError> {
  yield* validateDnsLabel(request.name, path.child("name"));
  yield* validateDevices(request, path, check);
}

function* validateDevices(
  request: ExactDeviceRequest | DeviceSubRequest,
  path: FieldPath,
  check: SelectorChecker | undefined,
): Generator<FieldError> {
  const { deviceClassName, selectors, tolerations = [] } = request;
  const className = path.child("deviceClassName");
  if (deviceClassName === "") yield requiredValue(className);
  else yield* validateSubdomain(deviceClassName, className);
  yield* validateSelectors(selectors, path.child("selectors"), check);
  yield* validateAllocationMode(request, path);
  for (const [i, one] of tolerations.entries()) {
    yield* validateToleration(one, path.child("tolerations").index(i));
  }
}

function* validateAllocationMode(
  { allocationMode, count = 0 }: ExactDeviceRequest | DeviceSubRequest,
  path: FieldPath,
): Generator<FieldError> {
  const place = path.child("count");
  if (allocationMode === "All") {
    if (count !== 0) yield invalid(place, count, "must not be specified when allocationMode is 'All'");
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) yield invalid(place, count, "must be greater than zero");
  } else yield notSupported(path.child("allocationMode"), allocationMode, ["All", "ExactCount"]);
}

export const taintEffects: readonly string[] = ["NoExecute", "NoSchedule", "None"];

function* validateToleration(
  { key, operator, value = "", effect }: DeviceToleration,
  path: FieldPath,
): Generator<FieldError> {
  if (key !== undefined) yield* validateLabelKey(key, path.child("key"));
  const place = path.child("value");
  if (operator === "Exists") {
    if (value !== "") yield invalid(place, value, "must be empty for operator `Exists`");
  } else if (operator === "Equal") yield* report(place, value, labelValueProblems(value));
  else yield notSupported(path.child("operator"), operator, ["Equal", "Exists"]);
  if (effect !== undefined && !taintEffects.includes(effect)) {
    yield notSupported(path.child("effect"), effect, taintEffects);
  }
}

function* validateConstraint(
  { requests, matchAttribute, distinctAttribute }: DeviceConstraint,
  names: ReadonlySet<string>,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateRequestNames(requests, names, path.child("requests"));
  if (matchAttribute !== undefined) {
    yield* validateFullyQualifiedName(matchAttribute, path.child("matchAttribute"));
  } else if (distinctAttribute !== undefined) {
    yield* validateFullyQualifiedName(distinctAttribute, path.child("distinctAttribute"));
  } else {
    const rule = 'exactly one of "matchAttribute" or "distinctAttribute" is required';
    yield requiredValue(path, `${rule}, but multiple fields are set`);
  }
}

function* validateClaimConfiguration(
  config: DeviceClaimConfiguration,
  names: ReadonlySet<string>,
  path: FieldPath,
): Generator<FieldError> {
  yield* validateRequestNames(config.requests, names, path.child("requests"));
  yield* validateConfiguration(config, path);
}

export function* validateRequestNames(
  requests: readonly string[] | undefined,
  names: ReadonlySet<string>,
  path: FieldPath,
): Generator<FieldError> {
  const check = (name: string, place: FieldPath) => validateRequestName(name, names, place);
  yield* validateSet(requests, limits.requests, path, check, itself);
}

export function* validateRequestName(
  name: string,
  names: ReadonlySet<string>,
  path: FieldPath,
): Generator<FieldError> {
  const rule =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const parts = name.split("/");
  if (parts.length <= 2) for (const part of parts) yield* validateDnsLabel(part, path);
  if (parts.length > 2 || !names.has(name)) yield invalid(path, name, rule);
}
