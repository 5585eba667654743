import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../clock.ts";
import type { Metrics } from "./metrics.ts";

/** Adds the metrics of this process, as Prometheus' client libraries measure them. */
export function measureProcess(metrics: Metrics, clock: Clock): void {
  const gauge = (name: string, help: string) => metrics.gauge({ name: `process_${name}`, help });
  const cpu = metrics.counter({
    name: "process_cpu_seconds_total",
    help: "Total user and system CPU time spent in seconds.",
  });
  const resident = gauge("resident_memory_bytes", "Resident memory size in bytes.");
  const files = gauge("open_fds", "Number of open file descriptors.");
  const most = gauge("max_fds", "Maximum number of open file descriptors.");
  const started = gauge("start_time_seconds", "Start time of the process since unix epoch in seconds.");
  started.set({}, clock.now() / 1000 - process.uptime());
  let counted = 0;
  metrics.beforeScrape(() => {
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / 1e6;
    cpu.add({}, seconds - counted);
    counted = seconds;
    resident.set({}, process.memoryUsage.rss());
    const limit = maxFiles();
    if (limit === undefined) return;
    most.set({}, limit);
    files.set({}, readdirSync("/proc/self/fd").length);
  });
}

/** The limit of open files; undefined without procfs. */
function maxFiles(): number | undefined {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return found?.[1] === undefined ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
