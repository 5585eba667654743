import {
  disruptionAllowed,
  verdictOf,
  withVerdict,
} from "../../api/policy/pod-disruption-budget/disruption-allowed.ts";
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from "../../api/policy/pod-disruption-budget/schema.ts";
import { errors, failure, type StatusError } from "../../meta/status.ts";
import { formatTime } from "../../util/clock.ts";

/**
 * The greatest number of granted evictions that the controller has not seen yet (upstream
 * `MaxDisruptedPodSize`).
 */
const maxDisruptedPods = 2000;
/** Upstream's name of the resource in these errors. */
const resource = { group: "policy", resource: "poddisruptionbudget" };

/** Reports whether an unready Pod may be evicted without a grant, because the budget does not count on it. */
export function sparesUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy;
}

/**
 * Returns the budget's status after granting one more eviction (registry `core/pod/storage/eviction.go`,
 * `checkAndDecrement`). Until the controller sees the Pod's deletion, `disruptedPods` tells it not to count
 * the Pod as healthy.
 * @throws StatusError 429 when no eviction can be granted now, 403 when the status is invalid
 */
export function grantEviction(
  { metadata: { name = "", generation = 0 }, status }: PodDisruptionBudget,
  podName: string,
  now: number,
): PodDisruptionBudgetStatus {
  const { observedGeneration = 0, disruptedPods = {}, disruptionsAllowed: allowed } = status;
  if (observedGeneration < generation) throw stillProcessed(name);
  if (allowed < 0) throw errors.forbidden(resource, name, "pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > maxDisruptedPods) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    throw errors.forbidden(resource, name, why);
  }
  if (allowed === 0) throw refused(`The disruption budget ${name} ${whyNot(status)}`);
  const next = {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disruptedPods, [podName]: formatTime(now) },
  };
  return allowed > 1 ? next : withVerdict(next, verdictOf(next), now);
}

/** Returns the error for a budget that is not computed for the present state yet; the client retries. */
export function stillProcessed(name: string): StatusError {
  return refused(`The disruption budget ${name} is still being processed by the server.`, 10);
}

function refused(message: string, retryAfterSeconds = 0): StatusError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget.";
  return failure(429, "TooManyRequests", text, {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });
}

function whyNot(status: PodDisruptionBudgetStatus): string {
  const { desiredHealthy, currentHealthy } = status;
  const said = disruptionAllowed(status);
  const { reason = "", message = "" } = said?.status === "False" ? said : {};
  // Checked first, because the numbers of a failed sync are meaningless.
  if (reason === "SyncFailed" && message !== "")
    return `does not allow evicting pods currently because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy)
    return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const why = message === "" ? "" : ` (${reason}): ${message}`;
  return `does not allow evicting pods currently${why}`;
}
