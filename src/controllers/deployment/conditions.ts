import type { Deployment, DeploymentCondition } from "../../api/apps/deployment/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { findCondition, withoutCondition } from "../../meta/conditions.ts";

export type Conditions = readonly DeploymentCondition[];

/** Upstream's reasons for `Progressing` (`deployment/util/deployment_util.go`). */
export const progressReasons = {
  updated: "ReplicaSetUpdated",
  createError: "ReplicaSetCreateError",
  created: "NewReplicaSetCreated",
  found: "FoundNewReplicaSet",
  available: "NewReplicaSetAvailable",
  timedOut: "ProgressDeadlineExceeded",
  paused: "DeploymentPaused",
  resumed: "DeploymentResumed",
} as const;

/** Makes a condition whose transition time is `now`. */
export function condition(
  type: "Available" | "Progressing",
  status: "True" | "False" | "Unknown",
  reason: string,
  message: string,
  now: number,
): DeploymentCondition {
  const time = formatTime(now);
  return { type, status, reason, message, lastUpdateTime: time, lastTransitionTime: time };
}

/**
 * Returns the conditions with one set, at their end (upstream `SetDeploymentCondition`): unlike those of other kinds, a
 * condition stays as it is while its status and its reason do, whatever its message.
 */
export function withDeploymentCondition(conditions: Conditions, next: DeploymentCondition): Conditions {
  const present = findCondition(conditions, next.type);
  if (present?.status === next.status && present.reason === next.reason) return conditions;
  return [...withoutCondition(conditions, next.type), keepingTransition(next, present)];
}

/** Keeps the transition time of the present condition when the status is unchanged. */
export function keepingTransition(
  next: DeploymentCondition,
  present: DeploymentCondition | undefined,
): DeploymentCondition {
  if (present?.status !== next.status || present.lastTransitionTime === undefined) return next;
  return { ...next, lastTransitionTime: present.lastTransitionTime };
}

/** Milliseconds without progress after which a rollout has failed; undefined when it has no deadline. */
export function progressDeadlineMs({ spec }: Deployment): number | undefined {
  const seconds = spec.progressDeadlineSeconds;
  return seconds === undefined || seconds === 2 ** 31 - 1 ? undefined : seconds * 1000;
}

/** Pausing stops the progress deadline and resuming restarts it, unless it has expired already. */
export function withPausing(deployment: Deployment, now: number): Conditions {
  const conditions = deployment.status.conditions ?? [];
  const { reason } = findCondition(conditions, "Progressing") ?? {};
  if (progressDeadlineMs(deployment) === undefined || reason === progressReasons.timedOut) return conditions;
  const { paused, resumed } = progressReasons;
  if (deployment.spec.paused === true) {
    return withDeploymentCondition(
      conditions,
      condition("Progressing", "Unknown", paused, "Deployment is paused", now),
    );
  }
  if (reason !== paused) return conditions;
  return withDeploymentCondition(
    conditions,
    condition("Progressing", "Unknown", resumed, "Deployment is resumed", now),
  );
}
