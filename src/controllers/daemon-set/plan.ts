import type { DaemonSet, DaemonSetStatus } from "../../api/apps/daemon-set/schema.ts";
import type { Node } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { isReady, untilAvailableMs } from "../pods/pod-state.ts";
import { orAbsent } from "../or-absent.ts";
import { present } from "../../util/present.ts";
import { nodeOf, placementOn } from "./placement.ts";

/** The revision that a daemon Pod was made from, by its hash. */
export const hashLabel = "controller-revision-hash";

export interface Observed {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** The Pods that the DaemonSet owns, terminating ones included. */
  readonly pods: readonly Pod[];
  /** The hash of the present template. */
  readonly hash: string;
  readonly collisionCount: number | undefined;
  /** The nodes whose failed Pods are not deleted yet, with the milliseconds until then. */
  readonly backoffs: ReadonlyMap<string, number>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Plan {
  /** The names of the nodes that get a Pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

/** The greatest number of Pods that one reconciliation creates, and deletes. */
const burst = 250;

/**
 * Plans creates and deletes (upstream `daemon_controller.go`, `update.go`):
 *
 * 1. A node that should run a daemon Pod has one; during an update with surge also the next one.
 * 2. A failed or succeeded Pod is deleted, and comes again; a failed one after a back-off.
 * 3. A rolling update makes at most `maxUnavailable` nodes unavailable, or gives `maxSurge` nodes a second Pod.
 */
export function planDaemonSet(observed: Observed): Plan {
  if (observed.set.metadata.deletionTimestamp !== undefined) return { create: [], remove: [] };
  const byNode = podsByNode(observed);
  const limits = limitsOf(observed);
  const manage = planNodes(observed, byNode, limits);
  // An update goes on once every node has what it should have.
  const isSettled = manage.create.length === 0 && manage.remove.length === 0;
  const { create, remove } = isSettled ? planUpdate(observed, byNode, limits) : manage;
  return { create: create.slice(0, burst), remove: remove.slice(0, burst) };
}

type ByNode = ReadonlyMap<string, readonly Pod[]>;

/** The Pods by node, the oldest first; nodes without Pods have none. A Pod that has ended and is terminating is as good as gone. */
function podsByNode({ nodes, pods }: Observed): ByNode {
  const byNode = new Map<string, Pod[]>(nodes.map(({ metadata }) => [metadata.name ?? "", []]));
  for (const pod of pods) {
    if (!hasEnded(pod) || !isTerminating(pod)) byNode.get(nodeOf(pod) ?? "")?.push(pod);
  }
  for (const own of byNode.values()) own.sort(byAge);
  return byNode;
}

function byAge(a: Pod, b: Pod): number {
  const age = ({ metadata }: Pod) => Date.parse(metadata.creationTimestamp ?? "") || 0;
  return Number(a.spec.nodeName === undefined) - Number(b.spec.nodeName === undefined) || age(a) - age(b);
}

/** Gives each node the Pods that it should have. */
function planNodes(observed: Observed, byNode: ByNode, limits: Limits): Plan {
  const create: string[] = [];
  const remove: Pod[] = [];
  for (const node of observed.nodes) {
    const name = node.metadata.name ?? "";
    const own = byNode.get(name) ?? [];
    const { shouldRun, mayStay } = placementOn(observed.set, node);
    // A surge does not wait for a Pod that is terminating.
    const present = limits.surge === 0 ? own : own.filter((pod) => !isTerminating(pod) && !hasEnded(pod));
    if (shouldRun && present.length === 0) create.push(name);
    if (mayStay) remove.push(...surplusOn(observed, own, limits));
    else remove.push(...own.filter((pod) => !isTerminating(pod)));
  }
  // A Pod that waits for a node that has gone would wait for ever.
  for (const pod of observed.pods) {
    const isLost = pod.spec.nodeName === undefined && !byNode.has(nodeOf(pod) ?? "");
    if (isLost && !isTerminating(pod)) remove.push(pod);
  }
  return { create, remove };
}

/** The Pods of one node that must go: those that have ended, and all but one of the others, or two during a surge. */
function surplusOn(observed: Observed, own: readonly Pod[], { surge }: Limits): readonly Pod[] {
  const alive = own.filter((pod) => !isTerminating(pod));
  const ended = alive.filter(
    (pod) => hasEnded(pod) && !(pod.status.phase === "Failed" && observed.backoffs.has(nodeOf(pod) ?? "")),
  );
  const running = alive.filter((pod) => !hasEnded(pod));
  if (running.length < 2) return ended;
  if (surge === 0) return [...ended, ...running.slice(1)];
  const [newest, ...moreNew] = running.filter((pod) => isUpdated(observed, pod));
  const [oldest, ...moreOld] = running.filter((pod) => !isUpdated(observed, pod));
  const replaced =
    newest !== undefined && oldest !== undefined && (!isReady(oldest) || isAvailable(observed, newest))
      ? [oldest]
      : [];
  return [...ended, ...moreNew, ...moreOld, ...replaced];
}

function planUpdate(observed: Observed, byNode: ByNode, limits: Limits): Plan {
  if (observed.set.spec.updateStrategy.type === "OnDelete") return { create: [], remove: [] };
  return limits.surge === 0 ? planReplacement(observed, byNode, limits) : planSurge(observed, byNode, limits);
}

interface Pair {
  readonly node: string;
  readonly updated: Pod | undefined;
  readonly old: Pod | undefined;
  /** False while a node has several Pods of one kind: it must settle first. */
  readonly isClear: boolean;
  /** False for a node whose Pod may only stay. */
  readonly shouldRun: boolean;
}

/** The Pods of the nodes that have one, or should. */
function pairsOf(observed: Observed, byNode: ByNode): readonly Pair[] {
  const { set, nodes } = observed;
  const wanting = new Set(
    nodes.filter((node) => placementOn(set, node).shouldRun).map(({ metadata }) => metadata.name),
  );
  const relevant = [...byNode].filter(([node, own]) => own.length > 0 || wanting.has(node));
  return relevant.map(([node, own]) => {
    const alive = own.filter((pod) => !isTerminating(pod));
    const updated = alive.filter((pod) => isUpdated(observed, pod));
    const old = alive.filter((pod) => !isUpdated(observed, pod));
    const isClear = updated.length < 2 && old.length < 2;
    return { node, updated: updated[0], old: old[0], isClear, shouldRun: wanting.has(node) };
  });
}

/** Deletes old Pods: the unavailable ones at once, of the others as many as may be unavailable. */
function planReplacement(observed: Observed, byNode: ByNode, limits: Limits): Plan {
  const remove: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { updated, old, isClear } of pairsOf(observed, byNode)) {
    if (!isClear || (updated === undefined) === (old === undefined)) unavailable += 1;
    else if (updated !== undefined) unavailable += isAvailable(observed, updated) ? 0 : 1;
    else if (old !== undefined && !isAvailable(observed, old)) {
      remove.push(old);
      unavailable += 1;
    } else if (old !== undefined) candidates.push(old);
  }
  const left = Math.max(0, limits.unavailable - unavailable);
  return { create: [], remove: [...remove, ...candidates.slice(0, left)] };
}

/**
 * Creates Pods beside old ones, and deletes the old ones once the new ones are available. On a node that should not run
 * a Pod any more, an available one goes only when enough others are available.
 */
function planSurge(observed: Observed, byNode: ByNode, limits: Limits): Plan {
  const remove: Pod[] = [];
  const create: string[] = [];
  const candidates: string[] = [];
  const leaving: Pod[] = [];
  let surging = 0;
  let available = 0;
  const pairs = pairsOf(observed, byNode);
  for (const { node, updated, old, isClear, shouldRun } of pairs) {
    if (!isClear) {
      surging += 1;
      continue;
    }
    const first = old ?? updated;
    const isFirstAvailable = first !== undefined && isAvailable(observed, first);
    if (isFirstAvailable) available += 1;
    if (old === undefined) continue;
    if (updated !== undefined && isAvailable(observed, updated)) remove.push(old);
    else if (updated !== undefined) surging += 1;
    else if (shouldRun) (isFirstAvailable ? candidates : create).push(node);
    else (isFirstAvailable ? leaving : remove).push(old);
  }
  const left = Math.max(0, limits.surge - surging);
  const spare = Math.max(0, available - pairs.filter(({ shouldRun }) => shouldRun).length);
  return {
    create: [...create, ...candidates.slice(0, left)],
    remove: [...remove, ...leaving.slice(0, spare)],
  };
}

/** The limits of an update, in nodes. */
interface Limits {
  readonly unavailable: number;
  readonly surge: number;
}

/** Computes the limits: shares of the desired number are rounded up. */
function limitsOf({ set, nodes }: Observed): Limits {
  const { maxUnavailable = 1, maxSurge = 0 } = set.spec.updateStrategy.rollingUpdate ?? {};
  const desired = nodes.filter((node) => placementOn(set, node).shouldRun).length;
  const scale = (value: number | string) =>
    typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * desired) / 100);
  const surge = set.spec.updateStrategy.type === "OnDelete" ? 0 : scale(maxSurge);
  const unavailable = scale(maxUnavailable);
  // At least one of them, so that an update ends.
  return { surge, unavailable: surge === 0 ? Math.max(1, unavailable) : unavailable };
}

