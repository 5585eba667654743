import { readFile, statfs } from "node:fs/promises";
import { fieldsOf } from "../../util/is-object.ts";
import type { Observation, Observations } from "./pressure.ts";
import type { Signal } from "./thresholds.ts";

/**
 * Measures the machine. Images and containers share the file system of `directory`. A part that cannot be measured is left
 * out.
 */
export async function observe(directory: string): Promise<Observations> {
  const found = new Map<Signal, Observation>();
  const put = (signal: Signal, available: number, capacity: number) => {
    if (Number.isFinite(available) && capacity > 0) found.set(signal, { available, capacity });
  };
  const [meminfo, loadavg, pidMax, threadsMax, disk] = await Promise.all([
    read("/proc/meminfo"),
    read("/proc/loadavg"),
    read("/proc/sys/kernel/pid_max"),
    read("/proc/sys/kernel/threads-max"),
    statfs(directory).catch(() => undefined),
  ]);
  const memory = availableMemory(meminfo);
  if (memory !== undefined) put("memory.available", memory.available, memory.capacity);
  const threads = Number(/^\S+ \S+ \S+ \d+\/(\d+)/.exec(loadavg)?.[1] ?? Number.NaN);
  const most = Math.min(...[pidMax, threadsMax].filter((text) => text !== "").map(Number));
  put("pid.available", most - threads, Number.isFinite(most) ? most : 0);
  if (disk !== undefined) {
    const { bavail, blocks, bsize, ffree, files } = disk;
    for (const name of ["nodefs", "imagefs"] as const) {
      put(`${name}.available`, bavail * bsize, blocks * bsize);
      put(`${name}.inodesFree`, ffree, files);
    }
  }
  return found;
}

/** Returns the memory that is not in the working set: free, or cached and not active; in bytes. */
export function availableMemory(meminfo: string): Observation | undefined {
  const kibibytes = fieldsOf(
    Object.fromEntries([...meminfo.matchAll(/^([\w()]+):\s+(\d+) kB$/gm)].map(([, name, kb]) => [name, kb])),
  );
  const of = (name: string) => Number(kibibytes[name] ?? Number.NaN) * 1024;
  const available = of("MemFree") + of("Inactive(file)");
  return Number.isFinite(available) ? { available, capacity: of("MemTotal") } : undefined;
}

function read(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
