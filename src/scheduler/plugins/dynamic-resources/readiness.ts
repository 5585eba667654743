import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from "../../../api/resource/resource-claim/schema.ts";
import { findCondition, isConditionTrue } from "../../../meta/conditions.ts";
import { quoted } from "../../../util/go-quote.ts";

/** The state of the devices that must be prepared before a Pod is bound (KEP-5007). */
export type Readiness =
  | { readonly type: "ready" | "waiting" }
  /** A device cannot be prepared. */
  | { readonly type: "failed"; readonly why: string };

/** Finds the state of an allocated claim (upstream `isClaimReadyForBinding`). */
export function readinessOf(claim: ResourceClaim): Readiness {
  const { allocation } = claim.status;
  if (allocation === undefined) return { type: "waiting" };
  for (const result of allocation.devices.results ?? []) {
    const { bindingConditions = [], bindingFailureConditions = [] } = result;
    if (bindingConditions.length === 0) continue;
    const conditions = statusOf(claim, result)?.conditions;
    if (conditions === undefined) return { type: "waiting" };
    const failed = bindingFailureConditions
      .map((type) => findCondition(conditions, type))
      .find((condition) => condition?.status === "True");
    if (failed !== undefined) {
      const facts = `claim=${claim.metadata.name}, reason=${failed.reason}, message=${quoted(failed.message ?? "")}`;
      return { type: "failed", why: `device binding failed: ${facts}` };
    }
    if (!bindingConditions.every((type) => isConditionTrue(conditions, type))) return { type: "waiting" };
  }
  return { type: "ready" };
}

/** Reports whether devices have to be prepared, and the time for that is over. */
export function isOverdue(
  { status: { allocation } }: ResourceClaim,
  now: number,
  timeoutMs: number,
): boolean {
  const since = allocation?.allocationTimestamp;
  return (
    since !== undefined &&
    needsPreparation(allocation?.devices.results) &&
    Date.parse(since) + timeoutMs < now
  );
}

export function needsPreparation(results: readonly DeviceRequestAllocationResult[] = []): boolean {
  return results.some(({ bindingConditions = [] }) => bindingConditions.length > 0);
}

function statusOf(
  { status }: ResourceClaim,
  { driver, pool, device }: DeviceRequestAllocationResult,
): AllocatedDeviceStatus | undefined {
  return status.devices?.find((one) => one.device === device && one.driver === driver && one.pool === pool);
}
