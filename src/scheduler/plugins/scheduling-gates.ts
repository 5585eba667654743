import type { Plugin } from "../framework.ts";

/** Keeps a Pod out of the queue until it has no scheduling gate left (KEP-3521). */
export const schedulingGates: Plugin = {
  name: "SchedulingGates",
  preEnqueue({ spec }) {
    const gates = (spec.schedulingGates ?? []).map(({ name }) => name);
    return gates.length === 0 ? undefined : `waiting for scheduling gates: [${gates.join(" ")}]`;
  },
};
