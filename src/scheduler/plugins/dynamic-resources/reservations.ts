import type { Pod } from "../../../api/core/pod/schema.ts";
import { isReservedFor } from "../../../api/resource/resource-claim/of-pod.ts";
import {
  type AllocationResult,
  type ResourceClaim,
  resourceClaims,
} from "../../../api/resource/resource-claim/schema.ts";
import { sleep } from "../../../util/clock.ts";
import type { Handle } from "../../framework.ts";
import { bindClaim } from "./bind.ts";
import type { DeviceState } from "./device-state.ts";
import { createClaim, deleteClaim, recordClaim, untilVisible } from "./extended-claim.ts";
import type { ExtendedClaim } from "./extended-resources.ts";
import type { Placement } from "./pod-devices.ts";
import { isOverdue, needsPreparation, readinessOf } from "./readiness.ts";

const pollMs = 5000;

/** A claim of a Pod whose binding is under way. */
interface Reserved {
  claim: ResourceClaim;
  /** The allocation that Reserve has made, until it is written. */
  allocation: AllocationResult | undefined;
  /** The claim as it was reserved, if it is one for extended resources, which PreBind creates. */
  readonly extended: ExtendedClaim | undefined;
}

/** The claims of the Pods whose binding is under way: reserved in memory first, then written. */
export class Reservations {
  readonly #state: DeviceState;
  readonly #handle: Handle;
  readonly #bindingTimeoutMs: number;
  /** The claims by the UIDs of their Pods. */
  readonly #reserved = new Map<string, readonly Reserved[]>();

  constructor(state: DeviceState, handle: Handle, bindingTimeoutMs: number) {
    this.#state = state;
    this.#handle = handle;
    this.#bindingTimeoutMs = bindingTimeoutMs;
  }

  /** Reserve: from now on, no other claim gets the devices. */
  reserve(pod: Pod, present: readonly ResourceClaim[], { allocations, extended }: Placement): void {
    const claims = extended === undefined ? present : [...present, extended.claim];
    const reserved = claims.map((claim): Reserved => {
      const allocation = allocations.get(claim);
      if (allocation !== undefined) this.#state.reserve(claim, allocation);
      return { claim, allocation, extended: claim === extended?.claim ? extended : undefined };
    });
    this.#reserved.set(pod.metadata.uid ?? "", reserved);
  }

  /** PostBind: forgets what is written. */
  settle({ metadata: { uid = "" } }: Pod): void {
    this.#reserved.delete(uid);
  }

  /** Unreserve: gives back what is not written, and removes what is. */
  giveBack(pod: Pod): void {
    const { uid = "" } = pod.metadata;
    for (const { claim, allocation, extended } of this.#reserved.get(uid) ?? []) {
      if (extended !== undefined) {
        this.#state.release(extended.claim);
        // After a failure, the Pod's next attempt finds the claim and deletes it.
        if (claim !== extended.claim) deleteClaim(claim, this.#handle).catch(() => undefined);
      } else if (allocation !== undefined) this.#state.release(claim);
      else if (isReservedFor(pod, claim)) this.#removeReservation(pod, claim);
    }
    this.#reserved.delete(uid);
  }

  #removeReservation({ metadata: { uid } }: Pod, { metadata }: ResourceClaim): void {
    const reservedFor = [{ $patch: "delete", uid }];
    const patch = { metadata: { uid: metadata.uid }, status: { reservedFor } };
    const options = { type: "strategic", subresource: "status" } as const;
    const claims = this.#handle.client.of(resourceClaims, metadata.namespace);
    // After a failure, the reservation serves the Pod's next attempt, or the controller removes it with the Pod.
    claims.patch(metadata.name ?? "", patch, options).catch(() => undefined);
  }

  /** PreBind: writes the allocations and reservations. @throws when a claim or its devices have changed */
  async write(pod: Pod, node: string, signal: AbortSignal): Promise<void> {
    const reserved = this.#reserved.get(pod.metadata.uid ?? "") ?? [];
    for (const one of reserved) {
      if (one.allocation === undefined && isReservedFor(pod, one.claim)) continue;
      if (one.extended !== undefined) one.claim = await createClaim(one.extended, this.#handle);
      one.claim = await bindClaim(one.claim, one.allocation, pod, this.#handle);
      one.allocation = undefined;
      if (one.extended !== undefined) await this.#publishExtended(pod, one.extended, one.claim, signal);
      this.#state.wrote(one.claim);
    }
    if (!reserved.some(({ claim }) => needsPreparation(claim.status.allocation?.devices.results))) return;
    const text = `waiting for binding conditions for device on node ${node}`;
    this.#handle.events(pod).event(pod, "Normal", "BindingConditionsPending", text);
    await this.#awaitPreparation(reserved, signal);
  }

  /** From here on, the claim counts under its own UID. */
  async #publishExtended(
    pod: Pod,
    extended: ExtendedClaim,
    claim: ResourceClaim,
    signal: AbortSignal,
  ): Promise<void> {
    await recordClaim(pod, extended, claim, this.#handle);
    await untilVisible(claim, this.#handle, signal);
    this.#state.release(extended.claim);
  }

  /** Waits until drivers have prepared the devices. @throws Error when one fails, or the time is over */
  async #awaitPreparation(reserved: readonly Reserved[], signal: AbortSignal): Promise<void> {
    const { clock } = this.#handle;
    const deadline = clock.now() + this.#bindingTimeoutMs;
    while (!this.#isPrepared(reserved)) {
      if (clock.now() >= deadline) throw new Error("device binding timeout: context deadline exceeded");
      await sleep(clock, pollMs, signal);
      signal.throwIfAborted();
    }
  }

  #isPrepared(reserved: readonly Reserved[]): boolean {
    for (const one of reserved) {
      const { namespace, name = "" } = one.claim.metadata;
      const claim = this.#state.claim(namespace, name);
      if (claim === undefined) throw new Error(`could not find ResourceClaim "${namespace}/${name}"`);
      one.claim = claim;
      const readiness = readinessOf(claim);
      if (readiness.type === "failed") throw new Error(readiness.why);
      if (readiness.type === "ready") continue;
      if (isOverdue(claim, this.#handle.clock.now(), this.#bindingTimeoutMs))
        throw new Error(`device binding timeout: claim=${name}`);
      return false;
    }
    return true;
  }
}
