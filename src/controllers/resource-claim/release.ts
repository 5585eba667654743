import type { Pod } from "../../api/core/pod/schema.ts";
import { deleteProtection } from "../../api/resource/resource-claim/of-pod.ts";
import type {
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimStatus,
} from "../../api/resource/resource-claim/schema.ts";
import { isDeletionCandidate } from "../finalizers.ts";
import { controllerRefOf } from "../ownership/controller-ref.ts";
import { isTerminal } from "../pods/pod-state.ts";

/** A write to a claim, in order: its status, its finalizers, its deletion. */
export type ReleaseStep =
  | { readonly type: "update-status"; readonly status: ResourceClaimStatus }
  | { readonly type: "remove-finalizer" }
  | { readonly type: "delete" };

export interface Consumers {
  /** The Pod of this name in the claim's namespace, as far as the cache shows. */
  readonly pod: (name: string) => Pod | undefined;
  /** Reports whether the Pod of this UID certainly does not exist. */
  readonly isGone: (uid: string) => boolean;
}

/** Reports whether the Pod's containers do not run and will never run. */
export function isDone(pod: Pod): boolean {
  const { metadata, spec } = pod;
  return isTerminal(pod) || (metadata.deletionTimestamp !== undefined && (spec.nodeName ?? "") === "");
}

function isPod({ apiGroup = "", resource }: ResourceClaimConsumerReference): boolean {
  return apiGroup === "" && resource === "pods";
}

/** The consumers about which only the API server is certain: the cache does not show their Pods, perhaps not yet. */
export function unseenConsumers(
  { status }: ResourceClaim,
  { pod, isGone }: Consumers,
): readonly ResourceClaimConsumerReference[] {
  return (status.reservedFor ?? []).filter(
    (one) => isPod(one) && !isGone(one.uid) && pod(one.name) === undefined,
  );
}

/**
 * The steps that free a claim of Pods that are gone or done, and of its allocation with the last one of them (upstream
 * `syncClaim`). Consumers that are no Pods stay.
 */
export function release(claim: ResourceClaim, consumers: Consumers): readonly ReleaseStep[] {
  const { reservedFor = [], allocation, ...rest } = claim.status;
  const remaining = reservedFor.filter((one) => !isPod(one) || stillConsumes(one, consumers));
  const isFree = remaining.length === 0;
  const isProtected = claim.metadata.finalizers?.includes(deleteProtection) === true;
  const steps: ReleaseStep[] = [];
  if (remaining.length < reservedFor.length) {
    // A claim that nothing reserved before keeps its allocation: a driver may have allocated it in advance.
    const left = isFree && isProtected ? undefined : allocation;
    const status = {
      ...rest,
      ...(left === undefined ? {} : { allocation: left }),
      ...(isFree ? {} : { reservedFor: remaining }),
    };
    steps.push({ type: "update-status", status });
    if (isProtected && left === undefined) steps.push({ type: "remove-finalizer" });
  } else if (isFree && isDeletionCandidate(claim, deleteProtection)) {
    if (allocation !== undefined) steps.push({ type: "update-status", status: rest });
    steps.push({ type: "remove-finalizer" });
  }
  if (isFree && isOfDonePod(claim, consumers)) steps.push({ type: "delete" });
  return steps;
}

function stillConsumes({ name, uid }: ResourceClaimConsumerReference, { pod, isGone }: Consumers): boolean {
  if (isGone(uid)) return false;
  const found = pod(name);
  return found === undefined || (found.metadata.uid === uid && !isDone(found));
}

/** A claim of a Pod that the cache does not show is left to the garbage collector. */
function isOfDonePod(claim: ResourceClaim, { pod }: Consumers): boolean {
  const owner = controllerRefOf(claim);
  if (owner?.apiVersion !== "v1" || owner.kind !== "Pod") return false;
  const found = pod(owner.name);
  return found !== undefined && (found.metadata.uid !== owner.uid || isDone(found));
}
