import { monitorEventLoopDelay } from "node:perf_hooks";
import { silentLogger } from "../../src/util/logger.ts";
import { startLocalCluster } from "../../src/cluster/local-cluster.ts";
import { systemClock } from "../../src/util/clock.ts";
import { systemRandom } from "../../src/util/random.ts";

/** The attacked process's measurements since the last request for them. */
export interface Vitals {
  /** The longest time that the event loop stood still, in milliseconds. */
  readonly longestStallMs: number;
  /** Resident memory, in bytes. */
  readonly rss: number;
}

/** The attacked process: a whole cluster with a durable store, which reports on its event loop. */
const [directory = ""] = process.argv.slice(2);
const resolutionMs = 5;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
const local = await startLocalCluster({
  env: { clock: systemClock, random: systemRandom, log: silentLogger },
  directory,
  host: "127.0.0.1",
  port: 0,
  kubeconfig: undefined,
  nodes: 1,
  runtime: "simulated",
  store: "sqlite",
});
delay.enable();

process.on("message", ({ collects }: { readonly collects: boolean }) => {
  const longestStallMs = delay.max / 1e6;
  if (collects) globalThis.gc?.();
  // A forced collection does not count as a stall: the measure notes it when its next period has ended.
  systemClock.after(2 * resolutionMs, () => {
    delay.reset();
    const vitals: Vitals = { longestStallMs, rss: process.memoryUsage.rss() };
    process.send?.(vitals);
  });
});
process.once("disconnect", () => void local.stop({ cleanup: true }).then(() => process.exit(0)));
process.send?.({ kubeconfig: local.kubeconfig });
