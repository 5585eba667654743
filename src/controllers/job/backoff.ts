import type { Pod } from "../../api/core/pod/schema.ts";
import { finishedAt } from "./pods.ts";

/** Upstream `DefaultJobPodFailureBackOff` and `MaxJobPodFailureBackOff`. */
const firstDelayMs = 10_000;
const maxDelayMs = 600_000;

/** The failures of a Job's Pods since its last success. */
export interface Backoff {
  readonly failures: number;
  /** Milliseconds since the epoch. */
  readonly lastFailure?: number;
}

export const noFailures: Backoff = { failures: 0 };

/** Returns the record after further Pods have finished. */
export function nextBackoff(old: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  if (succeeded.length === 0 && failed.length === 0) return old;
  const times = failed.map(finishedAt);
  if (succeeded.length === 0)
    return { failures: old.failures + times.length, lastFailure: Math.max(...times) };
  const lastSuccess = Math.max(...succeeded.map(finishedAt));
  const later = times.filter((time) => time > lastSuccess);
  return later.length === 0 ? noFailures : { failures: later.length, lastFailure: Math.max(...later) };
}

/** Milliseconds until Pods may be created again: 10 s after the first failure, doubled with each, up to 10 min. */
export function remainingMs({ failures, lastFailure = 0 }: Backoff, now: number): number {
  if (failures === 0) return 0;
  const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
  return Math.max(0, lastFailure + delay - now);
}
