import type { Pod } from "../../../api/core/pod/schema.ts";
import { claimOfEntry, notGeneratedFor } from "../../../api/resource/resource-claim/of-pod.ts";
import type { ResourceClaim } from "../../../api/resource/resource-claim/schema.ts";

export type FindClaim = (namespace: string | undefined, name: string) => ResourceClaim | undefined;

/**
 * The claims of a Pod, or the reason why the Pod cannot be scheduled yet (upstream `foreachPodResourceClaim`). An entry
 * that needs no claim has none.
 */
export function claimsOf(pod: Pod, find: FindClaim): readonly ResourceClaim[] | string {
  const claims: ResourceClaim[] = [];
  const { namespace } = pod.metadata;
  for (const entry of pod.spec.resourceClaims ?? []) {
    const present = claimOfEntry(pod, entry);
    if (present.type === "unneeded") continue;
    if (present.type !== "claim") return present.why;
    const claim = find(namespace, present.name);
    if (claim === undefined) return `could not find ResourceClaim "${namespace}/${present.name}"`;
    if (claim.metadata.deletionTimestamp !== undefined)
      return `resourceclaim "${present.name}" is being deleted`;
    const complaint = present.isGenerated ? notGeneratedFor(pod, claim) : undefined;
    if (complaint !== undefined) return complaint;
    // Two entries may name one claim.
    if (!claims.includes(claim)) claims.push(claim);
  }
  return claims;
}

/** The names of the classes that a claim's requests need, each with the request as messages show it. */
export function* classesOf({ spec }: ResourceClaim): Generator<{ request: string; className: string }> {
  for (const { name, exactly, firstAvailable = [] } of spec.devices.requests) {
    if (exactly !== undefined) yield { request: name, className: exactly.deviceClassName };
    else
      for (const one of firstAvailable)
        yield { request: `${name}/${one.name}`, className: one.deviceClassName };
  }
}
