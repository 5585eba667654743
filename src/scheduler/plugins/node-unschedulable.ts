import { toleratesAny } from "../../api/core/tolerations.ts";
import { type Plugin, unresolvable } from "../framework.ts";

const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" } as const;
const unfit = unresolvable("node(s) were unschedulable");

/** Rejects cordoned nodes, unless the Pod tolerates their taint. */
export const nodeUnschedulable: Plugin = {
  name: "NodeUnschedulable",
  preFilter({ spec }) {
    if (toleratesAny(spec.tolerations, taint)) return undefined;
    return {
      type: "filtering",
      filter: ({ node }) => (node.spec.unschedulable === true ? unfit : undefined),
    };
  },
  helps(_, event) {
    if (event.type === "nodeAdded") return event.node.spec.unschedulable !== true;
    return (
      event.type === "nodeUpdated" &&
      event.old.spec.unschedulable === true &&
      event.node.spec.unschedulable !== true
    );
  },
};
