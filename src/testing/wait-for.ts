import { type Clock, sleep } from "../util/clock.ts";
import { VirtualClock } from "../util/virtual-clock.ts";

/** The interval of checks on a clock that runs by itself. */
const lookEveryMs = 20;

/**
 * Waits until a condition holds. On a virtual clock, time passes timer by timer, and the condition is checked
 * after each; on another clock it is checked every 20 ms.
 * @throws Error when it does not hold within `limitMs` of the clock's time.
 */
export async function waitFor(
  clock: Clock,
  done: () => boolean | Promise<boolean>,
  limitMs = 300_000,
): Promise<void> {
  const limit = clock.monotonic() + limitMs;
  const pass = clock instanceof VirtualClock ? () => toNextTimer(clock) : () => sleep(clock, lookEveryMs);
  if (clock instanceof VirtualClock) await clock.settle();
  while (!(await done())) {
    if (clock.monotonic() >= limit)
      throw new Error(`Cannot reach the condition: it does not hold after ${limitMs} ms`);
    await pass();
  }
}

async function toNextTimer(clock: VirtualClock): Promise<void> {
  const next = clock.untilNext();
  if (next === undefined) throw new Error("Cannot reach the condition: no timer is pending");
  await clock.advance(next);
}
