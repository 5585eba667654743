import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../../meta/field-error.ts";
import { subdomainProblems } from "../../../meta/validation/dns.ts";
import { report } from "../../../meta/validation/report.ts";
import { pathSegmentProblems } from "../../../meta/validation/text.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { ClusterRoleBinding, RoleBinding, Subject } from "./schema.ts";

const group = "rbac.authorization.k8s.io";

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

/**
 * Forbids changes of the role, because the permission to write a binding depends on the role that it grants.
 */
export function* validateSameRole<T extends RoleBinding | ClusterRoleBinding>(
  { roleRef }: T,
  old: T,
): Generator<FieldError> {
  if (deepEqual(roleRef, old.roleRef)) return;
  // The value in the error has Go's field names, because upstream validates a struct without JSON names.
  const shown = { APIGroup: roleRef.apiGroup, Kind: roleRef.kind, Name: roleRef.name };
  yield invalid(root.child("roleRef"), shown, "cannot change roleRef");
}
