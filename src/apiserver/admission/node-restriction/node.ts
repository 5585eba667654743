import { type Node, nodes } from "../../../api/core/node/schema.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { about, type Attributes } from "../plugin.ts";

/**
 * Refuses changes of other Nodes, and changes of the node's own that would attract Pods or let it read more
 * objects.
 */
export function refuseNode(attributes: Attributes, node: string): string | undefined {
  const { name } = attributes;
  const who = `node ${JSON.stringify(node)}`;
  if (name !== node) return `${who} is not allowed to modify node ${JSON.stringify(name)}`;
  const { object, old } = about(nodes, attributes) ?? about(nodes, attributes, "status") ?? {};
  if (object === undefined) return undefined;
  return old === undefined ? refuseCreate(object, who) : refuseUpdate(object, old, who);
}

function refuseCreate({ metadata, spec }: Node, who: string): string | undefined {
  if (spec.configSource !== undefined)
    return `${who} is not allowed to create pods with a non-nil configSource`;
  const labels = reservedLabels(metadata.labels ?? {}, {});
  return labels === "" ? undefined : `${who} is not allowed to set the following labels: ${labels}`;
}

function refuseUpdate(next: Node, old: Node, who: string): string | undefined {
  const { configSource, taints = [] } = next.spec;
  if (configSource !== undefined && !deepEqual(configSource, old.spec.configSource))
    return `${who} is not allowed to update configSource to a new non-nil configSource`;
  if (!deepEqual(taints, old.spec.taints ?? [])) return `${who} is not allowed to modify taints`;
  if (!deepEqual(next.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? []))
    return `${who} is not allowed to modify ownerReferences`;
  const labels = reservedLabels(next.metadata.labels ?? {}, old.metadata.labels ?? {});
  return labels === "" ? undefined : `is not allowed to modify labels: ${labels}`;
}

type Labels = Readonly<Record<string, string>>;

/** Returns the reserved labels that differ, sorted. */
function reservedLabels(next: Labels, old: Labels): string {
  const keys = [...new Set([...Object.keys(next), ...Object.keys(old)])];
  const valueIn = (labels: Labels, key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const changed = keys.filter((key) => valueIn(next, key) !== valueIn(old, key));
  return changed.filter(isReserved).sort().join(", ");
}

/** Labels with a prefix of Kubernetes that a node may set (upstream `kubelet/pkg/apis`). */
const kubeletLabels = new Set([
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
]);
const kubeletDomains = ["kubelet.kubernetes.io", "node.kubernetes.io"];

function isReserved(key: string): boolean {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? "" : key.slice(0, slash);
  const within = (domain: string) => prefix === domain || prefix.endsWith(`.${domain}`);
  if (within("node-restriction.kubernetes.io")) return true;
  if (!within("kubernetes.io") && !within("k8s.io")) return false;
  return !kubeletLabels.has(key) && !kubeletDomains.some(within);
}
