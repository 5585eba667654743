import { performance as loop } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Clock, every } from "../util/clock.ts";

const lookEveryMs = 5000;
/** A share of the time in which the event loop had something to do. */
const busy = 0.1;

/**
 * Gives memory back whenever the process comes to rest after work, until the signal fires. A heap that nobody fills
 * any more is not collected by itself: what starting, or a burst of requests, has left would stay for hours.
 */
export async function releaseMemoryAtRest(clock: Clock, signal: AbortSignal): Promise<void> {
  const collect = collector();
  let before = loop.eventLoopUtilization();
  let hasWorked = true;
  await every(clock, lookEveryMs, signal, () => {
    const now = loop.eventLoopUtilization();
    const isBusy = loop.eventLoopUtilization(now, before).utilization > busy;
    before = now;
    if (hasWorked && !isBusy) collect();
    hasWorked = isBusy;
  });
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  return typeof collect === "function" ? () => void collect() : () => {};
}
