import {
  amountOf,
  conditionOf,
  type EvictionSettings,
  type PressureCondition,
  type Signal,
  type Threshold,
} from "./thresholds.ts";

/** The measurement of a signal. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = ReadonlyMap<Signal, Observation>;

/** The memory between two measurements. Times are in milliseconds. */
export interface Pressure {
  /** The time since which thresholds are met. */
  readonly since: ReadonlyMap<Threshold, number>;
  /** The time at which a condition was observed last. */
  readonly seen: ReadonlyMap<PressureCondition, number>;
  /** The thresholds that were met for their grace period; they stay until the minimum is reclaimed. */
  readonly met: readonly Threshold[];
  /** The node's conditions, in alphabetical order. */
  readonly conditions: readonly PressureCondition[];
}

export const noPressure: Pressure = { since: new Map(), seen: new Map(), met: [], conditions: [] };

/** Returns the next state (kubelet `eviction_manager.go`, `synchronize`). */
export function stepPressure(
  before: Pressure,
  { thresholds, transitionMs }: Pick<EvictionSettings, "thresholds" | "transitionMs">,
  observations: Observations,
  now: number,
): Pressure {
  const present = new Set([
    ...metThresholds(thresholds, observations, false),
    ...metThresholds(before.met, observations, true),
  ]);
  const since = new Map([...present].map((one) => [one, before.since.get(one) ?? now]));
  const seen = new Map(before.seen);
  for (const { signal } of present) seen.set(conditionOf(signal), now);
  for (const [condition, at] of seen) if (now - at >= transitionMs && at !== now) seen.delete(condition);
  return {
    since,
    seen,
    met: [...present].filter((one) => now - (since.get(one) ?? now) >= one.graceMs),
    conditions: [...seen.keys()].sort(),
  };
}

/** Returns the thresholds that are met. With `reclaiming`, the minimum reclaim raises them. */
export function metThresholds(
  thresholds: readonly Threshold[],
  observations: Observations,
  reclaiming: boolean,
): readonly Threshold[] {
  return thresholds.filter(({ signal, value, minReclaim }) => {
    const observed = observations.get(signal);
    if (observed === undefined) return false;
    const { available, capacity } = observed;
    const more = reclaiming && minReclaim !== undefined ? amountOf(minReclaim, capacity) : 0;
    return amountOf(value, capacity) + more > available;
  });
}

/** Returns the threshold to act on: memory comes first. */
export function mostUrgent(met: readonly Threshold[]): Threshold | undefined {
  return met.find(({ signal }) => signal === "memory.available") ?? met[0];
}
