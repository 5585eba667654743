import type { UsageStats } from "../../meta/node-endpoint.ts";
import type { Usage, UsageRate } from "../runtime.ts";

/** The interval of measurements, as that of metrics-server. */
export const periodMs = 15_000;
/** The shortest time since a container's start that gives a rate; a shorter one would be inaccurate. */
const freshMs = 10_000;

/** The usage at one time. */
export interface Sample extends Usage {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The rate between two samples of the same thing; undefined unless the second is later. */
export function rateOf(before: Sample, after: Sample): UsageStats | undefined {
  const windowMs = after.at - before.at;
  if (windowMs <= 0) return undefined;
  const cpuNanoCores = Math.max(0, Math.round(((after.cpuNanos - before.cpuNanos) * 1000) / windowMs));
  return { at: after.at, windowMs, cpuNanoCores, memoryBytes: Math.round(after.memoryBytes) };
}

/** The rate of what is known without samples; undefined for a container that has just started. */
export function rateAt(at: number, startedAt: number, rate: UsageRate): UsageStats | undefined {
  const age = at - startedAt;
  return age < freshMs ? undefined : { at, windowMs: Math.min(age, periodMs), ...rate };
}

/**
 * The sample before a container's first one: its start, when it started within the last period, but not just now
 * (metrics-server `storage/pod.go`).
 */
export function sampleAtStart(startedAt: number | undefined, after: Sample): Sample | undefined {
  if (startedAt === undefined) return undefined;
  const age = after.at - startedAt;
  return age >= freshMs && age <= periodMs ? { at: startedAt, cpuNanos: 0, memoryBytes: 0 } : undefined;
}
