import type { Deployment, DeploymentCondition, DeploymentStatus } from "../../api/apps/deployment/schema.ts";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { orAbsent } from "../or-absent.ts";
import { present } from "../../util/present.ts";
import {
  condition,
  type Conditions,
  keepingTransition,
  progressDeadlineMs,
  progressReasons,
  withDeploymentCondition,
} from "./conditions.ts";
import { desiredReplicas, fenceposts } from "./fenceposts.ts";
import { allOf, availableIn, type Sets, sizeOf, sum } from "./replica-sets.ts";
import { findCondition, withoutCondition } from "../../meta/conditions.ts";

/** Sums up the ReplicaSets' status. `conditions` are the present conditions. */
export function countedStatus(
  deployment: Deployment,
  sets: Sets,
  conditions: Conditions,
  now: number,
): DeploymentStatus {
  const all = allOf(sets);
  const available = sum(all, availableIn);
  const enough = available >= desiredReplicas(deployment) - fenceposts(deployment).unavailable;
  const availability = enough
    ? condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
    : condition(
        "Available",
        "False",
        "MinimumReplicasUnavailable",
        "Deployment does not have minimum availability.",
        now,
      );
  return present({
    observedGeneration: deployment.metadata.generation,
    replicas: orAbsent(sum(all, ({ status }) => status.replicas)),
    updatedReplicas: orAbsent(sets.current?.status.replicas ?? 0),
    readyReplicas: orAbsent(sum(all, ({ status }) => status.readyReplicas ?? 0)),
    availableReplicas: orAbsent(available),
    unavailableReplicas: orAbsent(Math.max(0, sum(all, sizeOf) - available)),
    terminatingReplicas: terminatingIn(all),
    collisionCount: deployment.status.collisionCount,
    conditions: withDeploymentCondition(conditions, availability),
  });
}

/** Returns undefined while an observed ReplicaSet does not report its terminating Pods. */
function terminatingIn(all: readonly ReplicaSet[]): number | undefined {
  const silent = all.some(
    ({ status }) => status.terminatingReplicas === undefined && (status.observedGeneration ?? 0) > 0,
  );
  return silent ? undefined : sum(all, ({ status }) => status.terminatingReplicas ?? 0);
}

/**
 * Returns the status during a rollout, with the Progressing and ReplicaFailure conditions (upstream
 * `progress.go`).
 */
export function rolloutStatus(
  deployment: Deployment,
  sets: Sets,
  conditions: Conditions,
  now: number,
): DeploymentStatus {
  const counted = countedStatus(deployment, sets, conditions, now);
  const progressed = withProgress(deployment, sets, conditions, counted, now);
  return { ...counted, conditions: withFailure(progressed, sets) };
}

function withProgress(
  deployment: Deployment,
  { current }: Sets,
  before: Conditions,
  counted: DeploymentStatus,
  now: number,
): Conditions {
  const { conditions = [] } = counted;
  if (progressDeadlineMs(deployment) === undefined) return withoutCondition(conditions, "Progressing");
  const progressing = findCondition(before, "Progressing");
  const { available, updated, timedOut } = progressReasons;
  // The rollout has completed: a Pod that is replaced later is no progress.
  if (counted.replicas === counted.updatedReplicas && progressing?.reason === available) return conditions;
  const { name } = deployment.metadata;
  const subject = current === undefined ? `Deployment "${name}"` : `ReplicaSet "${current.metadata.name}"`;
  const say = (status: "True" | "False", reason: string, text: string) =>
    condition("Progressing", status, reason, `${subject} ${text}`, now);
  if (isComplete(deployment, counted)) {
    return withDeploymentCondition(conditions, say("True", available, "has successfully progressed."));
  }
  if (hasProgressed(deployment.status, counted)) {
    // Each update replaces the condition, because the deadline counts from the last update.
    const next = keepingTransition(say("True", updated, "is progressing."), progressing);
    return [...withoutCondition(conditions, "Progressing"), next];
  }
  if (hasTimedOut(deployment, progressing, now)) {
    return withDeploymentCondition(conditions, say("False", timedOut, "has timed out progressing."));
  }
  return conditions;
}

/** Reports whether all Pods are of the current template and available, and no old Pods exist. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const desired = desiredReplicas(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  return (
    [updatedReplicas, replicas, availableReplicas].every((count) => count === desired) &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  const grew = (count: (status: DeploymentStatus) => number | undefined) =>
    (count(after) ?? 0) > (count(before) ?? 0);
  return (
    grew((status) => status.updatedReplicas) ||
    old(after) < old(before) ||
    grew((status) => status.readyReplicas) ||
    grew((status) => status.availableReplicas)
  );
}

function hasTimedOut(
  deployment: Deployment,
  progressing: DeploymentCondition | undefined,
  now: number,
): boolean {
  const { available, timedOut } = progressReasons;
  if (progressing === undefined || progressing.reason === available) return false;
  if (progressing.reason === timedOut) return true;
  const left = untilDeadlineMs(deployment, progressing, now);
  return left !== undefined && left < 0;
}

function untilDeadlineMs(
  deployment: Deployment,
  { lastUpdateTime }: DeploymentCondition,
  now: number,
): number | undefined {
  const deadline = progressDeadlineMs(deployment);
  if (deadline === undefined || lastUpdateTime === undefined) return undefined;
  return Date.parse(lastUpdateTime) + deadline - now;
}

/** Milliseconds until the deadline must be checked again; undefined when no deadline runs. */
export function progressCheckMs(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const progressing = findCondition(status.conditions ?? [], "Progressing");
  if (progressing === undefined || progressing.reason === progressReasons.timedOut) return undefined;
  if (isComplete(deployment, status)) return undefined;
  const left = untilDeadlineMs(deployment, progressing, now);
  return left === undefined ? undefined : Math.max(0, left) + 1000;
}

/** Copies a ReplicaSet's ReplicaFailure to the Deployment, preferring the current ReplicaSet's. */
function withFailure(conditions: Conditions, sets: Sets): Conditions {
  const failures = [sets.current, ...sets.old]
    .flatMap((one) => one?.status.conditions ?? [])
    .filter(({ type }) => type === "ReplicaFailure");
  const [failure] = failures;
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  return withDeploymentCondition(
    conditions,
    present({ ...failure, lastUpdateTime: failure.lastTransitionTime }),
  );
}
