import { persistentVolumeClaims } from "../../../api/core/persistent-volume-claim/schema.ts";
import { compareQuantities, parseQuantity, quantityValue } from "../../../meta/quantity.ts";
import type { NodeContext } from "../../node-context.ts";
import type { ClaimedVolume } from "../claims.ts";

const pendingConditions = new Set(["FileSystemResizePending", "Resizing"]);

/**
 * Returns the volume's size in bytes when its claim does not have that size yet: the file system must grow (upstream
 * `checkVolumeFSResize`). Undefined when it need not, and for a volume that is mounted read-only.
 */
export function missingGrowth({ volume, claim, readOnly }: ClaimedVolume): bigint | undefined {
  const size = volume.spec.capacity?.["storage"];
  const known = claim.status.capacity?.["storage"];
  if (readOnly || size === undefined || known === undefined) return undefined;
  const [wanted, present] = [parseQuantity(size), parseQuantity(known)];
  return compareQuantities(wanted, present) > 0 ? BigInt(quantityValue(wanted)) : undefined;
}

/** Gives the claim the volume's size after the file system has grown (upstream `MarkFSResizeFinished`). */
export async function reportGrowth(node: NodeContext, { volume, claim }: ClaimedVolume): Promise<void> {
  const { name = "", namespace, resourceVersion } = claim.metadata;
  const conditions = (claim.status.conditions ?? []).filter(({ type }) => !pendingConditions.has(type));
  const patch = {
    metadata: { resourceVersion },
    status: {
      capacity: { storage: volume.spec.capacity?.["storage"] },
      conditions: conditions.length === 0 ? null : conditions,
      allocatedResourceStatuses: { storage: null },
    },
  };
  const claims = node.client.of(persistentVolumeClaims, namespace);
  await claims.patch(name, patch, { type: "merge", subresource: "status" });
}
