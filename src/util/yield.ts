import { systemClock } from "./clock.ts";
import type { Steps } from "./steps.ts";

/** Milliseconds. Once the work of one turn has taken so long, sockets come before the next waiting caller. */
const turnMs = 10;

/** The callers that wait for their turn, first come, first served. */
const waiting: (() => void)[] = [];
/** The time at which the present turn began; undefined before its first caller. */
let turnBegan: number | undefined;

/**
 * Gives sockets and timers a turn. Busy loops call it regularly, because promises alone never give a turn.
 *
 * Node runs all immediates that are due before it looks at a socket: without a limit, ten callers that work 20 ms each
 * would make a stall of 200 ms.
 */
export function yieldToSockets(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(serveNext);
  });
}

/** Lets the first caller go on, or leaves it for the next turn. */
function serveNext(): void {
  const now = systemClock.monotonic();
  if (turnBegan === undefined) {
    turnBegan = now;
    // What is scheduled in this turn comes after this, and so belongs to the next one.
    setImmediate(() => {
      turnBegan = undefined;
    });
  }
  if (now - turnBegan < turnMs) waiting.shift()?.();
  else setImmediate(serveNext);
}

/**
 * Returns the number of callers that wait for their turn. A virtual clock does not advance while there are
 * any.
 */
export function waitingForTurn(): number {
  return waiting.length;
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
