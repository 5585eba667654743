import { claimNames } from "../../api/core/pod/claims.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { defineIndex } from "../../client/indexer.ts";

/** Pods by the keys, `namespace/name`, of the claims that they use. */
export const podsOfClaim = defineIndex<Pod>("claim", claimKeys);

export function claimKeys(pod: Pod): readonly string[] {
  return claimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`);
}
