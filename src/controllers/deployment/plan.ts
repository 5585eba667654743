import type { Deployment, DeploymentStatus } from "../../api/apps/deployment/schema.ts";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { controllerRef } from "../ownership/controller-ref.ts";
import { isTerminal } from "../pods/pod-state.ts";
import { present } from "../../util/present.ts";
import { resized, revisionAnnotation, revisionOf, withRevision, withScale } from "./annotations.ts";
import {
  condition,
  type Conditions,
  progressDeadlineMs,
  progressReasons,
  withDeploymentCondition,
  withPausing,
} from "./conditions.ts";
import { desiredReplicas, isRolling } from "./fenceposts.ts";
import { allOf, byAge, type Sets, sizeOf, sortOut } from "./replica-sets.ts";
import { currentSize, rollingStep } from "./rolling.ts";
import { scaleSets, wasScaled } from "./scaling.ts";
import { countedStatus, isComplete, progressCheckMs, rolloutStatus } from "./status.ts";
import { hashLabel, replicaSetName, templateHash } from "./template-hash.ts";
import { findCondition } from "../../meta/conditions.ts";

export interface Observed {
  readonly deployment: Deployment;
  /** The ReplicaSets that the Deployment owns. */
  readonly replicaSets: readonly ReplicaSet[];
  /** Returns all Pods of a ReplicaSet, in any phase. */
  readonly podsOf: (replicaSet: ReplicaSet) => readonly Pod[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export type Action =
  | { readonly type: "create"; readonly replicaSet: ReplicaSet }
  | { readonly type: "update"; readonly replicaSet: ReplicaSet; readonly from: number }
  | { readonly type: "delete"; readonly replicaSet: ReplicaSet };

export interface Plan {
  /** Carried out in this order, before the status is written. */
  readonly actions: readonly Action[];
  /** The Deployment with its new status and revision; undefined when nothing changes. */
  readonly write: Deployment | undefined;
  /** Milliseconds until the next reconciliation if no event comes first; undefined for none. */
  readonly checkAfterMs: number | undefined;
}

/** The result of a step: the desired ReplicaSets, and those that may be deleted. */
interface Step {
  readonly sets: Sets;
  readonly conditions: Conditions;
  readonly doomed?: readonly ReplicaSet[];
  readonly rollout: boolean;
}

/** Plans the next step of a Deployment (upstream `deployment_controller.go` syncDeployment). */
export function planDeployment(observed: Observed): Plan {
  const { deployment, now } = observed;
  const found = sortOut(deployment, observed.replicaSets);
  const step = stepOf(observed, found);
  const status = (step.rollout ? rolloutStatus : countedStatus)(deployment, step.sets, step.conditions, now);
  return {
    actions: [...changes(found, step.sets), ...(step.doomed ?? []).map(deletion)],
    write: withStatus(deployment, status, step.sets.current),
    checkAfterMs: step.rollout ? progressCheckMs(deployment, status, now) : undefined,
  };
}

function stepOf(observed: Observed, found: Sets): Step {
  const { deployment, now } = observed;
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return { sets: found, conditions: deployment.status.conditions ?? [], rollout: false };
  }
  const { sets, conditions } = withSynced(deployment, found, withPausing(deployment, now), now);
  if (deployment.spec.paused === true) {
    const doomed = beyondHistory(deployment, sets);
    return { sets: scaleSets(sets, deployment), conditions, doomed, rollout: false };
  }
  if (wasScaled(sets, deployment)) return { sets: scaleSets(sets, deployment), conditions, rollout: false };
  return isRolling(deployment) ? roll(observed, sets, conditions) : recreate(observed, sets, conditions);
}

function roll({ deployment, now }: Observed, found: Sets, before: Conditions): Step {
  const { sets, conditions } = withCurrent(deployment, found, before, now);
  const next = rollingStep(sets, deployment);
  const idle = next.current === sets.current && sameSets(next.old, sets.old);
  return { sets: next, conditions, doomed: idle ? doomedAfter(deployment, next) : [], rollout: true };
}

/** Scales the old ReplicaSets to 0, and creates the new one only after all old Pods have ended. */
function recreate({ deployment, podsOf, now }: Observed, found: Sets, before: Conditions): Step {
  const emptied = { ...found, old: found.old.map((one) => resized(one, 0, deployment)) };
  const oldRuns = found.old.some(
    (one) => one.status.replicas > 0 || podsOf(one).some((pod) => !isTerminal(pod)),
  );
  if (oldRuns || !sameSets(emptied.old, found.old))
    return { sets: emptied, conditions: before, rollout: true };
  const { sets, conditions } = withCurrent(deployment, emptied, before, now);
  const current = resized(sets.current, desiredReplicas(deployment), deployment);
  return { sets: { ...sets, current }, conditions, doomed: doomedAfter(deployment, sets), rollout: true };
}

function sameSets(a: readonly ReplicaSet[], b: readonly ReplicaSet[]): boolean {
  return a.every((one, i) => one === b[i]);
}

interface Synced<S extends Sets = Sets> {
  readonly sets: S;
  readonly conditions: Conditions;
}

/** Copies the Deployment's annotations and minReadySeconds to an existing current ReplicaSet. */
function withSynced(deployment: Deployment, sets: Sets, conditions: Conditions, now: number): Synced {
  if (sets.current === undefined) return { sets, conditions };
  const annotated = withRevision(sets.current, deployment, sets.old);
  const { minReadySeconds } = deployment.spec;
  const current =
    (annotated.spec.minReadySeconds ?? 0) === (minReadySeconds ?? 0)
      ? annotated
      : { ...annotated, spec: { ...annotated.spec, minReadySeconds: minReadySeconds ?? 0 } };
  const counts =
    progressDeadlineMs(deployment) !== undefined && findCondition(conditions, "Progressing") === undefined;
  if (!counts) return { sets: { ...sets, current }, conditions };
  const text = `Found new replica set "${current.metadata.name}"`;
  const first = condition("Progressing", "True", progressReasons.found, text, now);
  return { sets: { ...sets, current }, conditions: withDeploymentCondition(conditions, first) };
}

/** Adds the ReplicaSet of the Deployment's template when it is missing. */
function withCurrent(
  deployment: Deployment,
  { current, old }: Sets,
  conditions: Conditions,
  now: number,
): Synced<Sets & { readonly current: ReplicaSet }> {
  if (current !== undefined) return { sets: { current, old }, conditions };
  const made = newReplicaSet(deployment, old);
  if (progressDeadlineMs(deployment) === undefined) return { sets: { current: made, old }, conditions };
  const text = `Created new replica set "${made.metadata.name}"`;
  const first = condition("Progressing", "True", progressReasons.created, text, now);
  return { sets: { current: made, old }, conditions: withDeploymentCondition(conditions, first) };
}

/**
 * Names the ReplicaSet after its template's hash, so that a retried create is an AlreadyExists instead of a
 * second one.
 */
function newReplicaSet(deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet {
  const { metadata, spec, status } = deployment;
  const hash = templateHash(spec.template, status.collisionCount);
  const labels = { ...spec.template.metadata.labels, [hashLabel]: hash };
  const empty: ReplicaSet = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: present({
      name: replicaSetName(metadata.name ?? "", hash),
      namespace: metadata.namespace,
      labels,
      ownerReferences: [controllerRef(deployment)],
    }),
    spec: present({
      replicas: 0,
      minReadySeconds: spec.minReadySeconds,
      selector: { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [hashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    }),
    status: { replicas: 0 },
  };
  const sized = resized(empty, currentSize(empty, old, deployment), deployment);
  return withScale(withRevision(sized, deployment, old), deployment);
}

function doomedAfter(deployment: Deployment, sets: Sets): readonly ReplicaSet[] {
  return isComplete(deployment, deployment.status) ? beyondHistory(deployment, sets) : [];
}

/**
 * Returns the oldest ReplicaSets beyond `revisionHistoryLimit`, leaving out those that have Pods or may have
 * some.
 */
function beyondHistory({ spec }: Deployment, { old }: Sets): readonly ReplicaSet[] {
  const limit = spec.revisionHistoryLimit;
  if (limit === undefined) return [];
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return alive
    .toSorted((a, b) => Number(revisionOf(a) - revisionOf(b)) || byAge(a, b))
    .slice(0, Math.max(0, alive.length - limit))
    .filter(isEmpty);
}

function isEmpty(replicaSet: ReplicaSet): boolean {
  const { metadata, status } = replicaSet;
  const observed = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return status.replicas === 0 && sizeOf(replicaSet) === 0 && observed;
}

const deletion = (replicaSet: ReplicaSet): Action => ({ type: "delete", replicaSet });

function changes(before: Sets, after: Sets): readonly Action[] {
  return allOf(after).flatMap((replicaSet): Action[] => {
    const was = allOf(before).find(({ metadata }) => metadata.uid === replicaSet.metadata.uid);
    if (was === undefined) return [{ type: "create", replicaSet }];
    return was === replicaSet ? [] : [{ type: "update", replicaSet, from: sizeOf(was) }];
  });
}

function withStatus(
  deployment: Deployment,
  status: DeploymentStatus,
  current: ReplicaSet | undefined,
): Deployment | undefined {
  const { metadata } = deployment;
  const { [revisionAnnotation]: before } = metadata.annotations ?? {};
  const revision = current?.metadata.annotations?.[revisionAnnotation] ?? before;
  if (revision === before && deepEqual(status, deployment.status)) return undefined;
  if (revision === undefined) return { ...deployment, status };
  const annotations = { ...metadata.annotations, [revisionAnnotation]: revision };
  return { ...deployment, metadata: { ...metadata, annotations }, status };
}
