import type { Random } from "./random.ts";

/** Delays that grow with each failure. All times in milliseconds. */
export interface Backoff {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** The greatest share of the delay that is added at random, so that clients do not all retry at once. */
  readonly jitter: number;
}

/** Returns the delay after the `failures`th failure in a row; the first one counts as 1. */
export function backoffMs(
  { initialMs, factor, maxMs, jitter }: Backoff,
  failures: number,
  random: Random,
): number {
  const base = Math.min(maxMs, initialMs * factor ** Math.max(0, failures - 1));
  return base * (1 + jitter * random.next());
}
