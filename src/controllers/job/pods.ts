import type { Job } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { isTerminal, podCondition } from "../pods/pod-state.ts";

/** Keeps a Pod until its Job has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";
export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;
export const isTemplateRetriedInPlace = ({ spec }: Job): boolean =>
  spec.template.spec.restartPolicy === "OnFailure";

/** The controller of another project that is responsible for the Job (`spec.managedBy`). */
export function externalManager({ spec }: Job): string | undefined {
  return spec.managedBy === "kubernetes.io/job-controller" ? undefined : spec.managedBy;
}

/** Returns the Pod's completion index; undefined without a valid one. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation] ?? "";
  return /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the Pod's completion index when it is less than the Job's completions. */
export function validIndex(pod: Pod, { spec }: Job): number | undefined {
  const index = completionIndex(pod);
  return index !== undefined && index < (spec.completions ?? 0) ? index : undefined;
}

/** Reports whether the Job counts the Pod: an Indexed Job only counts Pods with a valid index. */
export function isCountable(pod: Pod, job: Job): boolean {
  return !isIndexed(job) || validIndex(pod, job) !== undefined;
}

/** Reports whether Pods are replaced only once they have terminated, and not while they are terminating. */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;
}

/** Reports whether the Pod counts as failed: terminating Pods count, unless only failed Pods are replaced. */
export function isFailed(pod: Pod, job: Job): boolean {
  if (isTerminal(pod)) return pod.status.phase === "Failed";
  return !replacesOnlyFailed(job) && pod.metadata.deletionTimestamp !== undefined;
}

/** The time when the Pod finished, in milliseconds since the epoch (upstream `getFinishedTime`). */
export function finishedAt(pod: Pod): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp = "" } = pod.metadata;
  const ready = podCondition(pod, "Ready");
  const notReadySince = ready?.status === "False" ? timeOf(ready.lastTransitionTime) : undefined;
  const deletion = timeOf(deletionTimestamp);
  return (
    lastContainerFinish(pod) ??
    notReadySince ??
    (deletion === undefined ? undefined : deletion - deletionGracePeriodSeconds * 1000) ??
    timeOf(creationTimestamp) ??
    0
  );
}

/** The time when the last container terminated; undefined while one has not. */
function lastContainerFinish({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    (spec.initContainers ?? []).filter((one) => one.restartPolicy === "Always").map(({ name }) => name),
  );
  const all = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const times = all.map(({ state }) => timeOf(state?.terminated?.finishedAt));
  const known = times.filter((time) => time !== undefined);
  return known.length < all.length || known.length === 0 ? undefined : Math.max(...known);
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : time;
}
