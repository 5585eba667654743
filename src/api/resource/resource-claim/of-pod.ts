import type { KubeObject } from "../../../meta/kind.ts";
import type { Pod } from "../../core/pod/schema.ts";
import type { PodResourceClaim } from "../../core/pod/spec.ts";
import type { ResourceClaim, ResourceClaimConsumerReference } from "./schema.ts";

/** Keeps an allocated claim until nothing uses it (upstream `resourceapi.Finalizer`). */
export const deleteProtection = "resource.kubernetes.io/delete-protection";

/** Names the entry of a Pod's `spec.resourceClaims` for which a claim was made. */
export const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

/** The ResourceClaim of an entry of `spec.resourceClaims`. */
export type EntryClaim =
  /** `isGenerated`: the claim was made for the Pod, which must be its owner. */
  | { readonly type: "claim"; readonly name: string; readonly isGenerated: boolean }
  | { readonly type: "unneeded" }
  /** The claim was not made yet, or the entry has no field that is known here. */
  | { readonly type: "missing" | "unsupported"; readonly why: string };

/** Finds the name of an entry's claim (dynamic-resource-allocation `resourceclaim.Name`). */
export function claimOfEntry({ metadata, status }: Pod, entry: PodResourceClaim): EntryClaim {
  const pod = `pod "${metadata.namespace}/${metadata.name}"`;
  const { name, resourceClaimName, resourceClaimTemplateName } = entry;
  if (resourceClaimName !== undefined) return { type: "claim", name: resourceClaimName, isGenerated: false };
  if (resourceClaimTemplateName === undefined) {
    const why = `${pod}, spec.resourceClaim ${JSON.stringify(name)}: none of the supported fields are set`;
    return { type: "unsupported", why };
  }
  const made = status.resourceClaimStatuses?.find((one) => one.name === name);
  if (made === undefined) return { type: "missing", why: `${pod}: ResourceClaim not created yet` };
  if (made.resourceClaimName === undefined) return { type: "unneeded" };
  return { type: "claim", name: made.resourceClaimName, isGenerated: true };
}

/** The complaint about a claim that was not made for the Pod (dynamic-resource-allocation `IsForPod`). */
export function notGeneratedFor(pod: Pod, claim: ResourceClaim): string | undefined {
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid === pod.metadata.uid && claim.metadata.namespace === pod.metadata.namespace)
    return undefined;
  return `ResourceClaim ${nameOf(claim)} was not created for Pod ${nameOf(pod)} (Pod is not owner)`;
}

const nameOf = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;

/** Reports whether the claim is reserved for the Pod. */
export function isReservedFor({ metadata }: Pod, { status }: ResourceClaim): boolean {
  return status.reservedFor?.some(({ uid }) => uid === metadata.uid) === true;
}

/** The entry of `status.reservedFor` with which a Pod uses a claim. */
export function consumerOf({ metadata: { name = "", uid = "" } }: Pod): ResourceClaimConsumerReference {
  return { resource: "pods", name, uid };
}
