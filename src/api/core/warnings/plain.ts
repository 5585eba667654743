import { root } from "../../../meta/field-error.ts";
import { compareQuantities, parseQuantity } from "../../../meta/quantity.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { Endpoints } from "../v1/endpoints.ts";
import type { Node } from "../v1/node.ts";
import type { ResourceQuota } from "../v1/resource-quota.ts";
import type { ServiceAccount } from "../v1/service-account.ts";
import { cidrWarnings, ipWarnings } from "./ip.ts";

/** Fields that nothing reads any more (upstream `pkg/registry/core/node/strategy.go`). */
export function nodeWarnings({ spec, status }: Node, old: Node | undefined): readonly string[] {
  if (old !== undefined && !deepEqual(status, old.status)) return [];
  const { configSource, externalID = "", podCIDRs = [] } = spec;
  return [
    ...(configSource === undefined ? [] : ["spec.configSource: the feature is removed"]),
    ...(externalID === "" ? [] : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
    ...podCIDRs.flatMap((subnet, i) => cidrWarnings(subnet, root.child("spec", "podCIDRs").index(i))),
  ];
}

/** More to request than the limits allow for can never be used. */
export function quotaWarnings(
  { spec: { hard = {} } }: ResourceQuota,
  old: ResourceQuota | undefined,
): readonly string[] {
  if (old !== undefined) return [];
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const isBare = hard[`requests.${name}`] === undefined && ["cpu", "memory"].includes(name);
    const requests = isBare ? name : `requests.${name}`;
    const limits = `limits.${name}`;
    const { [requests]: request, [limits]: limit } = hard;
    if (request === undefined || limit === undefined) return [];
    if (compareQuantities(parseQuantity(request), parseQuantity(limit)) <= 0) return [];
    return [`ResourceQuota ${requests} (${request}) should be less than ${limits} (${limit})`];
  });
}

const enforcing = "kubernetes.io/enforce-mountable-secrets";

export function serviceAccountWarnings(
  { metadata }: ServiceAccount,
  old: ServiceAccount | undefined,
): readonly string[] {
  const has = (annotations: Readonly<Record<string, string>> = {}) => annotations[enforcing] !== undefined;
  if (!has(metadata.annotations) || has(old?.metadata.annotations)) return [];
  const instead = "prefer separate namespaces to isolate access to mounted secrets";
  return [`metadata.annotations[${enforcing}]: deprecated in v1.32+; ${instead}`];
}

/** What the controller writes is not looked at: it spells addresses well. */
export function endpointsWarnings({ metadata, subsets = [] }: Endpoints): readonly string[] {
  if (metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller") return [];
  return subsets.flatMap((subset, i) =>
    (["addresses", "notReadyAddresses"] as const).flatMap((name) =>
      (subset[name] ?? []).flatMap(({ ip }, j) =>
        ipWarnings(ip, root.child("subsets").index(i).child(name).index(j).child("ip")),
      ),
    ),
  );
}
