import { formatQuantity, parseQuantity, quantityValue } from "../../meta/quantity.ts";

/** The resource and the node condition of each eviction signal (kubelet `eviction/helpers.go`). */
const signals = {
  "memory.available": { resource: "memory", condition: "MemoryPressure" },
  "nodefs.available": { resource: "ephemeral-storage", condition: "DiskPressure" },
  "nodefs.inodesFree": { resource: "inodes", condition: "DiskPressure" },
  "imagefs.available": { resource: "ephemeral-storage", condition: "DiskPressure" },
  "imagefs.inodesFree": { resource: "inodes", condition: "DiskPressure" },
  "pid.available": { resource: "pids", condition: "PIDPressure" },
} as const;

export type Signal = keyof typeof signals;
export type StarvedResource = (typeof signals)[Signal]["resource"];
export type PressureCondition = (typeof signals)[Signal]["condition"];

export const resourceOf = (signal: Signal): StarvedResource => signals[signal].resource;
export const conditionOf = (signal: Signal): PressureCondition => signals[signal].condition;

/** An amount, or a fraction of the capacity. */
export type ThresholdValue = { readonly amount: number } | { readonly fraction: number };

export interface Threshold {
  readonly signal: Signal;
  readonly value: ThresholdValue;
  /** Milliseconds for which it must be met; 0 for a hard threshold. */
  readonly graceMs: number;
  /** The amount above `value` at which reclaiming ends. */
  readonly minReclaim?: ThresholdValue | undefined;
}

export interface EvictionSettings {
  readonly thresholds: readonly Threshold[];
  /** Milliseconds for which a condition stays after its threshold was met last. */
  readonly transitionMs: number;
  /** The longest grace period of Pods that a soft threshold ends, in milliseconds. */
  readonly maxGraceMs: number;
  /** The used part of the disk, in percent, at which unused images are removed, and at which that ends. */
  readonly imageHighPercent: number;
  readonly imageLowPercent: number;
  /** The age in milliseconds below which an unused image is kept. */
  readonly imageMinAgeMs: number;
  /** The age at which an unused image is removed in any case; 0 for never. */
  readonly imageMaxAgeMs: number;
}

type Statements = Readonly<Record<string, string>>;

/** Upstream's `DefaultEvictionHard`. */
export const defaultEvictionHard: Statements = {
  "memory.available": "100Mi",
  "nodefs.available": "10%",
  "nodefs.inodesFree": "5%",
  "imagefs.available": "15%",
  "imagefs.inodesFree": "5%",
};

export interface ThresholdStatements {
  readonly hard: Statements;
  readonly soft: Statements;
  /** Milliseconds by signal. */
  readonly softGraceMs: Readonly<Record<string, number>>;
  readonly minimumReclaim: Statements;
}

/** Parses the thresholds of a KubeletConfiguration. @throws Error with upstream's message */
export function parseThresholds(statements: ThresholdStatements): readonly Threshold[] {
  const grace = new Map(Object.entries(statements.softGraceMs).map(([name, ms]) => [signalOf(name), ms]));
  const reclaim = new Map<Signal, ThresholdValue>();
  for (const [name, text] of Object.entries(statements.minimumReclaim)) {
    const value = valueOf(name, text);
    if (value !== undefined) reclaim.set(signalOf(name), value);
  }
  const parse = (list: Statements, graceOf: (signal: Signal) => number): readonly Threshold[] =>
    Object.entries(list).flatMap(([name, text]) => {
      const signal = signalOf(name);
      const value = valueOf(name, text);
      if (value === undefined) return [];
      const minReclaim = reclaim.get(signal);
      return [{ signal, value, graceMs: graceOf(signal), ...(minReclaim !== undefined && { minReclaim }) }];
    });
  const soft = parse(statements.soft, (signal) => {
    const ms = grace.get(signal);
    if (ms === undefined)
      throw new Error(`grace period must be specified for the soft eviction threshold ${signal}`);
    return ms;
  });
  return [...parse(statements.hard, () => 0), ...soft];
}

function signalOf(name: string): Signal {
  if (Object.hasOwn(signals, name)) return name as Signal; // Safe: it is a key.
  throw new Error(`unsupported eviction signal ${name}`);
}

/** Returns undefined for a threshold that is switched off. */
function valueOf(name: string, text: string): ThresholdValue | undefined {
  if (text.endsWith("%")) {
    if (text === "0%" || text === "100%") return undefined;
    const percent = Number(text.slice(0, -1));
    if (!Number.isFinite(percent)) throw new Error(`invalid eviction threshold ${name}: ${text}`);
    if (percent < 0) throw new Error(`eviction percentage threshold ${name} must be >= 0%: ${text}`);
    if (percent > 100) throw new Error(`eviction percentage threshold ${name} must be <= 100%: ${text}`);
    return { fraction: percent / 100 };
  }
  const amount = quantityValue(parseQuantity(text));
  if (amount <= 0) throw new Error(`eviction threshold ${name} must be positive: ${text}`);
  return { amount };
}

/** Returns the amount of a threshold of a capacity. */
export function amountOf(value: ThresholdValue, capacity: number): number {
  return "amount" in value ? value.amount : Math.trunc(capacity * value.fraction);
}

/** Returns an amount as upstream writes it: in powers of 1024 for bytes. */
export function formatAmount(resource: StarvedResource, amount: number): string {
  const isBytes = resource === "memory" || resource === "ephemeral-storage";
  return formatQuantity({
    nanos: BigInt(Math.trunc(amount)) * 1_000_000_000n,
    format: isBytes ? "binary" : "decimal",
  });
}
