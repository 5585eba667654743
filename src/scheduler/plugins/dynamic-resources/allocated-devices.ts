import type { AllocationResult } from "../../../api/resource/resource-claim/schema.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { type Amounts, amountsOf } from "./capacity.ts";
import { deviceKey } from "../../../api/resource/device-key.ts";
import type { AllocatedDevices } from "./ledger.ts";

interface Shares {
  count: number;
  readonly amounts: Map<string, bigint>;
}

/** A claim that got or lost its devices. */
export interface Change {
  readonly type: "taken" | "freed";
  /** The claim's. */
  readonly uid: string;
  readonly allocation: AllocationResult;
}

/** The devices of all allocated claims, kept up to date claim by claim. */
export class DevicesInUse implements AllocatedDevices {
  /** By the claim's UID. */
  #counted: ReadonlyMap<string, AllocationResult> = new Map();
  /** The number of claims that hold a device whole: 1, unless schedulers collide. */
  readonly #whole = new Map<string, number>();
  readonly #shares = new Map<string, Shares>();

  has(key: string): boolean {
    return this.#whole.has(key);
  }

  shares(key: string): Amounts | undefined {
    return this.#shares.get(key)?.amounts;
  }

  /** Takes the present allocations, by the UIDs of their claims. Returns what has changed of the devices in use. */
  update(allocations: ReadonlyMap<string, AllocationResult>): readonly Change[] {
    const changes: Change[] = [];
    for (const [uid, allocation] of this.#counted) {
      const now = allocations.get(uid);
      if (now === allocation || (now !== undefined && hasSameDevices(now, allocation))) continue;
      changes.push({ type: "freed", uid, allocation });
    }
    for (const [uid, allocation] of allocations) {
      const before = this.#counted.get(uid);
      if (before === allocation || (before !== undefined && hasSameDevices(before, allocation))) continue;
      changes.push({ type: "taken", uid, allocation });
    }
    for (const { type, allocation } of changes) this.#count(allocation, type === "taken" ? 1 : -1);
    this.#counted = allocations;
    return changes;
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
