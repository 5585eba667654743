import {
  type MutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicyBindings,
  type ValidatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBindings,
} from "../../api/admissionregistration/policy-binding/schema.ts";
import {
  mutatingAdmissionPolicies,
  type ParamKind,
  validatingAdmissionPolicies,
} from "../../api/admissionregistration/policy/schema.ts";
import type { UserInfo } from "../../meta/exchange.ts";
import { type FieldError, forbidden, root } from "../../meta/field-error.ts";
import { type Kind, parseGroupVersion } from "../../meta/kind.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { ResourceAccess } from "../authz/authorizer.ts";
import { type Asker, type Change, changeOf } from "./asker.ts";

type Binding = ValidatingAdmissionPolicyBinding | MutatingAdmissionPolicyBinding;

/** The kinds of policies: both need the same permission. */
type PolicyKind = Kind<{ readonly spec: { readonly paramKind?: ParamKind } }>;

/**
 * Requires that a user who makes a policy read objects as parameters may read these objects (upstream
 * `pkg/registry/admissionregistration/*policy*` `/authz.go`).
 */
export function* validateParameterPermissions(asker: Asker, change: Change): Generator<FieldError> {
  if (change.target.subresource !== "" || asker.user.groups.includes("system:masters")) return;
  const policy = changeOf(validatingAdmissionPolicies, change) ?? changeOf(mutatingAdmissionPolicies, change);
  if (policy !== undefined) {
    const { paramKind } = policy.object.spec;
    if (paramKind === undefined || deepEqual(paramKind, policy.old?.spec.paramKind)) return;
    if (mayRead(asker, { ...resourceOfKind(asker, paramKind), namespace: "*", name: "*" }, "get")) return;
    const what = `referenced paramKind (kind=${paramKind.kind}, apiVersion=${paramKind.apiVersion})`;
    const why = `user ${goUser(asker.user)} must have "get" permission on all objects of the ${what}`;
    yield forbidden(root.child("spec", "paramKind"), why);
  }
  const validating = changeOf(validatingAdmissionPolicyBindings, change)?.object;
  if (validating !== undefined) yield* validateReference(asker, validating.spec, validatingAdmissionPolicies);
  const mutating = changeOf(mutatingAdmissionPolicyBindings, change)?.object;
  if (mutating !== undefined) yield* validateReference(asker, mutating.spec, mutatingAdmissionPolicies);
}

function* validateReference(
  asker: Asker,
  { policyName = "", paramRef }: Binding["spec"],
  policyKind: PolicyKind,
): Generator<FieldError> {
  if (paramRef === undefined) return;
  const { name = "", namespace = "" } = paramRef;
  const verb = name === "" ? "list" : "get";
  const policy = asker.services.reader.get(policyKind, "", policyName);
  const paramKind = policy?.spec.paramKind;
  const place = resourceOfKind(asker, paramKind);
  if (mayRead(asker, { ...place, namespace, name }, verb)) return;
  const user = `user ${goUser(asker.user)}`;
  const all = `to determine minimum required permissions and ${user} does not have "${verb}" permission for all groups, versions and resources`;
  const why =
    policy === undefined
      ? `unable to get policy ${policyName} ${all}`
      : paramKind !== undefined && place.resource === "*"
        ? `unable to resolve paramKind ${goKind(paramKind)} ${all}`
        : `${user} does not have "${verb}" permission on the object referenced by paramRef`;
  yield forbidden(root.child("spec", "paramRef"), why);
}

type Place = Pick<ResourceAccess, "group" | "version" | "resource">;

/** Returns the resource of a kind; all resources for an unknown kind. */
function resourceOfKind({ services }: Asker, paramKind: ParamKind | undefined): Place {
  const { apiVersion = "", kind = "" } = paramKind ?? {};
  const parsed = parseGroupVersion(apiVersion);
  if (paramKind === undefined || parsed === undefined) return { group: "*", version: "*", resource: "*" };
  const served = services.resources
    .all()
    .find((one) => one.kind.apiVersion === apiVersion && one.kind.kind === kind);
  return { ...parsed, resource: served?.kind.plural ?? "*" };
}

function mayRead(
  { services, user }: Asker,
  target: Omit<ResourceAccess, "type" | "subresource">,
  verb: string,
): boolean {
  const request = { user, verb, target: { type: "resource", subresource: "", ...target } } as const;
  return services.authorizer.authorize(request).allowed;
}

/** Formats a user as Go prints a `user.DefaultInfo`. */
function goUser({ name, uid = "", groups, extra = {} }: UserInfo): string {
  const more = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${(extra[key] ?? []).join(" ")}]`);
  return `&{${name} ${uid} [${groups.join(" ")}] map[${more.join(" ")}]}`;
}

const goKind = ({ apiVersion = "", kind = "" }: ParamKind) => `&{${apiVersion} ${kind}}`;
