import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { labelKeyProblems } from "../../../meta/label-syntax.ts";
import { compareQuantities, parseQuantity } from "../../../meta/quantity.ts";
import { immutableMessage } from "../../../meta/validation/immutable.ts";
import { report } from "../../../meta/validation/report.ts";
import type { LimitRange, LimitRangeItem } from "../v1/limit-range.ts";
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "../v1/resource-quota.ts";
import {
  isStandardQuotaResource,
  validateContainerResourceName,
  validateQuotaList,
  validateResourceName,
} from "./resources.ts";

const limitTypes: readonly string[] = ["Pod", "Container", "PersistentVolumeClaim"];
const limitLists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

export function* validateLimitRange({ spec }: LimitRange): Generator<FieldError> {
  const types = new Set<string>();
  for (const [i, item] of spec.limits.entries()) {
    const place = root.child("spec", "limits").index(i);
    const problems = labelKeyProblems(item.type);
    yield* report(place.child("type"), item.type, problems);
    if (problems.length === 0 && !item.type.includes("/") && !limitTypes.includes(item.type)) {
      yield invalid(place.child("type"), item.type, "must be a standard limit type or fully qualified");
    }
    if (types.has(item.type)) yield duplicate(place.child("type"), item.type);
    types.add(item.type);
    yield* validateLimitNames(item, place);
    if (item.type === "PersistentVolumeClaim" && !("storage" in { ...item.min, ...item.max })) {
      yield requiredValue(
        place.child("limits"),
        "either minimum or maximum storage value is required, but neither was provided",
      );
    }
    yield* validateOrder(item, place);
  }
}

function* validateLimitNames(item: LimitRangeItem, path: FieldPath): Generator<FieldError> {
  const strict = item.type === "Pod" || item.type === "Container";
  for (const list of limitLists) {
    const names = Object.keys(item[list] ?? {});
    if (item.type === "Pod" && (list === "default" || list === "defaultRequest")) {
      if (names.length > 0) yield forbidden(path.child(list), "may not be specified when `type` is 'Pod'");
      continue;
    }
    for (const name of names) {
      const place = path.child(list).key(name);
      yield* strict ? validateContainerResourceName(name, place) : validateResourceName(name, place);
    }
  }
}

type Bound = "min" | "max" | "default" | "defaultRequest";

/** What may not exceed what: the lower bound, the upper one, whose fault it is, and the message's words. */
const orders: readonly (readonly [
  low: Bound,
  high: Bound,
  field: Bound,
  lowName: string,
  highName: string,
])[] = [
  ["min", "max", "min", "min", "max"],
  ["min", "defaultRequest", "defaultRequest", "min", "default request"],
  ["defaultRequest", "max", "defaultRequest", "default request", "max"],
  ["defaultRequest", "default", "defaultRequest", "default request", "default limit"],
  ["min", "default", "default", "min", "default"],
  ["default", "max", "default", "default", "max"],
];

function* validateOrder(item: LimitRangeItem, path: FieldPath): Generator<FieldError> {
  const names = new Set(limitLists.flatMap((list) => Object.keys(item[list] ?? {})));
  for (const name of names) {
    for (const [low, high, field, lowName, highName] of orders) {
      const [least, most] = [item[low]?.[name], item[high]?.[name]];
      if (least === undefined || most === undefined) continue;
      if (compareQuantities(parseQuantity(least), parseQuantity(most)) <= 0) continue;
      // Upstream shows the other bound where a default limit is at fault.
      const shown = field === "default" ? (low === "min" ? least : most) : item[field]?.[name];
      yield invalid(
        path.child(field).key(name),
        shown,
        `${lowName} value ${least} is greater than ${highName} value ${most}`,
      );
    }
    const ratio = item.maxLimitRequestRatio?.[name];
    if (ratio !== undefined && parseQuantity(ratio).nanos < 1_000_000_000n) {
      yield invalid(path.child("maxLimitRequestRatio").key(name), ratio, `ratio ${ratio} is less than 1`);
    }
  }
}

