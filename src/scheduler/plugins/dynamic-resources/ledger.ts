import type { DeviceToleration } from "../../../api/resource/resource-claim/device-request.ts";
import { toleratesTaint } from "../../../api/resource/tolerations.ts";
import type { DeviceTaint } from "../../../api/resource/v1/device.ts";
import { type Amounts, amountsOf, consumedCapacity, hasCapacity } from "./capacity.ts";
import { CounterLedger } from "./counters.ts";
import type { Effort } from "./effort.ts";
import type { PoolDevice } from "./pools.ts";
import type { WantedClaim, WantedDevices } from "./requests.ts";

/** The devices that claims hold already. */
export interface AllocatedDevices {
  /** Reports whether a claim holds the whole device. */
  has(key: string): boolean;
  /** The sum of the shares that claims hold of a shared device; undefined when none does. */
  shares(key: string): Amounts | undefined;
}

/** The devices that a search has chosen so far, beside those that claims hold already. */
export class Ledger {
  readonly #allocated: AllocatedDevices;
  readonly #effort: Effort;
  readonly #counters: CounterLedger;
  /** The claims for which a device is chosen as a whole. */
  readonly #taken = new Map<string, WantedClaim[]>();
  /** The shares that are chosen of a shared device. */
  readonly #shares = new Map<string, Amounts[]>();

  constructor(allocated: AllocatedDevices, effort: Effort) {
    this.#allocated = allocated;
    this.#effort = effort;
    const isAllocated = (key: string) => allocated.has(key) || allocated.shares(key) !== undefined;
    this.#counters = new CounterLedger(isAllocated);
  }

  /** Reports whether the device is not free. Administrative access ignores other claims, and other Pods. */
  isTaken(claim: WantedClaim, { hasAdminAccess }: WantedDevices, { key }: PoolDevice): boolean {
    const claims = this.#taken.get(key) ?? [];
    if (hasAdminAccess) return claims.includes(claim);
    return this.#allocated.has(key) || claims.length > 0;
  }

  hasCapacity({ spec }: WantedDevices, { key, device }: PoolDevice): boolean {
    const requests = spec.capacity?.requests ?? {};
    if (device.capacity === undefined && Object.keys(requests).length === 0) return true;
    const chosen = this.#shares.get(key) ?? [];
    this.#effort.spend(1 + chosen.length);
    return hasCapacity(device, requests, this.#allocated.shares(key), ...chosen);
  }

  /** Chooses the device if that is possible; "refused" when a constraint of the claim does not allow it. */
  choose(claim: WantedClaim, wanted: WantedDevices, one: PoolDevice): "chosen" | "impossible" | "refused" {
    if (this.isTaken(claim, wanted, one)) return "impossible";
    const { key, device } = one;
    const isShared = device.allowMultipleAllocations === true;
    // The first share of a device consumes its counters for all shares.
    const isFirst = !this.#shares.has(key) && this.#allocated.shares(key) === undefined;
    const isCounted = (isFirst || !isShared) && (device.consumesCounters ?? []).length > 0;
    if (isCounted && !this.#counters.take(one, this.#effort)) return "impossible";
    const isPossible = isTolerated(device.taints, wanted.spec.tolerations) && this.hasCapacity(wanted, one);
    const isAllowed = isPossible && this.#constrain(claim, wanted, one);
    if (!isAllowed) {
      if (isCounted) this.#counters.giveBack(one);
      return isPossible ? "refused" : "impossible";
    }
    const consumed = isShared ? consumedCapacity(device, wanted.spec.capacity?.requests ?? {}) : undefined;
    if (consumed === undefined) this.#taken.set(key, [...(this.#taken.get(key) ?? []), claim]);
    else this.#shares.set(key, [...(this.#shares.get(key) ?? []), amountsOf(consumed)]);
    claim.chosen.push({ wanted, device: one, consumed, isCounted });
    return "chosen";
  }

  /** Reverses the claim's last choice. */
  unchoose(claim: WantedClaim): void {
    const last = claim.chosen.pop();
    if (last === undefined) return;
    const { wanted, device, consumed, isCounted } = last;
    removeLast<WantedClaim | Amounts>(consumed === undefined ? this.#taken : this.#shares, device.key);
    for (const constraint of claim.constraints) constraint.remove(wanted.names);
    if (isCounted) this.#counters.giveBack(device);
  }

  #constrain({ constraints }: WantedClaim, { names }: WantedDevices, one: PoolDevice): boolean {
    for (const [i, constraint] of constraints.entries()) {
      this.#effort.spend(1);
      if (constraint.add(names, one)) continue;
      for (const added of constraints.slice(0, i)) added.remove(names);
      return false;
    }
    return true;
  }
}

/** Choices are reversed in the opposite order, so the last one of a device is its latest. */
function removeLast<T>(lists: Map<string, T[]>, key: string): void {
  const list = lists.get(key)?.slice(0, -1) ?? [];
  if (list.length === 0) lists.delete(key);
  else lists.set(key, list);
}

/** Effects that are not known here do not matter (dynamic-resource-allocation `taintPreventsAllocation`). */
function isTolerated(
  taints: readonly DeviceTaint[] = [],
  tolerations: readonly DeviceToleration[] = [],
): boolean {
  return taints.every(
    (taint) =>
      (taint.effect !== "NoExecute" && taint.effect !== "NoSchedule") ||
      tolerations.some((one) => toleratesTaint(one, taint)),
  );
}
