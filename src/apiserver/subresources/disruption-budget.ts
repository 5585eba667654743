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

/** So many evictions may be granted that the controller has not seen yet (upstream `MaxDisruptedPodSize`). */
const maxDisruptedPods = 2000;
/** What upstream calls the resource in these errors. */
const resource = { group: "policy", resource: "poddisruptionbudget" };

/** Whether an unready Pod may go without being granted: it is none of those that the budget keeps. */
export function sparesUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy;
}

/**
 * The budget's status after one more eviction was granted (registry `core/pod/storage/eviction.go`, `checkAndDecrement`).
 * Until the controller sees the Pod being deleted, it learns from `disruptedPods` not to count on it.
 * @throws StatusError 429 when no eviction can be granted now, 403 when the status makes no sense
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

/** The budget is not yet worked out for the present state; a little later it will be. */
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
  // First: a failed sync leaves numbers behind that mean nothing.
  if (reason === "SyncFailed" && message !== "")
    return `does not allow evicting pods currently because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy)
    return `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const why = message === "" ? "" : ` (${reason}): ${message}`;
  return `does not allow evicting pods currently${why}`;
}
