import { hasResourceClaims } from "../../../api/core/pod/references.ts";
import type { Pod } from "../../../api/core/pod/schema.ts";
import { deviceClasses } from "../../../api/resource/device-class/schema.ts";
import { type ResourceClaim, resourceClaims } from "../../../api/resource/resource-claim/schema.ts";
import { resourceSlices } from "../../../api/resource/resource-slice/schema.ts";
import { parseGoDuration } from "../../../meta/protobuf/go-duration.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { uuid } from "../../../util/random.ts";
import { changeOf, type ClusterEvent } from "../../cluster-event.ts";
import type { PluginArguments } from "../../configuration/arguments.ts";
import {
  type Handle,
  normalizeToMax,
  type Plugin,
  type PostFilterContext,
  rejected,
} from "../../framework.ts";
import type { Snapshot } from "../../snapshot.ts";
import { claimsOf, classesOf } from "./claims.ts";
import { deleteClaim } from "./extended-claim.ts";
import { DeviceState } from "./device-state.ts";
import { PodDevices } from "./pod-devices.ts";
import { nameOf } from "./requests.ts";
import { Reservations } from "./reservations.ts";

type Arguments = NonNullable<PluginArguments["DynamicResources"]>;

/** The steps that the allocation on one node may take, about a hundredth of a second. */
const nodeSteps = 20_000;
const stepsPerMs = 1000;

/** Allocates the devices of ResourceClaims, and rejects nodes that cannot access them (KEP-4381). */
export function dynamicResources(handle: Handle, args: Arguments = {}): Plugin {
  return new DynamicResources(handle, args).plugin();
}

class DynamicResources {
  readonly #handle: Handle;
  readonly #state: DeviceState;
  readonly #bindingTimeoutMs: number;
  readonly #nodeSteps: number;
  readonly #reservations: Reservations;
  /** The claims that PreFilter has looked at last: PreScore of the same Pod follows. */
  #last: { readonly pod: Pod; readonly devices: PodDevices } | undefined;
  /** The nodes; the scheduler has one snapshot, and PreFilter precedes Reserve. */
  #nodes: Snapshot | undefined;

  constructor(handle: Handle, { filterTimeout = "10s", bindingTimeout = "10m0s" }: Arguments) {
    this.#handle = handle;
    this.#state = DeviceState.of(handle);
    this.#bindingTimeoutMs = milliseconds(bindingTimeout);
    this.#reservations = new Reservations(this.#state, handle, this.#bindingTimeoutMs);
    const filterMs = milliseconds(filterTimeout);
    // Zero removes upstream's limit; here a search must not hold the event loop.
    this.#nodeSteps = filterMs > 0 ? Math.min(nodeSteps, filterMs * stepsPerMs) : nodeSteps;
  }

