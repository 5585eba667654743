import type { StatefulSet, StatefulSetStatus } from "../../api/apps/stateful-set/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { orAbsent } from "../or-absent.ts";
import { present } from "../../util/present.ts";
import { isReady, untilAvailableMs } from "../pods/pod-state.ts";
import { isConsistent, ordinalOf, revisionOf } from "./identity.ts";

/** The names of the revisions that a StatefulSet's Pods are made from. */
export interface Revisions {
  /** The revision of Pods that are not updated yet. */
  readonly current: string;
  /** The revision of the present template. */
  readonly update: string;
  readonly collisionCount: number | undefined;
}

export interface Observed {
  readonly set: StatefulSet;
  /** The Pods that the StatefulSet owns, terminating ones included. */
  readonly pods: readonly Pod[];
  readonly revisions: Revisions;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export type Action =
  /** Creates the claims of an ordinal, then its Pod, from a revision. */
  | { readonly type: "create"; readonly ordinal: number; readonly revision: string }
  | { readonly type: "delete"; readonly pod: Pod }
  /** Gives a Pod the labels that its ordinal demands, and makes its claims. */
  | { readonly type: "repair"; readonly pod: Pod };

export interface Plan {
  readonly actions: readonly Action[];
  /** The milliseconds until a Pod becomes available. */
  readonly againMs: number | undefined;
}

/**
 * Plans the next steps (upstream `stateful_set_control.go`):
 *
 * 1. An ordinal has one Pod at a time: the next is created after the last has left the API.
 * 2. With OrderedReady, a Pod is created or deleted only while all Pods before it are running, ready and available.
 * 3. Pods beyond the desired number are deleted from the highest ordinal down, before any update.
 * 4. An update replaces Pods from the highest ordinal down to the partition, at most `maxUnavailable` at a time.
 */
export function planStatefulSet(observed: Observed): Plan {
  const { set, pods } = observed;
  if (set.metadata.deletionTimestamp !== undefined) return { actions: [], againMs: undefined };
  const { slots, condemned } = arrange(set, pods);
  const actions: Action[] = [];
  const waits: number[] = [];
  const mustWait = fill(observed, slots, actions, waits) || drain(observed, condemned, slots, actions, waits);
  if (!mustWait) replace(observed, slots, actions);
  return { actions, againMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

interface Slot {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/** The desired ordinals with their Pods, and the Pods beyond them, the highest ordinal first. */
function arrange(set: StatefulSet, pods: readonly Pod[]) {
  const { start, end } = rangeOf(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod, set), pod]));
  const slots = Array.from({ length: end - start }, (_, i): Slot => ({
    ordinal: start + i,
    pod: byOrdinal.get(start + i),
  }));
  const condemned = [...byOrdinal]
    .filter(([ordinal]) => ordinal >= 0 && (ordinal < start || ordinal >= end))
    .sort(([a], [b]) => b - a)
    .map(([, pod]) => pod);
  return { slots, condemned };
}

/** The desired ordinals: from `start` up to but not including `end`. */
export function rangeOf({ spec }: StatefulSet): { readonly start: number; readonly end: number } {
  const start = spec.ordinals?.start ?? 0;
  return { start, end: start + (spec.replicas ?? 1) };
}

/** Creates missing Pods in order. True when nothing else may happen before the next look. */
function fill(observed: Observed, slots: readonly Slot[], actions: Action[], waits: number[]): boolean {
  const { set, revisions } = observed;
  for (const { ordinal, pod } of slots) {
    if (pod === undefined) {
      actions.push({ type: "create", ordinal, revision: revisionFor(set, revisions, ordinal) });
      if (isOrdered(set)) return true;
      continue;
    }
    if (hasEnded(pod)) {
      if (!isTerminating(pod)) actions.push({ type: "delete", pod });
      if (isOrdered(set)) return true;
      continue;
    }
    if (isOrdered(set) && !isSettled(observed, pod, waits)) return true;
    if (!isConsistent(pod, set) || pod.status.phase === "Pending") actions.push({ type: "repair", pod });
  }
  return false;
}

/** Deletes the Pods beyond the desired number. True when nothing else may happen before the next look. */
function drain(
  observed: Observed,
  condemned: readonly Pod[],
  slots: readonly Slot[],
  actions: Action[],
  waits: number[],
): boolean {
  const { set } = observed;
  const firstUnavailable = [...slots.map(({ pod }) => pod), ...condemned.toReversed()].find(
    (pod) => pod !== undefined && isUnavailable(observed, pod),
  );
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (isOrdered(set)) return true;
      continue;
    }
    // An unavailable Pod is no reason to wait when it is the one to go.
    if (isOrdered(set) && pod !== firstUnavailable && !isSettled(observed, pod, waits)) return true;
    actions.push({ type: "delete", pod });
    if (isOrdered(set)) return true;
  }
  return false;
}

