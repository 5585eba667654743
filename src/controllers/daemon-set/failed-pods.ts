import type { DaemonSet } from "../../api/apps/daemon-set/schema.ts";

/** The first delay and the greatest one, in milliseconds. */
const firstMs = 1_000;
const mostMs = 15 * 60_000;

/**
 * The delays after which failed Pods of a node are deleted: they double with each one, because a kubelet may refuse the
 * Pod every time (upstream `failedPodsBackoff`).
 */
export class FailedPods {
  /** The last deletions by DaemonSet and node, the oldest first. */
  readonly #deletions = new Map<string, { readonly at: number; readonly delayMs: number }>();

  /** Returns the milliseconds until a failed Pod may be deleted; 0 for now. */
  untilDeletionMs(set: DaemonSet, node: string, now: number): number {
    const last = this.#deletions.get(keyOf(set, node));
    return last === undefined ? 0 : Math.max(0, last.at + last.delayMs - now);
  }

  /** Notes the deletion of a failed Pod. */
  deleted(set: DaemonSet, node: string, now: number): void {
    for (const [key, { at }] of this.#deletions) {
      if (now - at <= 2 * mostMs) break;
      this.#deletions.delete(key);
    }
    const key = keyOf(set, node);
    const last = this.#deletions.get(key);
    this.#deletions.delete(key);
    this.#deletions.set(key, { at: now, delayMs: Math.min(mostMs, (last?.delayMs ?? firstMs / 2) * 2) });
  }
}

/** A change of the DaemonSet starts anew. */
function keyOf({ metadata, status }: DaemonSet, node: string): string {
  return `${metadata.uid}/${status.observedGeneration ?? 0}/${node}`;
}
