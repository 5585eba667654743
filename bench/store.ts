import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MemoryStore } from "../src/store/memory/memory-store.ts";
import { SqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../src/store/store.ts";
import { systemClock } from "../src/util/clock.ts";

/** Measures puts per second, and the latency of one put: `node bench/store.ts [--folder=…] [--seconds=…]`. */
const { values: flags } = parseArgs({
  options: {
    folder: { type: "string", default: tmpdir() },
    seconds: { type: "string", default: "3" },
    open: { type: "string" },
  },
});
const valueBytes = 1536;
const seconds = Number(flags.seconds);
const keys = 20_000;

async function write(store: Store, until: number, latencies: number[], writer: number): Promise<void> {
  for (let i = 0; performance.now() < until; i++) {
    const key = `/registry/pods/namespace-${writer}/pod-${i % (keys / 100)}`;
    const value = Buffer.allocUnsafeSlow(valueBytes);
    const start = performance.now();
    await store.commit([{ type: "put", key, value }]);
    latencies.push(performance.now() - start);
  }
}

async function measure(name: string, store: Store, writers: number): Promise<void> {
  const latencies: number[] = [];
  const start = performance.now();
  const until = start + seconds * 1000;
  const used = process.cpuUsage();
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(store, until, latencies, writer)));
  const elapsed = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  latencies.sort((a, b) => a - b);
  const percentile = (share: number) => `${latencies[Math.floor(latencies.length * share)]?.toFixed(2)} ms`;
  console.log(
    [
      `${name}, ${writers} writers`.padEnd(24),
      `${Math.round((latencies.length / elapsed) * 1000)} puts/s`.padStart(14),
      `p50 ${percentile(0.5)}`,
      `p99 ${percentile(0.99)}`,
      `CPU ${((user + system) / latencies.length).toFixed(1)} µs a put`,
    ].join("  "),
  );
}

if (flags.open !== undefined) {
  const start = performance.now();
  const store = await SqliteStore.open(flags.open, { clock: systemClock });
  console.log(
    `sqlite, opened with ${store.revision} revisions in ${Math.round(performance.now() - start)} ms`,
  );
  await store.close();
  process.exit();
}

console.log(
  `Node ${process.version}, ${availableParallelism()} cores of ${cpus()[0]?.model}, ${valueBytes}-byte values`,
);
for (const writers of [1, 100]) {
  const folder = mkdtempSync(join(flags.folder, "knarr-bench-"));
  const options = { clock: systemClock };
  const sqlite = await SqliteStore.open(join(folder, "store.db"), options);
  await measure("sqlite", sqlite, writers);
  await sqlite.close();
  // A process of its own, as after a restart.
  spawnSync(process.execPath, [import.meta.filename, "--open", join(folder, "store.db")], {
    stdio: "inherit",
  });
  rmSync(folder, { recursive: true });
}
const memory = new MemoryStore({ clock: systemClock });
await measure("memory", memory, 1);
await memory.close();
