import { type DeviceClass, deviceClasses } from "../../../api/resource/device-class/schema.ts";
import {
  type AllocationResult,
  type ResourceClaim,
  resourceClaims,
} from "../../../api/resource/resource-claim/schema.ts";
import { resourceSlices } from "../../../api/resource/resource-slice/schema.ts";
import type { Pod } from "../../../api/core/pod/schema.ts";
import { byOwner } from "../../../client/indexer.ts";
import { Latest } from "../../../client/latest.ts";
import type { Handle } from "../../framework.ts";
import { podRequest } from "../../resources.ts";
import { DevicesInUse } from "./allocated-devices.ts";
import { poolKey } from "../../../api/resource/device-key.ts";
import { Effort } from "./effort.ts";
import { type ClassesByResource, classesByResource, isExtendedClaim } from "./extended-resources.ts";
import type { AllocatedDevices } from "./ledger.ts";
import { SliceIndex } from "./pools.ts";
import { Selectors } from "./selectors.ts";

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
  readonly #slices = new SliceIndex();
  #haveClassesChanged = true;
  /** False until the objects are taken that the caches had before the first change was observed. */
  #isLoaded = false;
  #classesByResource: ClassesByResource = new Map();
  #version = 0;
  /** By the node's name; counted anew in each version. */
  readonly #nodeVersions = new Map<string, number>();
  #effort = new Effort(allSteps);

  private constructor(handle: Handle) {
    this.#handle = handle;
    this.selectors = new Selectors(handle.compileSelector);
    handle.observe(resourceSlices, ({ metadata }) => this.#takeSlice(metadata.name ?? ""));
    handle.observe(resourceClaims, (claim) => this.#takeClaim(claim));
    handle.observe(deviceClasses, () => void (this.#haveClassesChanged = true));
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

  /** A number that changes with the devices that only this node has, and with their use. */
  nodeVersion(node: string): number {
    return this.#nodeVersions.get(node) ?? 0;
  }

  /**
   * Begins an attempt. Returns a number that changes with the slices, the classes and the devices in use. It stays when
   * devices change that only one node has: the node's answers are asked for anew then.
   */
  refresh(): number {
    this.#effort = new Effort(allSteps);
    if (!this.#isLoaded) this.#load();
    this.#refreshClasses();
    return this.#version;
  }

  #load(): void {
    const { cache } = this.#handle;
    for (const { metadata } of cache.list(resourceSlices)) this.#takeSlice(metadata.name ?? "");
    for (const claim of cache.list(resourceClaims)) this.#takeClaim(claim);
    this.#isLoaded = true;
  }

  #takeSlice(name: string): void {
    const concerned = this.#slices.set(name, this.#handle.cache.get(resourceSlices, undefined, name));
    if (concerned !== "nothing") this.#changed(concerned === "all" ? undefined : concerned.node);
  }

  #takeClaim(claim: ResourceClaim): void {
    const { uid = "" } = claim.metadata;
    for (const { devices } of this.#inUse.set(uid, this.#allocationOf(claim))) {
      this.#changed(this.#slices.onlyNodeOf(new Set(devices.results?.map(poolKey))));
    }
  }

  /** Takes note of a change of devices that only this node has; undefined: that several nodes may have. */
  #changed(node: string | undefined): void {
    if (node === undefined) {
      this.#version += 1;
      this.#nodeVersions.clear();
      return;
    }
    this.#nodeVersions.set(node, this.nodeVersion(node) + 1);
    this.#handle.touch(node);
  }

  #refreshClasses(): void {
    if (!this.#haveClassesChanged) return;
    this.#haveClassesChanged = false;
    this.#classesByResource = classesByResource(this.#handle.cache.list(deviceClasses));
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
  reserve(claim: ResourceClaim, allocation: AllocationResult): void {
    this.#inFlight.set(claim.metadata.uid ?? "", allocation);
    this.#takeClaim(claim);
  }

  /** Stops counting an allocation that will not be written. */
  release(claim: ResourceClaim): void {
    this.#inFlight.delete(claim.metadata.uid ?? "");
    this.#takeClaim(claim);
  }

  /** Takes the claim as the server returned it. */
  wrote(claim: ResourceClaim): void {
    this.#written.wrote(claim);
    this.release(claim);
  }

  /** The allocation that counts now. */
  #allocationOf(claim: ResourceClaim): AllocationResult | undefined {
    const { namespace, name = "", uid = "" } = claim.metadata;
    const decided = this.#inFlight.get(uid);
    if (decided !== undefined) return decided;
    const cached = this.#handle.cache.get(resourceClaims, namespace, name);
    if (cached?.metadata.uid === uid) return this.#written.of(cached).status.allocation;
    // The claim was in the cache before it was written: it is deleted if it is no longer there.
    this.#written.forget(claim);
    return undefined;
  }
}
