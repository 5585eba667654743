import type { Steps } from "./steps.ts";

let waiting = 0;

/**
 * Gives sockets and timers a turn. Busy loops call it regularly, because promises alone never give a turn.
 */
export function yieldToSockets(): Promise<void> {
  waiting += 1;
  return new Promise((resolve) => {
    setImmediate(() => {
      waiting -= 1;
      resolve();
    });
  });
}

/**
 * Returns the number of callers that wait for their turn. A virtual clock does not advance while there are
 * any.
 */
export function waitingForTurn(): number {
  return waiting;
}

/** Processes all items in slices of the size, with a turn for sockets and timers between two slices. */
export async function inSlices<T, R>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await yieldToSockets();
    results.push(...(await Promise.all(items.slice(start, start + size).map(work))));
  }
  return results;
}

/** Takes all steps, with a turn for sockets and timers after each. */
export async function yielding<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await yieldToSockets();
  }
}