/**
 * Deletes Pods of other revisions than the update revision: they are created again from it. Without
 * `maxUnavailable`, only the Pods above the one to replace must be available.
 */
function replace(observed: Observed, slots: readonly Slot[], actions: Action[]): void {
  const { set, revisions } = observed;
  const { type, rollingUpdate } = set.spec.updateStrategy;
  if (type === "OnDelete") return;
  const isBlocking = ({ pod }: Slot) => pod === undefined || isUnavailable(observed, pod);
  const isOutdated = ({ pod }: Slot) =>
    pod !== undefined && revisionOf(pod) !== revisions.update && !isTerminating(pod);
  const targets = slots.slice(rollingUpdate?.partition ?? 0).toReversed();
  const outdated = targets.filter(isOutdated);
  const most = rollingUpdate?.maxUnavailable;
  const room =
    most === undefined
      ? Number(targets.find((slot) => isOutdated(slot) || isBlocking(slot)) === outdated[0])
      : maxUnavailable(most, slots.length) - slots.filter(isBlocking).length;
  for (const { pod } of outdated.slice(0, Math.max(0, room)))
    if (pod !== undefined) actions.push({ type: "delete", pod });
}

/** The number of Pods that an update may make unavailable: a share is rounded down, and at least 1. */
function maxUnavailable(value: number | string, replicas: number): number {
  const count = typeof value === "number" ? value : Math.floor((Number.parseInt(value, 10) * replicas) / 100);
  return Math.max(1, count);
}

/** The revision of a Pod that is created: below the partition, Pods keep the current one. */
function revisionFor({ spec, status }: StatefulSet, { current, update }: Revisions, ordinal: number): string {
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type === "OnDelete") return update;
  const kept = rollingUpdate?.partition ?? (rollingUpdate === undefined ? (status.currentReplicas ?? 0) : 0);
  return ordinal < (spec.ordinals?.start ?? 0) + kept ? current : update;
}

/** Reports whether a Pod does not keep the next ones waiting: it is running, ready, available and not terminating. */
function isSettled({ set, now }: Observed, pod: Pod, waits: number[]): boolean {
  if (!isHealthy(pod)) return false;
  const wait = untilAvailable(set, pod, now);
  if (wait !== undefined && wait > 0) waits.push(wait);
  return wait === 0;
}

const isUnavailable = ({ set, now }: Observed, pod: Pod) =>
  isTerminating(pod) || untilAvailable(set, pod, now) !== 0;

function untilAvailable({ spec }: StatefulSet, pod: Pod, now: number): number | undefined {
  return untilAvailableMs(pod, spec.minReadySeconds ?? 0, now);
}

const isOrdered = ({ spec }: StatefulSet) => spec.podManagementPolicy !== "Parallel";
const isTerminating = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const isCreated = ({ status }: Pod) => (status.phase ?? "") !== "";
const isRunningAndReady = (pod: Pod) => pod.status.phase === "Running" && isReady(pod);
const isHealthy = (pod: Pod) => isRunningAndReady(pod) && !isTerminating(pod);
const hasEnded = ({ status }: Pod) => status.phase === "Failed" || status.phase === "Succeeded";

/** The status, and `completed` when the last Pod of an update is ready: the update revision is the current one then. */
export function statusOf({ set, pods, revisions, now }: Observed): StatefulSetStatus {
  const count = (test: (pod: Pod) => boolean) => pods.filter(test).length;
  const ofRevision = (name: string) =>
    count((pod) => isCreated(pod) && !isTerminating(pod) && revisionOf(pod) === name);
  const replicas = count(isCreated);
  const readyReplicas = count(isRunningAndReady);
  const updatedReplicas = ofRevision(revisions.update);
  const isComplete =
    set.spec.updateStrategy.type !== "OnDelete" &&
    [replicas, readyReplicas, updatedReplicas].every((one) => one === (set.spec.replicas ?? 1));
  const current = isComplete ? revisions.update : revisions.current;
  return present({
    observedGeneration: set.metadata.generation,
    replicas,
    readyReplicas: orAbsent(readyReplicas),
    currentReplicas: orAbsent(isComplete ? updatedReplicas : ofRevision(revisions.current)),
    updatedReplicas: orAbsent(updatedReplicas),
    currentRevision: current,
    updateRevision: revisions.update,
    collisionCount: revisions.collisionCount ?? 0,
    conditions: set.status.conditions,
    availableReplicas: count((pod) => isRunningAndReady(pod) && untilAvailable(set, pod, now) === 0),
  });
}
