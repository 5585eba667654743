import { leases } from "../../api/coordination/v1.ts";
import { type Node, nodes } from "../../api/core/v1/node.ts";
import { type Pod, pods } from "../../api/core/v1/pod.ts";
import type { Draft } from "../../meta/schema.ts";
import { errors } from "../../meta/status.ts";
import type { AdmissionPlugin, Attributes } from "./plugin.ts";

const prefix = "system:node:";

/** A node agent may touch its own Node, its Lease and the Pods that run on it, nothing else (plugin `noderestriction`). */
export const nodeRestriction: AdmissionPlugin = {
  name: "NodeRestriction",
  validate(attributes) {
    const { user, resource } = attributes;
    if (!user.name.startsWith(prefix) || !user.groups.includes("system:nodes")) return;
    const nodeName = user.name.slice(prefix.length);
    const why = refuse(attributes, nodeName);
    if (why !== undefined) throw errors.forbidden(resource.name, attributes.name, why);
  },
};

function refuse(
  { resource, name, operation, object, old }: Attributes,
  nodeName: string,
): string | undefined {
  if (resource.kind === nodes) {
    return name === nodeName
      ? undefined
      : `node ${JSON.stringify(nodeName)} is not allowed to modify node ${JSON.stringify(name)}`;
  }
  if (resource.kind === leases) {
    return name === nodeName
      ? undefined
      : "can only access node lease with the same name as the requesting node";
  }
  if (resource.kind !== pods) return undefined;
  const bound = ((old ?? object) as unknown as Pod).spec.nodeName ?? "";
  if (bound === nodeName) return undefined;
  const verb = operation === "DELETE" ? "delete" : operation === "CREATE" ? "create" : "update status for";
  return `node ${JSON.stringify(nodeName)} can only ${verb} pods with spec.nodeName set to itself`;
}

/** A new Node is not ready until its agent has said so and the node lifecycle controller has seen it (KEP-382). */
export const taintNewNodes: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  mutate({ operation, resource, subresource, object }) {
    if (operation !== "CREATE" || resource.kind !== nodes || subresource !== "") return;
    const { spec } = object as unknown as Draft<Node>;
    const key = "node.kubernetes.io/not-ready";
    if (spec.taints?.some((one) => one.key === key && one.effect === "NoSchedule") === true) return;
    (spec.taints ??= []).push({ key, effect: "NoSchedule" });
  },
};
