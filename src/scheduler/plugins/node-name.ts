import { type Plugin, unresolvable } from "../framework.ts";

/** Rejects all nodes but the one that the Pod names. */
export const nodeName: Plugin = {
  name: "NodeName",
  preFilter({ spec }) {
    const wanted = spec.nodeName;
    if (wanted === undefined) return undefined;
    const unfit = unresolvable("node(s) didn't match the requested node name");
    return { type: "filtering", filter: ({ name }) => (name === wanted ? undefined : unfit) };
  },
  helps: (_, { type }) => type === "nodeAdded",
};
