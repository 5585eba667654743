import type { Pod } from "../../api/core/pod/schema.ts";
import { defineIndex } from "../../client/indexer.ts";

/** Pods by the name of their node. One index serves all controllers of a manager. */
export const podsOn = defineIndex<Pod>("node", ({ spec }) =>
  spec.nodeName === undefined ? [] : [spec.nodeName],
);
