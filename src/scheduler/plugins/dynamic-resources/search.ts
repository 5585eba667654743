import type { Node } from "../../../api/core/node/schema.ts";
import type { DeviceClass } from "../../../api/resource/device-class/schema.ts";
import type { ResourceClaim } from "../../../api/resource/resource-claim/schema.ts";
import type { Effort } from "./effort.ts";
import { type AllocatedDevices, Ledger } from "./ledger.ts";
import { isAccessible, type Pool, type PoolDevice } from "./pools.ts";
import {
  AllocationError,
  mostDevices,
  nameOf,
  type Slot,
  type WantedClaim,
  wantedClaim,
  type WantedDevices,
} from "./requests.ts";
import type { Selectors } from "./selectors.ts";

/** All that an allocation on one node depends on. */
export interface SearchInput {
  readonly claims: readonly ResourceClaim[];
  readonly node: Node;
  readonly pools: readonly Pool[];
  readonly allocated: AllocatedDevices;
  readonly deviceClass: (name: string) => DeviceClass | undefined;
  readonly selectors: Selectors;
  readonly effort: Effort;
}

/** `full`: the rest of the claim needs more devices than a claim can have, whatever was chosen before. */
type Found = "done" | "none" | "full";

/** A request of a claim, with the alternative that is tried. */
interface Place {
  readonly claimIndex: number;
  readonly claim: WantedClaim;
  readonly slotIndex: number;
  readonly wanted: WantedDevices;
}

/** The devices in use that one step passes over. */
const filteredPerStep = 8;

/** The levels of recursion, one for each device and request. The stack has room for several times as many. */
const mostLevels = 2000;

/**
 * Finds devices for claims on a node: the first solution, by backtracking (dynamic-resource-allocation
 * `structured/internal/incubating`). The devices of one request are tried in their order only, so that no combination is
 * tried twice.
 */
export class Search {
  readonly #input: SearchInput;
  readonly #ledger: Ledger;
  readonly #claims: readonly WantedClaim[];
  /** The devices that no claim has as a whole; all for administrative access, which ignores claims. */
  readonly #devices: readonly PoolDevice[];
  /** The calls of the recursive step. */
  invocations = 0;

  /** @throws AllocationError, AllocationTimeout */
  constructor(input: SearchInput) {
    this.#input = input;
    this.#ledger = new Ledger(input.allocated, input.effort);
    const allDevices = (wanted: WantedDevices, claim: ResourceClaim) => this.#all(wanted, claim);
    const { deviceClass } = input;
    this.#claims = input.claims.map((claim) => wantedClaim(claim, { deviceClass, allDevices }));
    const levels = this.#claims.reduce((sum, { slots }) => sum + 2 * slots.length + mostDevices, 0);
    if (levels > mostLevels)
      throw new AllocationError(`too many claims to allocate for one Pod: ${this.#claims.length}`);
    const isOpen = this.#claims.some(hasAdminAccess)
      ? () => true
      : ({ key }: PoolDevice) => !input.allocated.has(key);
    this.#devices = input.pools.flatMap(({ devices }) => devices.filter(isOpen));
    input.effort.spend(input.pools.reduce((sum, { devices }) => sum + devices.length, 0) / filteredPerStep);
  }

  /** The claims with their devices; undefined when there are not enough. @throws AllocationError, AllocationTimeout */
  run(): readonly WantedClaim[] | undefined {
    if (this.#trySlot(0, 0) === "done") return this.#claims;
    if (!this.#input.pools.some(({ state }) => state === "invalid")) return undefined;
    throw new AllocationError("invalid resource pools were encountered");
  }

  #step(): void {
    this.invocations += 1;
    this.#input.effort.spend(1);
  }

  #trySlot(claimIndex: number, slotIndex: number): Found {
    this.#step();
    const claim = this.#claims[claimIndex];
    if (claim === undefined) return "done";
    const slot = claim.slots[slotIndex];
    if (slot === undefined) {
      // Another choice for this claim may let the next one use an alternative with fewer devices.
      return this.#trySlot(claimIndex + 1, 0) === "done" ? "done" : "none";
    }
    return this.#tryAlternatives(slot, { claimIndex, claim, slotIndex });
  }

