import type { AllocationResult } from "../../../api/resource/resource-claim/schema.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { type Amounts, amountsOf } from "./capacity.ts";
import { deviceKey } from "../../../api/resource/device-key.ts";
import type { AllocatedDevices } from "./ledger.ts";

interface Shares {
  count: number;
  readonly amounts: Map<string, bigint>;
}

/** The devices of all allocated claims, kept up to date claim by claim. */
export class DevicesInUse implements AllocatedDevices {
  /** By the claim's UID. */
  readonly #counted = new Map<string, AllocationResult>();
  /** The number of claims that hold a device whole: 1, unless schedulers collide. */
  readonly #whole = new Map<string, number>();
  readonly #shares = new Map<string, Shares>();

  has(key: string): boolean {
    return this.#whole.has(key);
  }

  shares(key: string): Amounts | undefined {
    return this.#shares.get(key)?.amounts;
  }

  /**
   * Takes the present allocation of a claim, by the claim's UID; undefined without devices. Returns the allocations whose
   * devices are taken or free now: none, or the earlier or the present one, or both.
   */
  set(uid: string, allocation: AllocationResult | undefined): readonly AllocationResult[] {
    const before = this.#counted.get(uid);
    if (before === allocation) return [];
    if (allocation === undefined) this.#counted.delete(uid);
    else this.#counted.set(uid, allocation);
    if (before !== undefined && allocation !== undefined && hasSameDevices(before, allocation)) return [];
    if (before !== undefined) this.#count(before, -1);
    if (allocation !== undefined) this.#count(allocation, 1);
    return [before, allocation].filter((one) => one !== undefined);
  }

  /** Administrative access holds nothing. */
  #count({ devices }: AllocationResult, sign: 1 | -1): void {
    for (const result of devices.results ?? []) {
      if (result.adminAccess === true) continue;
      const key = deviceKey(result);
      if (result.shareID !== undefined) this.#countShare(key, amountsOf(result.consumedCapacity), sign);
      else {
        const count = (this.#whole.get(key) ?? 0) + sign;
        if (count === 0) this.#whole.delete(key);
        else this.#whole.set(key, count);
      }
    }
  }

  #countShare(key: string, amounts: Amounts, sign: 1 | -1): void {
    const shares = this.#shares.get(key) ?? { count: 0, amounts: new Map<string, bigint>() };
    this.#shares.set(key, shares);
    shares.count += sign;
    for (const [name, nanos] of amounts) {
      shares.amounts.set(name, (shares.amounts.get(name) ?? 0n) + BigInt(sign) * nanos);
    }
    if (shares.count === 0) this.#shares.delete(key);
  }
}

function hasSameDevices(a: AllocationResult, b: AllocationResult): boolean {
  return deepEqual(a.devices.results, b.devices.results);
}
