import type { Deployment } from "../../api/apps/deployment/schema.ts";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { desiredReplicas, fenceposts } from "./fenceposts.ts";
import { sizeOf } from "./replica-sets.ts";

type Annotations = Readonly<Record<string, string>>;

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** What is the Deployment's own, or each ReplicaSet's own, is not handed on. */
const notHandedOn = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);
const maxHistoryLength = 2000;

/** Counts the templates that a Deployment has had, in 64 bits; 0 where it is unknown. */
export function revisionOf({ metadata }: ReplicaSet): bigint {
  const text = metadata.annotations?.[revisionAnnotation] ?? "";
  const revision = /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  return revision < 2n ** 63n ? revision : 0n;
}

/** How many Pods the Deployment wanted when it last scaled this ReplicaSet; undefined when nobody knows. */
export function desiredBefore(replicaSet: ReplicaSet): number | undefined {
  return countIn(replicaSet, desiredAnnotation);
}

/** How many Pods the Deployment could have had at most when it last scaled this ReplicaSet. */
export function maxBefore(replicaSet: ReplicaSet): number | undefined {
  return countIn(replicaSet, maxAnnotation);
}

function countIn({ metadata }: ReplicaSet, name: string): number | undefined {
  const text = metadata.annotations?.[name];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const count = Number(text);
  return count < 2 ** 31 ? count : undefined;
}

/** The ReplicaSet with the size, and with what it takes to tell a later scaling from a rollout. */
export function resized(replicaSet: ReplicaSet, size: number, deployment: Deployment): ReplicaSet {
  if (sizeOf(replicaSet) === size) return replicaSet;
  return withScale({ ...replicaSet, spec: { ...replicaSet.spec, replicas: size } }, deployment);
}

/** The ReplicaSet with the Deployment's present scale noted in it. */
export function withScale(replicaSet: ReplicaSet, deployment: Deployment): ReplicaSet {
  const desired = desiredReplicas(deployment);
  return annotated(replicaSet, {
    [desiredAnnotation]: String(desired),
    [maxAnnotation]: String(desired + fenceposts(deployment).surge),
  });
}

/**
 * The present ReplicaSet with the Deployment's annotations, and with a revision beyond those of all others. A
 * ReplicaSet that becomes the present one again keeps its former revisions as history.
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

/** The very same object when it has all of them already. */
function annotated(replicaSet: ReplicaSet, more: Annotations): ReplicaSet {
  const { metadata } = replicaSet;
  const { annotations = {} } = metadata;
  if (Object.entries(more).every(([name, value]) => annotations[name] === value)) return replicaSet;
  return { ...replicaSet, metadata: { ...metadata, annotations: { ...annotations, ...more } } };
}
