import { type DeviceClass, deviceClasses } from "../../../api/resource/device-class/schema.ts";
import {
  type AllocationResult,
  type ResourceClaim,
  resourceClaims,
} from "../../../api/resource/resource-claim/schema.ts";
import { type ResourceSlice, resourceSlices } from "../../../api/resource/resource-slice/schema.ts";
import type { Pod } from "../../../api/core/pod/schema.ts";
import { byOwner, defineIndex } from "../../../client/indexer.ts";
import { Latest } from "../../../client/latest.ts";
import type { Handle } from "../../framework.ts";
import { podRequest } from "../../resources.ts";
import { type Change, DevicesInUse } from "./allocated-devices.ts";
import { poolKey } from "../../../api/resource/device-key.ts";
import { Effort } from "./effort.ts";
import { type ClassesByResource, classesByResource, isExtendedClaim } from "./extended-resources.ts";
import type { AllocatedDevices } from "./ledger.ts";
import { SliceIndex } from "./pools.ts";
import { Selectors } from "./selectors.ts";

const allocated = defineIndex<ResourceClaim>("allocated", ({ status }) =>
  status.allocation === undefined ? [] : ["true"],
);

const none: ClassesByResource = new Map();

/**
 * The steps of one attempt for all nodes together, about a tenth of a second. The nodes after the last step are rejected;
 * the results of selectors are kept, so that the next attempt gets further.
 */
const allSteps = 100_000;

/** One for each scheduler: profiles share its devices. */
const states = new WeakMap<Handle, DeviceState>();

/**
 * The claims and devices as the cache shows them, with the allocations that this scheduler has made and the cache does
 * not show yet. No device is given to two claims, because an allocation counts from Reserve on.
 */
export class DeviceState {
  readonly selectors: Selectors;
  readonly #handle: Handle;
  /** The allocations that are decided and not written, by the UIDs of their claims. */
  readonly #inFlight = new Map<string, AllocationResult>();
  /** The claims as they were last written. */
  readonly #written = new Latest<ResourceClaim>();
  readonly #inUse = new DevicesInUse();
  #slices = new SliceIndex([]);
  #sliceList: readonly ResourceSlice[] = [];
  #classList: readonly DeviceClass[] = [];
  #classesByResource: ClassesByResource = new Map();
  #version = 0;
  readonly #nodeVersions = new Map<string, number>();
  #effort = new Effort(allSteps);

  private constructor(handle: Handle) {
    this.#handle = handle;
    this.selectors = new Selectors(handle.compileSelector);
  }

  static of(handle: Handle): DeviceState {
    const known = states.get(handle);
    if (known !== undefined) return known;
    const made = new DeviceState(handle);
    states.set(handle, made);
    return made;
  }

  get devicesInUse(): AllocatedDevices {
    return this.#inUse;
  }

  get slices(): SliceIndex {
    return this.#slices;
  }

  deviceClass(name: string): DeviceClass | undefined {
    return this.#handle.cache.get(deviceClasses, undefined, name);
  }

  claim(namespace: string | undefined, name: string): ResourceClaim | undefined {
    const cached = this.#handle.cache.get(resourceClaims, namespace, name);
    return cached === undefined ? undefined : this.#written.of(cached);
  }

  /** The steps that are left of this attempt. */
  get effort(): Effort {
    return this.#effort;
  }

  /** A number that changes when this scheduler takes devices that only this node has. */
  nodeVersion(node: string): number {
    return this.#nodeVersions.get(node) ?? 0;
  }

  /**
   * Takes what the caches show, at the begin of an attempt. Returns a number that changes with the slices, the classes and
   * the devices in use. It stays when this scheduler takes devices of a single node for a Pod: with the Pod the node itself
   * changes, and no other answer.
   */
  refresh(): number {
    const { cache } = this.#handle;
    this.#effort = new Effort(allSteps);
    const slices = cache.list(resourceSlices);
    if (!isSame(slices, this.#sliceList)) {
      this.#sliceList = slices;
      this.#slices = new SliceIndex(slices);
      this.#nodeVersions.clear();
      this.#version += 1;
    }
    this.#refreshClasses();
    for (const change of this.#inUse.update(this.#allocations())) this.#note(change);
    return this.#version;
  }

  #note({ type, uid, allocation }: Change): void {
    const pools = new Set(allocation.devices.results?.map(poolKey));
    const isOwn = type === "taken" && this.#inFlight.has(uid);
    const node = isOwn ? this.#slices.onlyNodeOf([...pools]) : undefined;
    if (node === undefined) this.#version += 1;
    else this.#nodeVersions.set(node, this.nodeVersion(node) + 1);
  }

  #refreshClasses(): void {
    const classes = this.#handle.cache.list(deviceClasses);
    if (isSame(classes, this.#classList)) return;
    this.#classList = classes;
    this.#classesByResource = classesByResource(classes);
    this.#version += 1;
  }

  /** The extended resources of a Pod for which classes provide devices. */
  classesFor(pod: Pod): ClassesByResource {
    this.#refreshClasses();
    // Before the Pod's requests are added up: few clusters have classes.
    if (this.#classesByResource.size === 0) return none;
    const { scalars } = podRequest(pod);
    const found = [...scalars].flatMap(([name, amount]): readonly [string, DeviceClass][] => {
      const one = amount > 0 ? this.#classesByResource.get(name) : undefined;
      return one === undefined ? [] : [[name, one]];
    });
    return found.length === 0 ? none : new Map(found);
  }

  /** The claim for the Pod's extended resources that an earlier attempt has left. */
  extendedClaim(pod: Pod): ResourceClaim | undefined {
    const owned = this.#handle.cache.list(resourceClaims, { index: byOwner(pod.metadata.uid ?? "") });
    return owned.find((claim) => isExtendedClaim(claim, pod));
  }

  /** Has the next attempt decide anew, because this one was interrupted. */
  forgetAnswers(): void {
    this.#version += 1;
  }

  isInFlight({ metadata: { uid = "" } }: ResourceClaim): boolean {
    return this.#inFlight.has(uid);
  }

  /** Counts the devices of an allocation that will be written. */
  reserve({ metadata: { uid = "" } }: ResourceClaim, allocation: AllocationResult): void {
    this.#inFlight.set(uid, allocation);
  }

  /** Stops counting an allocation that will not be written. */
  release({ metadata: { uid = "" } }: ResourceClaim): void {
    this.#inFlight.delete(uid);
  }

  /** Takes the claim as the server returned it. */
  wrote(claim: ResourceClaim): void {
    this.#written.wrote(claim);
    this.release(claim);
  }

  #allocations(): ReadonlyMap<string, AllocationResult> {
    const { cache } = this.#handle;
    const found = new Map<string, AllocationResult>();
    const count = ({ metadata: { uid = "" }, status: { allocation } }: ResourceClaim) => {
      if (allocation !== undefined) found.set(uid, allocation);
    };
    for (const claim of cache.list(resourceClaims, { index: allocated("true") }))
      count(this.#written.of(claim));
    for (const written of this.#written.all()) {
      const { namespace, name = "", uid } = written.metadata;
      const cached = cache.get(resourceClaims, namespace, name);
      // The claim was in the cache before it was written: it is deleted if it is no longer there.
      if (cached?.metadata.uid !== uid || cached === undefined) this.#written.forget(written);
      else count(this.#written.of(cached));
    }
    for (const [uid, allocation] of this.#inFlight) found.set(uid, allocation);
    return found;
  }
}

function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}
