import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Clock, every } from "../util/clock.ts";
import { trimNativeHeap } from "./trim-native-heap.ts";

const lookEveryMs = 5000;
/**
 * Shares of one processor: above the first the process works, below the second it rests. Between them nothing changes,
 * because a thousand nodes at rest take a tenth, and a collection of their memory a third of a second. The event loop's own
 * measure also counts the time in which another process ran.
 */
const atWork = 0.3;
const atRest = 0.15;
/**
 * The idle times after which more can be released: when the work has surely ended, and when its history has
 * expired everywhere.
 */
const laterMs = [60_000, 6.5 * 60_000];
/** Unused pages of V8's heap: below this, releasing them is not worth a pause. */
const slackBytes = 32 * 2 ** 20;
/**
 * Memory that neither V8 nor a buffer accounts for. A cluster that has just started has about 80 MiB, mostly
 * programs.
 */
const nativeBytes = 128 * 2 ** 20;

/**
 * Releases memory whenever the process becomes idle after work, until the signal fires, because V8 does not
 * collect an idle heap. It releases memory again, and thoroughly, after longer idle times.
 */
export async function releaseMemoryAtRest(clock: Clock, signal: AbortSignal): Promise<void> {
  const collect = collector();
  let before = { used: process.cpuUsage(), at: clock.monotonic() };
  let hasWorked = true;
  let restsSince = 0;
  let due: number[] = [];
  await every(clock, lookEveryMs, signal, async () => {
    const { user, system } = process.cpuUsage(before.used);
    const share = (user + system) / 1000 / (clock.monotonic() - before.at);
    if (share > atWork) {
      hasWorked = true;
      due = [];
    } else if (share < atRest && hasWorked) {
      hasWorked = false;
      restsSince = clock.monotonic();
      due = [...laterMs];
      collect("regular");
    } else if (share < atRest && clock.monotonic() - restsSince > (due[0] ?? Infinity)) {
      due.shift();
      collect("regular");
      const { heapTotal, heapUsed } = process.memoryUsage();
      if (heapTotal - heapUsed > slackBytes) collect("last-resort");
      const { rss, heapTotal: kept, external } = process.memoryUsage();
      if (rss - kept - external > nativeBytes) await trimNativeHeap();
    }
    // The collection itself does not count as work.
    before = { used: process.cpuUsage(), at: clock.monotonic() };
  });
}

/** A regular collection leaves half-empty pages; one of last resort compacts them. */
type Flavor = "regular" | "last-resort";

function collector(): (flavor: Flavor) => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") return () => {};
  return (flavor) => void collect({ type: "major", execution: "sync", flavor });
}
