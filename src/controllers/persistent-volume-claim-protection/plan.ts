import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import { claimProtection } from "../../api/core/persistent-volume/protection.ts";
import { claimNameOf, notMadeFor } from "../../api/core/pod/claims.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { Delta } from "../../client/informer.ts";
import { isDeletionCandidate, lacksFinalizer } from "../finalizers.ts";
import { isTerminal } from "../pods/pod-state.ts";

/** `release`: the finalizer is removed once no Pod uses the claim. */
export type Step = "nothing" | "protect" | "release";

export function stepFor(claim: PersistentVolumeClaim): Step {
  if (isDeletionCandidate(claim, claimProtection)) return "release";
  return lacksFinalizer(claim, claimProtection) ? "protect" : "nothing";
}

/** Reports whether the Pod keeps a deleted claim. No kubelet starts a Pod that is scheduled after the claim's deletion. */
export function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if ((pod.spec.nodeName ?? "") === "") return false;
  return (pod.spec.volumes ?? []).some(
    (volume) =>
      claimNameOf(pod, volume) === claim.metadata.name &&
      (volume.ephemeral === undefined || (!isShutDown(pod) && notMadeFor(pod, claim) === undefined)),
  );
}

/**
 * Reports whether the kubelet is done with the Pod, or it was deleted by force. A finalizer of the Pod may wait for the
 * claim of its ephemeral volume.
 */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

/** Reports whether a change of a Pod may end its use of claims. */
export function mayRelease({ type, object }: Delta<Pod>): boolean {
  return type === "deleted" || isTerminal(object) || (object.spec.nodeName ?? "") === "";
}
