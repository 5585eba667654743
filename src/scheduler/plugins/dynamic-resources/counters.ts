import type { Effort } from "./effort.ts";
import { nanosOf } from "./capacity.ts";
import type { Pool, PoolDevice } from "./pools.ts";

/** Amounts in billionths, by counter set and counter. */
type Counters = Map<string, Map<string, bigint>>;

/** The shared counters of pools, of which partitions of one device consume parts (KEP-4815). */
export class CounterLedger {
  readonly #isAllocated: (key: string) => boolean;
  /** The amounts that allocated devices leave, by pool; below zero if a driver has overcommitted. */
  readonly #available = new Map<Pool, Counters>();
  /** The amounts that chosen devices consume, by pool. */
  readonly #consumed = new Map<Pool, Counters>();

  constructor(isAllocated: (key: string) => boolean) {
    this.#isAllocated = isAllocated;
  }

  /** Takes what the device consumes; false when its pool has too little left, even of another counter. */
  take(device: PoolDevice, effort: Effort): boolean {
    const available = this.#availableOf(device.pool, effort);
    const consumed = this.#consumed.get(device.pool) ?? new Map<string, Map<string, bigint>>();
    this.#consumed.set(device.pool, consumed);
    add(consumed, device, 1n);
    for (const [set, counters] of available) {
      effort.spend(counters.size);
      for (const [name, left] of counters) {
        if (left >= (consumed.get(set)?.get(name) ?? 0n)) continue;
        add(consumed, device, -1n);
        return false;
      }
    }
    return true;
  }

  giveBack(device: PoolDevice): void {
    const consumed = this.#consumed.get(device.pool);
    if (consumed !== undefined) add(consumed, device, -1n);
  }

  #availableOf(pool: Pool, effort: Effort): Counters {
    const known = this.#available.get(pool);
    if (known !== undefined) return known;
    const left: Counters = new Map();
    for (const { name, counters = {} } of pool.counterSets.values()) {
      left.set(
        name,
        new Map(Object.entries(counters).map(([counter, { value }]) => [counter, nanosOf(value)])),
      );
    }
    for (const device of [...pool.devices, ...pool.elsewhere]) {
      effort.spend(1);
      if (this.#isAllocated(device.key)) add(left, device, -1n);
    }
    this.#available.set(pool, left);
    return left;
  }
}

function add(into: Counters, { device }: PoolDevice, sign: 1n | -1n): void {
  for (const { counterSet, counters = {} } of device.consumesCounters ?? []) {
    const amounts = into.get(counterSet) ?? new Map<string, bigint>();
    into.set(counterSet, amounts);
    for (const [name, { value }] of Object.entries(counters)) {
      amounts.set(name, (amounts.get(name) ?? 0n) + sign * nanosOf(value));
    }
  }
}
