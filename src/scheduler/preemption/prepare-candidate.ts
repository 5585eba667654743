import type { Pod } from "../../api/core/pod/schema.ts";
import type { Candidate } from "../framework.ts";
import type { Snapshot } from "../snapshot.ts";
import { type EvictOptions, evictVictims } from "./evict-victims.ts";
import { priorityOf } from "./importance.ts";

export interface PrepareOptions extends EvictOptions {
  readonly snapshot: Snapshot;
  /** Writes that no room is made any more for a Pod. */
  readonly clearNomination: (pod: Pod) => void;
}

/**
 * Reserves the room of the victims for a Pod, and deletes the victims beside the next decisions (scheduler
 * `framework/preemption/executor.go`).
 */
export function prepareCandidate(pod: Pod, { node, victims }: Candidate, options: PrepareOptions): void {
  const { snapshot, clearNomination, env } = options;
  for (const one of snapshot.nominatedOn(node)) {
    if (priorityOf(one) >= priorityOf(pod)) continue;
    // It may not fit any more beside a more important Pod.
    snapshot.withdrawNomination(one.metadata.uid ?? "");
    clearNomination(one);
  }
  snapshot.nominate(pod, node);
  evictVictims(pod, node, victims, options).catch((error: unknown) => {
    snapshot.withdrawNomination(pod.metadata.uid ?? "");
    env.log.warn("a preemption failed", { pod: pod.metadata.name, node, error: String(error) });
  });
}