  #tryAlternatives(slot: Slot, place: Omit<Place, "wanted">): Found {
    const isPrioritized = slot.request.exactly === undefined;
    let isFull = true;
    for (const [i, wanted] of slot.alternatives.entries()) {
      slot.chosen = i;
      if (isPrioritized) this.#step();
      const found = this.#tryDevice({ ...place, wanted }, 0, 0);
      if (found === "done") return "done";
      isFull &&= found === "full";
    }
    return isFull ? "full" : "none";
  }

  /** Chooses device number `index` of a request, among those at `from` and after it. */
  #tryDevice(place: Place, index: number, from: number): Found {
    const { claim, wanted } = place;
    if (wanted.all?.length === 0) return "none";
    if (index >= wanted.count) return this.#trySlot(place.claimIndex, place.slotIndex + 1);
    if (claim.chosen.length + wanted.count - index > mostDevices) return "full";
    if (wanted.all !== undefined) return this.#tryNextOfAll(place, index, wanted.all[index]);
    for (let i = from; i < this.#devices.length; i += 1) {
      this.#input.effort.spend(1);
      const device = this.#devices[i];
      if (device === undefined || !this.#isCandidate(place, device)) continue;
      if (this.#ledger.choose(claim, wanted, device) !== "chosen") continue;
      this.#step();
      const found = this.#tryDevice(place, index + 1, i + 1);
      if (found === "done") return "done";
      this.#ledger.unchoose(claim);
      if (found === "full") return "full";
    }
    return "none";
  }

  /** Takes the next device of a request for all devices: without it, there is no solution. */
  #tryNextOfAll(place: Place, index: number, device: PoolDevice | undefined): Found {
    const { claim, wanted } = place;
    const chosen = device === undefined ? "impossible" : this.#ledger.choose(claim, wanted, device);
    if (chosen === "refused") {
      const what = `cannot add device ${device?.key} because a claim constraint would not be satisfied`;
      throw new AllocationError(`claim ${nameOf(claim.claim)}, request ${wanted.name}: ${what}`);
    }
    if (chosen === "impossible") return "none";
    this.#step();
    const found = this.#tryDevice(place, index + 1, 0);
    if (found !== "done") this.#ledger.unchoose(claim);
    return found;
  }

  #isCandidate({ claim, wanted }: Place, device: PoolDevice): boolean {
    return (
      !this.#ledger.isTaken(claim, wanted, device) &&
      this.#isMatch(wanted, device, claim.claim) &&
      this.#ledger.hasCapacity(wanted, device)
    );
  }

  #isMatch(wanted: WantedDevices, one: PoolDevice, claim: ResourceClaim): boolean {
    const known = wanted.matches.get(one);
    if (known !== undefined) return known;
    const { selectors, effort, node } = this.#input;
    const { metadata, spec } = wanted.deviceClass;
    const isMatch =
      selectors.match(spec.selectors, one, `class ${metadata.name}`, effort) &&
      selectors.match(wanted.spec.selectors, one, `claim ${nameOf(claim)}`, effort) &&
      (one.slice.spec.perDeviceNodeSelection !== true || isAccessible(one.device, node));
    wanted.matches.set(one, isMatch);
    return isMatch;
  }

  /** All devices that match, also those in use: the request gets all or none. */
  #all(wanted: WantedDevices, claim: ResourceClaim): readonly PoolDevice[] {
    return this.#input.pools.flatMap((pool) => {
      if (pool.state !== "usable") {
        const state = pool.state === "incomplete" ? "being updated" : "invalid";
        const why = `asks for all devices, but resource pool ${pool.key} is currently ${state}`;
        throw new AllocationError(`claim ${nameOf(claim)}, request ${wanted.name}: ${why}`);
      }
      this.#input.effort.spend(pool.devices.length);
      return pool.devices.filter(
        (one) => this.#isMatch(wanted, one, claim) && this.#ledger.hasCapacity(wanted, one),
      );
    });
  }
}

const hasAdminAccess = ({ slots }: WantedClaim) =>
  slots.some(({ alternatives }) => alternatives.some((wanted) => wanted.hasAdminAccess));
