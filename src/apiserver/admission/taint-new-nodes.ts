import { nodes } from "../../api/core/node/schema.ts";
import { about, type AdmissionPlugin } from "./plugin.ts";

/**
 * Taints a new Node as not ready until its agent has reported and the node lifecycle controller has seen it
 * (KEP-382).
 */
export const taintNewNodes: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  mutate(attributes) {
    const { operation, object } = about(nodes, attributes) ?? {};
    if (operation !== "CREATE" || object === undefined) return;
    const { spec } = object;
    const key = "node.kubernetes.io/not-ready";
    if (spec.taints?.some((one) => one.key === key && one.effect === "NoSchedule") === true) return;
    (spec.taints ??= []).push({ key, effect: "NoSchedule" });
  },
};
