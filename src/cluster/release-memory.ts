import { performance as loop } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Clock, every } from "../util/clock.ts";

const lookEveryMs = 5000;
/** A share of the time in which the event loop had something to do. */
const busy = 0.1;
/** After so long at rest, the history of the last work has expired everywhere. */
const historyExpiredMs = 6 * 60_000;
/** Pages that the heap keeps for nothing: below this, giving them back is not worth a pause. */
const slackBytes = 64 * 2 ** 20;

/**
 * Gives memory back whenever the process comes to rest after work, until the signal fires: a heap that nobody fills
 * any more is not collected by itself. It does so again, and thoroughly, when the history of that work has expired.
 */
export async function releaseMemoryAtRest(clock: Clock, signal: AbortSignal): Promise<void> {
  const collect = collector();
  let before = loop.eventLoopUtilization();
  let hasWorked = true;
  let restsSince: number | undefined;
  await every(clock, lookEveryMs, signal, () => {
    const now = loop.eventLoopUtilization();
    const isBusy = loop.eventLoopUtilization(now, before).utilization > busy;
    before = now;
    if (isBusy) {
      restsSince = undefined;
    } else if (hasWorked) {
      restsSince = clock.monotonic();
      collect("regular");
    } else if (restsSince !== undefined && clock.monotonic() - restsSince > historyExpiredMs) {
      restsSince = undefined;
      collect("regular");
      const { heapTotal, heapUsed } = process.memoryUsage();
      if (heapTotal - heapUsed > slackBytes) collect("last-resort");
    }
    hasWorked = isBusy;
  });
}

/** A regular collection leaves half-empty pages where they are; one of last resort moves what is on them together. */
type Flavor = "regular" | "last-resort";

function collector(): (flavor: Flavor) => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") return () => {};
  return (flavor) => void collect({ type: "major", execution: "sync", flavor });
}
