import type { Pod } from "../../api/core/pod/schema.ts";
import { isActive, isReady, readySince } from "../pods/pod-state.ts";
import { table } from "../../util/table.ts";
import { ascending } from "../../util/compare.ts";

const phases: Readonly<Record<string, number>> = table({ Pending: 0, Unknown: 1, Running: 2 });
const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/**
 * Returns the `count` Pods to delete first (upstream `ActivePodsWithRanks`). `related` are the Pods of all
 * ReplicaSets with the same owner: a Pod that shares its node with many of them is deleted earlier.
 */
export function podsToDelete(
  pods: readonly Pod[],
  related: readonly Pod[],
  count: number,
  now: number,
): readonly Pod[] {
  if (count >= pods.length) return pods;
  const onNode = new Map<string, number>();
  for (const { spec } of related.filter(isActive)) {
    const node = spec.nodeName ?? "";
    onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  const crowd = ({ spec }: Pod) => onNode.get(spec.nodeName ?? "") ?? 0;
  return pods.toSorted((a, b) => compare(a, b, crowd, now)).slice(0, count);
}

/** Negative when `a` is deleted first. The first difference decides. */
function compare(a: Pod, b: Pod, crowd: (pod: Pod) => number, now: number): number {
  return (
    Number(isAssigned(a)) - Number(isAssigned(b)) ||
    phaseOf(a) - phaseOf(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    costOf(a) - costOf(b) ||
    crowd(b) - crowd(a) ||
    (isReady(a) && isReady(b) ? compareAge(readySince(a), readySince(b), now, a, b) : 0) ||
    restarts(b) - restarts(a) ||
    sidecarRestarts(b) - sidecarRestarts(a) ||
    compareAge(createdAt(a), createdAt(b), now, a, b)
  );
}

export const isAssigned = ({ spec }: Pod) => (spec.nodeName ?? "") !== "";
export const phaseOf = ({ status }: Pod) => phases[status.phase ?? ""] ?? 0;

/** Returns the deletion cost, an int32; an invalid one counts as 0. */
function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[costAnnotation] ?? "";
  const cost = /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
  return Math.abs(cost) < 2 ** 31 ? cost : 0;
}

function createdAt({ metadata }: Pod): number | undefined {
  return metadata.creationTimestamp === undefined ? undefined : Date.parse(metadata.creationTimestamp);
}

/**
 * Deletes the younger first, comparing only the magnitude of the ages: among Pods of about one age the UID
 * decides, so that the youngest failure domain does not lose all of its Pods (KEP-2185).
 */
function compareAge(a: number | undefined, b: number | undefined, now: number, x: Pod, y: Pod): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return magnitude(now - a) - magnitude(now - b) || ascending(x.metadata.uid ?? "", y.metadata.uid ?? "");
}

/** The binary magnitude of an age in nanoseconds, as upstream computes it. */
function magnitude(ageMs: number): number {
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1;
}

export function restarts({ status }: Pod): number {
  return Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

export function sidecarRestarts({ spec, status }: Pod): number {
  const sidecars = new Set(
    (spec.initContainers ?? []).filter((one) => one.restartPolicy === "Always").map(({ name }) => name),
  );
  const counts = (status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  return Math.max(0, ...counts.map(({ restartCount }) => restartCount));
}
