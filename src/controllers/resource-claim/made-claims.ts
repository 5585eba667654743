import type { Pod } from "../../api/core/pod/schema.ts";
import type { ResourceClaim } from "../../api/resource/resource-claim/schema.ts";
import { controllerRefOf } from "../ownership/controller-ref.ts";

/** The time after which the cache certainly shows a new claim, or has missed its whole life (upstream's `claimCache`). */
const rememberedMs = 60_000;

/**
 * The claims that were just created, by the UIDs of their Pods. Until the cache shows a claim, no second one must be made
 * for the same entry. A claim is forgotten when the cache has shown it, so the claims of a burst bound the memory.
 */
export class MadeClaims {
  readonly #byPod = new Map<string, { readonly claim: ResourceClaim; readonly until: number }[]>();

  add(claim: ResourceClaim, now: number): void {
    this.#forgetBefore(now);
    const pod = controllerRefOf(claim)?.uid ?? "";
    const others = this.#byPod.get(pod) ?? [];
    // A key that is set again moves to the end: the map stays in the order of time.
    this.#byPod.delete(pod);
    this.#byPod.set(pod, [...others, { claim, until: now + rememberedMs }]);
  }

  /** Takes a claim as the cache shows it: new, changed or deleted. */
  see(claim: ResourceClaim): void {
    const pod = controllerRefOf(claim)?.uid ?? "";
    const known = this.#byPod.get(pod);
    if (known === undefined) return;
    const left = known.filter((one) => one.claim.metadata.uid !== claim.metadata.uid);
    if (left.length === 0) this.#byPod.delete(pod);
    else this.#byPod.set(pod, left);
  }

  of({ metadata: { uid = "" } }: Pod, now: number): readonly ResourceClaim[] {
    return (this.#byPod.get(uid) ?? []).filter(({ until }) => until > now).map(({ claim }) => claim);
  }

  #forgetBefore(now: number): void {
    for (const [pod, claims] of this.#byPod) {
      if (claims.some(({ until }) => until > now)) return;
      this.#byPod.delete(pod);
    }
  }
}
