import { namespaces } from "../../api/core/namespace/schema.ts";
import { shareKey } from "../../api/resource/resource-claim/shares.ts";
import type { DeviceClaim } from "../../api/resource/resource-claim/device-request.ts";
import { resourceClaimTemplates } from "../../api/resource/resource-claim-template/schema.ts";
import {
  type AllocationResult,
  resourceClaims,
  type ResourceClaimStatus,
} from "../../api/resource/resource-claim/schema.ts";
import { type FieldError, type FieldPath, forbidden, internal, root } from "../../meta/field-error.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { ResourceAccess } from "../authz/authorizer.ts";
import { refusal } from "../authz/refusal.ts";
import { type Asker, type Change, changeOf } from "./asker.ts";

const adminLabel = "resource.kubernetes.io/admin-access";

/**
 * Checks the permissions for fields of a claim or its template (upstream `pkg/registry/resource/utils.go`).
 */
export function* validateClaimPermissions(asker: Asker, change: Change): Generator<FieldError> {
  const { subresource, namespace } = change.target;
  const claim = changeOf(resourceClaims, change);
  if (claim?.old !== undefined && subresource === "status")
    yield* validateStatus(asker, claim.object.status, claim.old.status, namespace);
  // A claim's spec is immutable.
  if (change.old !== undefined) return;
  const spec = claim?.object.spec ?? changeOf(resourceClaimTemplates, change)?.object.spec.spec;
  if (spec !== undefined) yield* validateRequests(asker, spec.devices, namespace);
}

function* validateRequests(
  asker: Asker,
  { requests }: DeviceClaim,
  namespace: string,
): Generator<FieldError> {
  const i = requests.findIndex(({ exactly }) => exactly?.adminAccess === true);
  const path = root.child("spec", "devices", "requests").index(i).child("adminAccess");
  if (i >= 0) yield* validateAdminAccess(asker, namespace, path);
}

const adminResult = (allocation: AllocationResult | undefined) =>
  allocation?.devices.results?.findIndex(({ adminAccess }) => adminAccess === true) ?? -1;

function* validateStatus(
  asker: Asker,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  namespace: string,
): Generator<FieldError> {
  const i = adminResult(status.allocation);
  const path = root.child("status", "allocation");
  if (i >= 0 && adminResult(old.allocation) < 0) {
    yield* validateAdminAccess(
      asker,
      namespace,
      path.child("devices", "results").index(i).child("adminAccess"),
    );
  }
  yield* validateBinding(asker, status, old, path);
  if (status.allocation !== undefined) {
    yield* validateDrivers(asker, status, old, namespace, root.child("status", "devices"));
  }
}

function* validateAdminAccess(
  { services: { reader } }: Asker,
  namespace: string,
  path: FieldPath,
): Generator<FieldError> {
  const found = reader.get(namespaces, "", namespace);
  if (found === undefined) {
    const why = `namespaces ${JSON.stringify(namespace)} not found`;
    yield internal(path, `could not retrieve namespace to verify admin access: ${why}`);
    return;
  }
  if (found.metadata.labels?.[adminLabel] === "true") return;
  const label = `\`${adminLabel}: true\` label`;
  yield forbidden(path, `admin access to devices requires the ${label} on the containing namespace`);
}

/**
 * Returns the reason why the user may not use the request's verb on a part of claims that exists only for
 * permissions.
 */
function problemOf(
  { services, user }: Asker,
  verb: string,
  part: Partial<ResourceAccess>,
): string | undefined {
  const { group, version, plural: resource } = resourceClaims;
  const place = { group, version, resource, subresource: "", namespace: "", name: "" };
  const request = { user, verb, target: { type: "resource", ...place, ...part } } as const;
  return services.authorizer.authorize(request).allowed ? undefined : refusal(request).message;
}

function* validateBinding(
  asker: Asker,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  path: FieldPath,
): Generator<FieldError> {
  const isSame = (["allocation", "reservedFor"] as const).every((name) => deepEqual(status[name], old[name]));
  const { verb } = asker;
  const problem = isSame ? undefined : problemOf(asker, verb, { subresource: "binding" });
  if (problem === undefined) return;
  const permission = `resource="resourceclaims/binding", verb="${verb}" permission`;
  yield forbidden(
    path,
    `changing status.allocation or status.reservedFor requires ${permission}: ${problem}`,
  );
}

function* validateDrivers(
  asker: Asker,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  namespace: string,
  path: FieldPath,
): Generator<FieldError> {
  const { verb } = asker;
  const node = nodeOf(status.allocation);
  const verbs = [
    ...(node === undefined || node !== ownNode(asker) ? [] : ["associated-node"]),
    "arbitrary-node",
  ].map((prefix) => `${prefix}:${verb}`);
  for (const name of changedDrivers(status, old)) {
    const problems = verbs.map((one) => problemOf(asker, one, { subresource: "driver", namespace, name }));
    if (problems.includes(undefined)) continue;
    const permission = `resource="resourceclaims/driver", verb="[${verbs.join(" ")}]" permission`;
    yield forbidden(path, `changing status.devices requires ${permission}: ${problems[0]}`);
  }
}

function changedDrivers(status: ResourceClaimStatus, old: ResourceClaimStatus): readonly string[] {
  const byShare = (devices: ResourceClaimStatus["devices"] = []) =>
    new Map(devices.map((device) => [shareKey(device), device]));
  const [before, now] = [byShare(old.devices), byShare(status.devices)];
  const changed = [
    ...[...now].filter(([share, device]) => !deepEqual(before.get(share), device)),
    ...[...before].filter(([share]) => !now.has(share)),
  ];
  return [...new Set(changed.map(([, { driver }]) => driver))].sort();
}

/** Returns the single node of the devices. */
function nodeOf(allocation: AllocationResult | undefined): string | undefined {
  const [term, ...more] = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  const [field, ...others] = term?.matchFields ?? [];
  if (term === undefined || field === undefined || more.length + others.length > 0) return undefined;
  const isName = field.key === "metadata.name" && field.operator === "In" && field.values?.length === 1;
  return isName && (term.matchExpressions ?? []).length === 0 ? field.values[0] : undefined;
}

/** Returns the node that a ServiceAccount's token is bound to. */
function ownNode({ user: { name, extra = {} } }: Asker): string | undefined {
  const nodes = extra["authentication.kubernetes.io/node-name"] ?? [];
  return name.startsWith("system:serviceaccount:") && nodes.length === 1 ? nodes[0] : undefined;
}
