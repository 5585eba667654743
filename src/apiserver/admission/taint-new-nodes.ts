import { type Node, nodes } from "../../api/core/node/schema.ts";
import type { Draft } from "../../meta/schema.ts";
import type { AdmissionPlugin } from "./plugin.ts";

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
