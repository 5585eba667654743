import { type FieldError, type FieldPath, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { validateLabelSelector } from "../../../meta/validation/labels.ts";
import type { ClusterRole, PolicyRule, Role } from "./schema.ts";

export function* validateRole({ rules }: Role): Generator<FieldError> {
  for (const [i, rule] of rules.entries()) yield* validateRule(rule, true, root.child("rules").index(i));
}

export function* validateClusterRole({ rules, aggregationRule }: ClusterRole): Generator<FieldError> {
  for (const [i, rule] of rules.entries()) yield* validateRule(rule, false, root.child("rules").index(i));
  if (aggregationRule === undefined) return;
  const place = root.child("aggregationRule", "clusterRoleSelectors");
  const { clusterRoleSelectors = [] } = aggregationRule;
  if (clusterRoleSelectors.length === 0) {
    yield requiredValue(place, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (const [i, one] of clusterRoleSelectors.entries()) {
    const problems = [...validateLabelSelector(one, place.index(i))];
    yield* problems;
    if (problems.length > 0) yield invalid(place.index(i), null, "invalid label selector.");
  }
}

function* validateRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): Generator<FieldError> {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (verbs.length === 0) yield requiredValue(path.child("verbs"), "verbs must contain at least one value");
  if (nonResourceURLs.length > 0) {
    const place = path.child("nonResourceURLs");
    if (namespaced) {
      yield invalid(place, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs");
    }
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      yield invalid(
        place,
        nonResourceURLs,
        "rules cannot apply to both regular resources and non-resource URLs",
      );
    }
    return;
  }
  if (apiGroups.length === 0) {
    yield requiredValue(path.child("apiGroups"), "resource rules must supply at least one api group");
  }
  if (resources.length === 0) {
    yield requiredValue(path.child("resources"), "resource rules must supply at least one resource");
  }
}
