import {
  mutatingAdmissionPolicyBindings,
  type ValidatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBindings,
} from "../../api/admissionregistration/policy-binding/schema.ts";
import {
  mutatingAdmissionPolicies,
  type ParamKind,
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "../../api/admissionregistration/policy/schema.ts";
import type { UserInfo } from "../../meta/exchange.ts";
import { type FieldError, forbidden, root } from "../../meta/field-error.ts";
import { type Kind, type KubeObject, parseGroupVersion } from "../../meta/kind.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { ResourceAccess } from "../authz/authorizer.ts";
import type { Asker } from "./asker.ts";
import type { Target } from "../resources/target.ts";

/** A policy of either kind: both need the same permission. */
type Policy = ValidatingAdmissionPolicy;
type Binding = ValidatingAdmissionPolicyBinding;

const policies: ReadonlySet<Kind> = new Set([validatingAdmissionPolicies, mutatingAdmissionPolicies]);
const policiesOf = new Map<Kind, Kind>([
  [validatingAdmissionPolicyBindings, validatingAdmissionPolicies],
  [mutatingAdmissionPolicyBindings, mutatingAdmissionPolicies],
]);

/**
 * Requires that a user who makes a policy read objects as parameters may read these objects (upstream
 * `pkg/registry/admissionregistration/*policy*` `/authz.go`).
 */
export function* validateParameterPermissions(
  asker: Asker,
  object: KubeObject,
  old: KubeObject | undefined,
  { resource: { kind }, subresource }: Target,
): Generator<FieldError> {
  if (subresource !== "" || asker.user.groups.includes("system:masters")) return;
  if (policies.has(kind)) {
    const { paramKind } = (object as Policy).spec;
    if (paramKind === undefined || deepEqual(paramKind, (old as Policy | undefined)?.spec.paramKind)) return;
    if (mayRead(asker, { ...resourceOfKind(asker, paramKind), namespace: "*", name: "*" }, "get")) return;
    const what = `referenced paramKind (kind=${paramKind.kind}, apiVersion=${paramKind.apiVersion})`;
    const why = `user ${goUser(asker.user)} must have "get" permission on all objects of the ${what}`;
    yield forbidden(root.child("spec", "paramKind"), why);
  }
  const policyKind = policiesOf.get(kind);
  if (policyKind !== undefined) yield* validateReference(asker, (object as Binding).spec, policyKind);
}

function* validateReference(
  asker: Asker,
  { policyName = "", paramRef }: Binding["spec"],
  policyKind: Kind,
): Generator<FieldError> {
  if (paramRef === undefined) return;
  const { name = "", namespace = "" } = paramRef;
  const verb = name === "" ? "list" : "get";
  const policy = asker.services.reader.get(policyKind, "", policyName) as Policy | undefined;
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