const podScopes: readonly string[] = [
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
];
const scopes: readonly string[] = [...podScopes, "VolumeAttributesClass"];
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

export function* validateResourceQuota({ spec, status }: ResourceQuota): Generator<FieldError> {
  yield* validateQuotaList(spec.hard, root.child("spec", "hard"));
  yield* validateScopes(spec);
  yield* validateScopeSelector(spec);
  yield* validateQuotaLists(status);
}

export function* validateQuotaStatus({ status }: ResourceQuota): Generator<FieldError> {
  yield* validateQuotaLists(status);
}

function* validateQuotaLists({ hard, used }: ResourceQuota["status"]): Generator<FieldError> {
  yield* validateQuotaList(hard, root.child("status", "hard"));
  yield* validateQuotaList(used, root.child("status", "used"));
}

function* validateScopes({ scopes: chosen = [], hard = {} }: ResourceQuotaSpec): Generator<FieldError> {
  const place = root.child("spec", "scopes");
  for (const scope of chosen) {
    if (!scopes.includes(scope)) yield invalid(place, chosen, "unsupported scope");
    yield* validateScopedResources(scope, hard, chosen, place);
  }
  yield* validateOpposites(chosen, chosen, place);
}

function* validateScopedResources(
  scope: string,
  hard: Readonly<Record<string, string>>,
  shown: unknown,
  path: FieldPath,
): Generator<FieldError> {
  for (const name of Object.keys(hard).sort()) {
    if (isStandardQuotaResource(name) && !fitsScope(scope, name)) {
      yield invalid(path, shown, "unsupported scope applied to resource");
    }
  }
}

/** BestEffort Pods have no amounts to count; volume classes count claims and storage only. */
function fitsScope(scope: string, resource: string): boolean {
  if (scope === "BestEffort") return resource === "pods";
  if (scope === "VolumeAttributesClass") {
    return resource === "persistentvolumeclaims" || resource === "requests.storage";
  }
  return /^(pods|(requests\.|limits\.)?(cpu|memory))$/.test(resource) || !podScopes.includes(scope);
}

function* validateOpposites(
  chosen: readonly string[],
  shown: unknown,
  path: FieldPath,
): Generator<FieldError> {
  for (const pair of opposites) {
    if (pair.every((one) => chosen.includes(one))) yield invalid(path, shown, "conflicting scopes");
  }
}

function* validateScopeSelector(spec: ResourceQuotaSpec): Generator<FieldError> {
  if (spec.scopeSelector === undefined) return;
  const place = root.child("spec", "scopeSelector", "matchExpressions");
  const requirements = spec.scopeSelector.matchExpressions ?? [];
  for (const one of requirements) {
    if (!scopes.includes(one.scopeName)) {
      yield invalid(place.child("scopeName"), one.scopeName, "unsupported scope");
    }
    yield* validateScopedResources(one.scopeName, spec.hard ?? {}, spec.scopeSelector, place);
    yield* validateScopeOperator(one, place);
  }
  yield* validateOpposites(
    requirements.map(({ scopeName }) => scopeName),
    spec.scopes ?? [],
    place,
  );
}

function* validateScopeOperator(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  path: FieldPath,
): Generator<FieldError> {
  const hasValues = scopeName === "PriorityClass" || scopeName === "VolumeAttributesClass";
  if (!hasValues && scopes.includes(scopeName) && operator !== "Exists") {
    yield invalid(
      path.child("operator"),
      operator,
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
    );
  }
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      yield requiredValue(
        path.child("values"),
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      );
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      yield invalid(
        path.child("values"),
        values,
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
      );
    }
  } else yield invalid(path.child("operator"), operator, "not a valid selector operator");
}

export function* validateQuotaUpdate(
  { spec }: ResourceQuota,
  { spec: old }: ResourceQuota,
): Generator<FieldError> {
  const [now, before] = [spec, old].map((one) => new Set<string>(one.scopes));
  if (now !== undefined && before !== undefined && now.symmetricDifference(before).size > 0) {
    yield invalid(root.child("spec", "scopes"), spec.scopes ?? [], immutableMessage);
  }
}
