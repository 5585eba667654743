import { type FieldError, type FieldPath, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { immutableMessage } from "../../../meta/validation/immutable.ts";
import { isStandardQuotaResource, validateQuotaList } from "../validation/resources.ts";
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "./schema.ts";

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

/**
 * Reports whether a scope can apply to a resource. BestEffort Pods have no amounts; volume attributes classes
 * only count claims and storage.
 */
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
