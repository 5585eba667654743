import { readFileSync } from "node:fs";

/**
 * Java and Go programs have hundreds of threads; a Pod with more than this is out of control on any machine.
 */
const most = 16_384;

/**
 * Returns the limit of a Pod on a machine with the given `kernel.pid_max` and `kernel.threads-max`; -1 when
 * both are unknown.
 */
export function podPidsLimit(pidMax: number | undefined, threadsMax: number | undefined): number {
  const all = Math.min(pidMax ?? Infinity, threadsMax ?? Infinity);
  return Number.isFinite(all) ? Math.max(1, Math.min(most, Math.floor(all / 4))) : -1;
}

export function defaultPodPidsLimit(): number {
  return podPidsLimit(readSetting("pid_max"), readSetting("threads-max"));
}

function readSetting(name: string): number | undefined {
  try {
    const value = Number(readFileSync(`/proc/sys/kernel/${name}`, "utf8"));
    return Number.isInteger(value) && value > 0 ? value : undefined;
  } catch {
    return undefined; // Not on Linux.
  }
}
