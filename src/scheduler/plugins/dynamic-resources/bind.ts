import type { Pod } from "../../../api/core/pod/schema.ts";
import { consumerOf, deleteProtection, isReservedFor } from "../../../api/resource/resource-claim/of-pod.ts";
import {
  type AllocationResult,
  type ResourceClaim,
  resourceClaims,
} from "../../../api/resource/resource-claim/schema.ts";
import { retryOnConflict } from "../../../client/retry.ts";
import { formatTime } from "../../../util/clock.ts";
import type { Handle } from "../../framework.ts";
import { nameOf } from "./requests.ts";

/**
 * Writes a claim's allocation, if Reserve has made one, and its reservation for the Pod (upstream `bindClaim`). Returns
 * the claim as the server returned it. @throws Error when the claim was deleted, or allocated or deallocated by another
 */
export async function bindClaim(
  observed: ResourceClaim,
  allocation: AllocationResult | undefined,
  pod: Pod,
  handle: Handle,
): Promise<ResourceClaim> {
  const claims = handle.client.of(resourceClaims, observed.metadata.namespace);
  let isFirst = true;
  return retryOnConflict(async () => {
    const claim = isFirst ? observed : await claims.get(observed.metadata.name ?? "");
    isFirst = false;
    const chosen = allocationFor(claim, observed, allocation);
    const isProtected = claim.metadata.finalizers?.includes(deleteProtection) === true;
    const current =
      allocation === undefined || isProtected ? claim : await claims.update(withProtection(claim));
    const { reservedFor = [], ...status } = current.status;
    return claims.updateStatus({
      ...current,
      status: {
        ...status,
        allocation: { allocationTimestamp: formatTime(handle.clock.now()), ...chosen },
        reservedFor: isReservedFor(pod, current) ? reservedFor : [...reservedFor, consumerOf(pod)],
      },
    });
  }, handle);
}

/** The allocation to write, which for an allocated claim is its own. */
function allocationFor(
  claim: ResourceClaim,
  observed: ResourceClaim,
  allocation: AllocationResult | undefined,
): AllocationResult {
  const fail = (what: string) => new Error(`claim ${nameOf(claim)} got ${what} in the meantime`);
  const { metadata, status } = claim;
  if (metadata.deletionTimestamp !== undefined || metadata.uid !== observed.metadata.uid)
    throw fail("deleted");
  const chosen = allocation ?? status.allocation;
  if (chosen === undefined) throw fail("deallocated elsewhere");
  if (allocation !== undefined && status.allocation !== undefined) throw fail("allocated elsewhere");
  return chosen;
}

function withProtection(claim: ResourceClaim): ResourceClaim {
  const { metadata } = claim;
  return {
    ...claim,
    metadata: { ...metadata, finalizers: [...(metadata.finalizers ?? []), deleteProtection] },
  };
}
