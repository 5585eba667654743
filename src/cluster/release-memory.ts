import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Clock, every } from "../util/clock.ts";
import { trimNativeHeap } from "./trim-native-heap.ts";

const lookEveryMs = 5000;
/** A share of one processor. The event loop's own measure counts the time in which another process had it, too. */
const busy = 0.1;
/**
 * Times at rest after which more can be given back: when the work has surely ended, and when its history has expired
 * everywhere.
 */
const laterMs = [60_000, 6.5 * 60_000];
/** Pages that V8's heap keeps for nothing: below this, giving them back is not worth a pause. */
const slackBytes = 32 * 2 ** 20;
/** Memory that neither V8 nor a buffer accounts for. A cluster that has just started has some 80 MiB: mostly programs. */
const nativeBytes = 128 * 2 ** 20;

/**
 * Gives memory back whenever the process comes to rest after work, until the signal fires: a heap that nobody fills
 * any more is not collected by itself. It does so again, and thoroughly, when it has rested for a while.
 */
export async function releaseMemoryAtRest(clock: Clock, signal: AbortSignal): Promise<void> {
  const collect = collector();
  let before = { used: process.cpuUsage(), at: clock.monotonic() };
  let hasWorked = true;
  let restsSince = 0;
  let due: number[] = [];
  await every(clock, lookEveryMs, signal, async () => {
    const { user, system } = process.cpuUsage(before.used);
    const isBusy = (user + system) / 1000 > busy * (clock.monotonic() - before.at);
    if (isBusy) {
      due = [];
    } else if (hasWorked) {
      restsSince = clock.monotonic();
      due = [...laterMs];
      collect("regular");
    } else if (clock.monotonic() - restsSince > (due[0] ?? Infinity)) {
      due.shift();
      collect("regular");
      const { heapTotal, heapUsed } = process.memoryUsage();
      if (heapTotal - heapUsed > slackBytes) collect("last-resort");
      const { rss, heapTotal: kept, external } = process.memoryUsage();
      if (rss - kept - external > nativeBytes) await trimNativeHeap();
    }
    hasWorked = isBusy;
    // What the collection took is no work.
    before = { used: process.cpuUsage(), at: clock.monotonic() };
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
