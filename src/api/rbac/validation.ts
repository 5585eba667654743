import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../meta/field-error.ts";
import { subdomainProblems } from "../../meta/validation/dns.ts";
import { validateLabelSelector } from "../../meta/validation/labels.ts";
import { report } from "../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../meta/validation/text.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from "./v1.ts";

const group = "rbac.authorization.k8s.io";

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

export function* validateRoleBinding(binding: RoleBinding): Generator<FieldError> {
  yield* validateBinding(binding, ["Role", "ClusterRole"]);
}

export function* validateClusterRoleBinding(binding: ClusterRoleBinding): Generator<FieldError> {
  yield* validateBinding(binding, ["ClusterRole"]);
}

function* validateBinding(
  { roleRef, subjects = [] }: RoleBinding | ClusterRoleBinding,
  kinds: readonly string[],
): Generator<FieldError> {
  const { apiGroup, kind, name } = roleRef;
  const path = root.child("roleRef");
  if (apiGroup !== group) yield notSupported(path.child("apiGroup"), apiGroup, [group]);
  if (!kinds.includes(kind)) yield notSupported(path.child("kind"), kind, kinds);
  if (name === "") yield requiredValue(path.child("name"));
  else yield* report(path.child("name"), name, pathSegmentProblems(name));
  for (const [i, one] of subjects.entries()) {
    yield* validateSubject(one, kinds.includes("Role"), root.child("subjects").index(i));
  }
}

function* validateSubject(
  { kind, name, namespace, apiGroup = "" }: Subject,
  namespaced: boolean,
  path: FieldPath,
): Generator<FieldError> {
  if (name === "") yield requiredValue(path.child("name"));
  if (kind === "ServiceAccount") {
    if (name !== "") yield* report(path.child("name"), name, subdomainProblems(name));
    if (apiGroup !== "") yield notSupported(path.child("apiGroup"), apiGroup, [""]);
    if (!namespaced && namespace === undefined) yield requiredValue(path.child("namespace"));
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== group) yield notSupported(path.child("apiGroup"), apiGroup, [group]);
  } else yield notSupported(path.child("kind"), kind, ["ServiceAccount", "User", "Group"]);
}

/** Who may use a binding depends on what it grants, so that never changes. */
export function* validateSameRole<T extends RoleBinding | ClusterRoleBinding>(
  { roleRef }: T,
  old: T,
): Generator<FieldError> {
  if (deepEqual(roleRef, old.roleRef)) return;
  // As Go's struct without JSON names, which is what upstream checks.
  const shown = { APIGroup: roleRef.apiGroup, Kind: roleRef.kind, Name: roleRef.name };
  yield invalid(root.child("roleRef"), shown, "cannot change roleRef");
}