/** Returns the new status; undefined when nothing changes. */
export function planStatus(observed: Observed): DaemonSetStatus | undefined {
  const { set, nodes, collisionCount } = observed;
  const byNode = podsByNode(observed);
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const [pod] = byNode.get(node.metadata.name ?? "") ?? [];
    const { shouldRun } = placementOn(set, node);
    if (shouldRun) counts.desired += 1;
    else if (pod !== undefined) counts.misscheduled += 1;
    if (!shouldRun || pod === undefined) continue;
    counts.current += 1;
    if (isUpdated(observed, pod)) counts.updated += 1;
    if (isReady(pod)) counts.ready += 1;
    if (isAvailable(observed, pod)) counts.available += 1;
  }
  const status = present({
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    observedGeneration: set.metadata.generation,
    updatedNumberScheduled: orAbsent(counts.updated),
    numberAvailable: orAbsent(counts.available),
    numberUnavailable: orAbsent(counts.desired - counts.available),
    collisionCount,
    conditions: set.status.conditions,
  });
  return deepEqual(status, set.status) ? undefined : status;
}

/** Milliseconds until the next ready Pod becomes available, or the next back-off ends; undefined when none will. */
export function untilNextMs({ set, pods, backoffs, now }: Observed): number | undefined {
  const waits = [
    ...backoffs.values(),
    ...pods
      .map((pod) => untilAvailableMs(pod, set.spec.minReadySeconds ?? 0, now) ?? 0)
      .filter((wait) => wait > 0),
  ];
  return waits.length === 0 ? undefined : Math.min(...waits);
}

const isTerminating = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined;
const hasEnded = ({ status }: Pod) => status.phase === "Failed" || status.phase === "Succeeded";
const isUpdated = ({ hash }: Observed, { metadata }: Pod) => metadata.labels?.[hashLabel] === hash;

function isAvailable({ set, now }: Observed, pod: Pod): boolean {
  return untilAvailableMs(pod, set.spec.minReadySeconds ?? 0, now) === 0;
}