  plugin(): Plugin {
    return {
      name: "DynamicResources",
      reads: [resourceClaims, resourceSlices, deviceClasses],
      keyOf: (pod) => this.#keyOf(pod),
      preEnqueue: (pod) => (hasResourceClaims(pod) ? reasonIn(this.#claimsOf(pod)) : undefined),
      preFilter: (pod, snapshot) => {
        this.#nodes = snapshot;
        if (!this.#concerns(pod)) return undefined;
        const devices = this.#devicesOf(pod);
        if (typeof devices === "string") return rejected(devices);
        if (devices.isEmpty) return undefined;
        this.#last = { pod, devices };
        return { type: "filtering", filter: ({ node }) => devices.unfit(node) };
      },
      preScore: (pod) => this.#preScore(pod),
      postFilter: (pod, context) => this.#postFilter(pod, context),
      reserve: (pod, node) => (this.#concerns(pod) ? this.#reserve(pod, node) : undefined),
      unreserve: (pod) => this.#reservations.giveBack(pod),
      preBind: (pod, node, signal) => this.#reservations.write(pod, node, signal),
      postBind: (pod) => this.#reservations.settle(pod),
      helps: (pod, event) => this.#concerns(pod) && this.#helps(pod, event),
    };
  }

  /** Reports whether the Pod has claims, or requests extended resources for which classes provide devices. */
  #concerns(pod: Pod): boolean {
    return hasResourceClaims(pod) || this.#state.classesFor(pod).size > 0;
  }

  #claimsOf(pod: Pod): readonly ResourceClaim[] | string {
    return claimsOf(pod, (namespace, name) => this.#state.claim(namespace, name));
  }

  /** The Pod's claims, ready for the nodes, or the reason why the Pod has to wait. */
  #devicesOf(pod: Pod): PodDevices | string {
    this.#state.refresh();
    const claims = this.#claimsOf(pod);
    if (typeof claims === "string") return claims;
    for (const claim of claims) {
      const obstacle = claim.status.allocation === undefined ? this.#obstacle(claim) : undefined;
      if (obstacle !== undefined) return obstacle;
    }
    const { clock, random } = this.#handle;
    const classes = this.#state.classesFor(pod);
    const stale = classes.size === 0 ? undefined : this.#state.extendedClaim(pod);
    return new PodDevices({ pod, claims, classes, stale }, this.#state, {
      bindingTimeoutMs: this.#bindingTimeoutMs,
      nodeSteps: this.#nodeSteps,
      newShareId: () => uuid(random),
      now: () => clock.now(),
    });
  }

  /** The reason why a claim cannot be allocated on any node now. */
  #obstacle(claim: ResourceClaim): string | undefined {
    if (this.#state.isInFlight(claim))
      return `resource claim ${nameOf(claim)} is in the process of being allocated`;
    for (const { request, className } of classesOf(claim)) {
      if (this.#state.deviceClass(className) === undefined)
        return `request ${request}: device class ${className} does not exist`;
    }
    return undefined;
  }

  /** Pods with equal claims of their own share their answers until devices change that several nodes have. */
  #keyOf(pod: Pod): string | undefined {
    if (!this.#concerns(pod)) return undefined;
    const version = this.#state.refresh();
    const claims = this.#claimsOf(pod);
    if (typeof claims === "string") return claims;
    const keys = claims.map((claim) => {
      const { metadata, spec, status } = claim;
      // The readiness of an allocated claim depends on the time, too.
      if (status.allocation !== undefined)
        return [metadata.uid, metadata.resourceVersion, this.#handle.clock.now()];
      return this.#state.isInFlight(claim) ? metadata.uid : spec;
    });
    return JSON.stringify([version, keys, this.#state.extendedClaim(pod)?.metadata.uid]);
  }

  #preScore(pod: Pod): ReturnType<NonNullable<Plugin["preScore"]>> {
    const { pod: last, devices } = this.#last ?? {};
    this.#last = undefined;
    if (last !== pod || devices === undefined) return undefined;
    const hasAlternatives = devices.claims.some(({ spec }) =>
      spec.devices.requests.some(({ firstAvailable = [] }) => firstAvailable.length > 0),
    );
    if (!hasAlternatives) return undefined;
    return { score: ({ node }) => devices.score(node), normalize: (scores) => normalizeToMax(scores) };
  }

  /** Frees a claim that keeps the Pod from nodes and that nothing else uses: it may get other devices then. */
  #postFilter(pod: Pod, { snapshot }: PostFilterContext): ReturnType<NonNullable<Plugin["postFilter"]>> {
    const none = (why: string) => ({ type: "none", why, isUnderWay: false }) as const;
    if (!this.#concerns(pod)) return none("no new claims to deallocate");
    const devices = this.#devicesOf(pod);
    if (typeof devices === "string") return none("no new claims to deallocate");
    const isIdle = ({ status: { reservedFor = [] } }: ResourceClaim) =>
      reservedFor.every(({ uid }) => uid === pod.metadata.uid);
    const idle = snapshot.nodes.flatMap(({ node }) => devices.unavailable(node)).find(isIdle);
    if (idle !== undefined) {
      this.#deallocate(idle);
      return none("deallocation of ResourceClaim completed");
    }
    if (devices.stale === undefined) return none("still not schedulable");
    this.#deleteExtended(devices.stale);
    return none("deletion of ResourceClaim completed");
  }

  #deleteExtended(claim: ResourceClaim): void {
    // After a failure, the Pod's next attempt finds the claim and deletes it.
    deleteClaim(claim, this.#handle).catch(() => undefined);
  }

  #deallocate(claim: ResourceClaim): void {
    const claims = this.#handle.client.of(resourceClaims, claim.metadata.namespace);
    // The change of the claim moves the Pod back into the queue. After a failure, its next attempt comes here again.
    claims.updateStatus({ ...claim, status: {} }).catch(() => undefined);
  }

  #reserve(pod: Pod, name: string): string | undefined {
    const devices = this.#devicesOf(pod);
    if (typeof devices === "string") return devices;
    const node = this.#nodes?.node(name)?.node;
    if (node === undefined) return `node "${name}" not found`;
    const placement = devices.placement(node);
    if (typeof placement === "string") return placement;
    this.#reservations.reserve(pod, devices.claims, placement);
    return undefined;
  }

  #helps(pod: Pod, event: ClusterEvent): boolean {
    if (event.type === "nodeAdded") return true;
    // After a failed binding, no claim changes, and the devices of the Pod are free.
    if (event.type === "podRemoved") return this.#concerns(event.pod);
    if (event.type === "nodeUpdated") {
      const [old, now] = [event.old, event.node];
      const hasSameLabels = deepEqual(old.metadata.labels, now.metadata.labels);
      return !hasSameLabels || !deepEqual(old.status.allocatable, now.status.allocatable);
    }
    const claim = changeOf(resourceClaims, event);
    if (claim !== undefined) return this.#claimHelps(pod, claim);
    const changed = changeOf(resourceSlices, event) ?? changeOf(deviceClasses, event);
    return changed?.object !== undefined;
  }

  /** Reports whether devices were freed, or a claim of the Pod is new or has another status. */
  #claimHelps(
    pod: Pod,
    { old, object }: { readonly old: ResourceClaim | undefined; readonly object: ResourceClaim | undefined },
  ): boolean {
    if (object === undefined) return false;
    const claims = this.#claimsOf(pod);
    if (typeof claims === "string") return false;
    if (old?.status.allocation !== undefined && object.status.allocation === undefined) return true;
    if (!claims.some(({ metadata }) => metadata.uid === object.metadata.uid)) return false;
    return old === undefined || !deepEqual(old.status, object.status);
  }
}

const reasonIn = (claims: readonly ResourceClaim[] | string) =>
  typeof claims === "string" ? claims : undefined;

/** The configuration is validated: the text is a duration. */
const milliseconds = (duration: string) => Number((parseGoDuration(duration) ?? 0n) / 1_000_000n);
