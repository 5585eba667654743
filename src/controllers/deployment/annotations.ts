import type { Deployment } from "../../api/apps/deployment/schema.ts";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { desiredReplicas, fenceposts } from "./fenceposts.ts";
import { sizeOf } from "./replica-sets.ts";

type Annotations = Readonly<Record<string, string>>;

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/**
 * Annotations that belong to the Deployment alone or to each ReplicaSet alone. They are not copied to
 * ReplicaSets.
 */
const notHandedOn = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);
const maxHistoryLength = 2000;

/**
 * Returns the revision annotation as a 64-bit count of the Deployment's templates; 0 when it is missing or
 * invalid.
 */
export function revisionOf({ metadata }: ReplicaSet): bigint {
  const text = metadata.annotations?.[revisionAnnotation] ?? "";
  const revision = /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  return revision < 2n ** 63n ? revision : 0n;
}

/**
 * The Deployment's `spec.replicas` when it last scaled this ReplicaSet; undefined when the annotation is
 * missing or invalid.
 */
export function desiredBefore(replicaSet: ReplicaSet): number | undefined {
  return countIn(replicaSet, desiredAnnotation);
}

/**
 * The Deployment's replicas plus surge when it last scaled this ReplicaSet; undefined when the annotation is
 * missing or invalid.
 */
export function maxBefore(replicaSet: ReplicaSet): number | undefined {
  return countIn(replicaSet, maxAnnotation);
}

function countIn({ metadata }: ReplicaSet, name: string): number | undefined {
  const text = metadata.annotations?.[name];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const count = Number(text);
  return count < 2 ** 31 ? count : undefined;
}

/**
 * Returns the ReplicaSet with the size, and with the annotations that later tell a scaling from a rollout.
 */
export function resized(replicaSet: ReplicaSet, size: number, deployment: Deployment): ReplicaSet {
  if (sizeOf(replicaSet) === size) return replicaSet;
  return withScale({ ...replicaSet, spec: { ...replicaSet.spec, replicas: size } }, deployment);
}

/** Returns the ReplicaSet with the Deployment's present scale in its annotations. */
export function withScale(replicaSet: ReplicaSet, deployment: Deployment): ReplicaSet {
  const desired = desiredReplicas(deployment);
  return annotated(replicaSet, {
    [desiredAnnotation]: String(desired),
    [maxAnnotation]: String(desired + fenceposts(deployment).surge),
  });
}

/**
 * Returns the current ReplicaSet with the Deployment's annotations and a revision greater than all others'.
 * When a rollback makes an old ReplicaSet current, its former revisions stay in its history annotation.
 */
export function withRevision(
  replicaSet: ReplicaSet,
  deployment: Deployment,
  old: readonly ReplicaSet[],
): ReplicaSet {
  const handedOn = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([name]) => !notHandedOn.has(name),
  );
  const before = replicaSet.metadata.annotations ?? {};
  const revision = old.map(revisionOf).reduce((most, one) => (one > most ? one : most), 0n) + 1n;
  const own = revisionOf(replicaSet) < revision ? nextRevision(before, revision) : {};
  return annotated(replicaSet, { ...Object.fromEntries(handedOn), ...own });
}

function nextRevision(before: Annotations, revision: bigint): Annotations {
  const next = { [revisionAnnotation]: String(revision) };
  const last = before[revisionAnnotation];
  if (last === undefined) return next;
  const history = (before[historyAnnotation] ?? "").split(",").filter((one) => one !== "");
  history.push(last);
  while (history.join().length > maxHistoryLength) history.shift();
  return { ...next, [historyAnnotation]: history.join() };
}

/** Returns the same object when it has all of these annotations already. */
function annotated(replicaSet: ReplicaSet, more: Annotations): ReplicaSet {
  const { metadata } = replicaSet;
  const { annotations = {} } = metadata;
  if (Object.entries(more).every(([name, value]) => annotations[name] === value)) return replicaSet;
  return { ...replicaSet, metadata: { ...metadata, annotations: { ...annotations, ...more } } };
}
