import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Clock, every } from "../util/clock.ts";
import { type MemoryStep, RestMachine } from "./rest-machine.ts";
import { trimNativeHeap } from "./trim-native-heap.ts";

const lookEveryMs = 5000;
const mebibyte = 2 ** 20;
/** V8 starts a collection when so much is allocated outside its heap (`kExternalAllocationSoftLimit`). */
const externalLimit = 64 * mebibyte;
/** Compacting this much is a pause of some 50 ms. */
const compactedBytes = 48 * mebibyte;
/**
 * Memory that neither V8 nor a buffer accounts for. A cluster that has just started has about 80 MiB, mostly
 * programs.
 */
const nativeBytes = 128 * mebibyte;

/** Releases memory at rest after work, until the signal fires, because V8 does not collect an idle heap. */
export async function releaseMemoryAtRest(clock: Clock, signal: AbortSignal): Promise<void> {
  const machine = new RestMachine();
  const steps: Record<MemoryStep, () => void | Promise<void>> = {
    none: () => {},
    collect: startCollection,
    release: releasePages,
  };
  let before = { used: process.cpuUsage(), at: clock.monotonic() };
  await every(clock, lookEveryMs, signal, async () => {
    const { user, system } = process.cpuUsage(before.used);
    const at = clock.monotonic();
    // The event loop's own measure would also count the time in which another process ran.
    const share = (user + system) / 1000 / (at - before.at);
    await steps[machine.look({ at, share, heapUsed: process.memoryUsage().heapUsed })]();
    before = { used: process.cpuUsage(), at: clock.monotonic() };
  });
}

/**
 * Makes V8 start a collection in small steps, by a buffer that is freed at once and whose pages are never touched. A
 * requested collection (`gc()`) is one pause instead, of a second for 40,000 Pods.
 */
function startCollection(): void {
  new ArrayBuffer(externalLimit).transfer(0);
}

/**
 * Returns unused pages to the system: those of a small heap, and the C library's. V8 keeps the pages that a collection
 * in steps has emptied, in a pool that no figure counts.
 */
async function releasePages(): Promise<void> {
  if (process.memoryUsage().heapUsed < compactedBytes) compact();
  const { rss, heapTotal: kept, external } = process.memoryUsage();
  if (rss - kept - external > nativeBytes) await trimNativeHeap();
}

function compact(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
