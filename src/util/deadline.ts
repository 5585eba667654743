import { type Clock, sleep } from "./clock.ts";

/**
 * Runs an attempt for at most `ms`; resolves to undefined when it takes longer, or the signal fires before.
 * The attempt's signal fires then, but an attempt that ignores it is not awaited.
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const over = new AbortController();
  const either = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const late = sleep(clock, ms, either).then(() => undefined);
  try {
    return await Promise.race([attempt(either), late]);
  } finally {
    over.abort();
  }
}
