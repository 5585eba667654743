import { cpus, freemem, totalmem } from "node:os";
import type { Usage } from "./runtime.ts";

/** Returns the usage of the whole machine, with everything that runs on it. */
export function machineUsage(): Usage {
  const busyMs = cpus().reduce(
    (sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq,
    0,
  );
  return { cpuNanos: busyMs * 1e6, memoryBytes: totalmem() - freemem() };
}
