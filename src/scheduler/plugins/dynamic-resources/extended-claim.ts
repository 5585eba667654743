import { type Pod, pods } from "../../../api/core/pod/schema.ts";
import { deleteProtection } from "../../../api/resource/resource-claim/of-pod.ts";
import { type ResourceClaim, resourceClaims } from "../../../api/resource/resource-claim/schema.ts";
import { retryOnConflict } from "../../../client/retry.ts";
import { sleep } from "../../../util/clock.ts";
import type { Handle } from "../../framework.ts";
import type { ExtendedClaim } from "./extended-resources.ts";

/** The time in which the cache shows a new claim (upstream `AssumeExtendedResourceTimeoutDefaultSeconds`). */
const visibleWithinMs = 120_000;
const pollMs = 100;

/** Creates the claim for a Pod's extended resources, without its allocation. */
export async function createClaim({ claim }: ExtendedClaim, { client }: Handle): Promise<ResourceClaim> {
  const { generateName, namespace, ownerReferences, annotations } = claim.metadata;
  const metadata = { generateName, ownerReferences, annotations };
  return client.of(resourceClaims, namespace).create({ metadata, spec: claim.spec });
}

/** Writes into the Pod's status which requests of the claim satisfy its containers. */
export async function recordClaim(
  { metadata }: Pod,
  { mappings }: ExtendedClaim,
  { metadata: { name: resourceClaimName = "" } }: ResourceClaim,
  { client }: Handle,
): Promise<void> {
  const extendedResourceClaimStatus = { requestMappings: mappings, resourceClaimName };
  const patch = { metadata: { uid: metadata.uid }, status: { extendedResourceClaimStatus } };
  const options = { type: "strategic", subresource: "status" } as const;
  await client.of(pods, metadata.namespace).patch(metadata.name ?? "", patch, options);
}

/** Resolves when the cache shows the claim, or after two minutes. Until then, only this scheduler knows its devices. */
export async function untilVisible(
  { metadata }: ResourceClaim,
  handle: Handle,
  signal: AbortSignal,
): Promise<void> {
  const { cache, clock } = handle;
  const isVisible = () => cache.get(resourceClaims, metadata.namespace, metadata.name ?? "") !== undefined;
  const deadline = clock.now() + visibleWithinMs;
  while (!isVisible() && clock.now() < deadline) {
    await sleep(clock, pollMs, signal);
    signal.throwIfAborted();
  }
}

/** Deletes a claim with its allocation (upstream `deleteClaim`). */
export async function deleteClaim({ metadata }: ResourceClaim, handle: Handle): Promise<void> {
  const { name = "", uid } = metadata;
  const claims = handle.client.of(resourceClaims, metadata.namespace);
  await retryOnConflict(async () => {
    const claim = await claims.get(name);
    const finalizers = claim.metadata.finalizers?.filter((one) => one !== deleteProtection);
    if (finalizers?.length === claim.metadata.finalizers?.length) return;
    await claims.update({ ...claim, metadata: { ...claim.metadata, finalizers } });
  }, handle);
  await claims.delete(name, uid === undefined ? {} : { preconditions: { uid } });
}
