import { maxScore } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import type { Resources } from "../resources.ts";

/** Scores a node, 0 to 100, for a Pod with this request (defaults for containers without requests included). */
export type ResourceScorer = (request: Resources, node: NodeInfo) => number;

export interface WeightedResource {
  readonly name: string;
  readonly weight: number;
}

/** The resources of the default profile. */
export const cpuAndMemory: readonly WeightedResource[] = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];

/** Prefers the node that is emptiest with the Pod (scheduler `noderesources/least_allocated.go`). */
export function leastAllocated(resources: readonly WeightedResource[] = cpuAndMemory): ResourceScorer {
  return weighted(resources, (taken, all) =>
    taken > all ? 0 : Math.floor(((all - taken) * maxScore) / all),
  );
}

/** Prefers the node that is fullest with the Pod (scheduler `noderesources/most_allocated.go`). */
export function mostAllocated(resources: readonly WeightedResource[] = cpuAndMemory): ResourceScorer {
  return weighted(resources, (taken, all) => Math.floor((Math.min(taken, all) * maxScore) / all));
}

/** A point of the function from utilization (0 to 100) to score (0 to 10). */
export interface ShapePoint {
  readonly utilization: number;
  readonly score: number;
}

/** Scores by a function of the utilization (scheduler `noderesources/requested_to_capacity_ratio.go`). */
export function requestedToCapacityRatio(
  shape: readonly ShapePoint[],
  resources: readonly WeightedResource[] = cpuAndMemory,
): ResourceScorer {
  const points = shape.map(({ utilization, score }) => ({ utilization, score: score * 10 }));
  const scoreOf = (taken: number, all: number) =>
    interpolate(points, taken > all ? 100 : Math.floor((taken * 100) / all));
  // As upstream: a resource whose score is 0 does not count in the mean.
  return weighted(resources, (taken, all) => scoreOf(taken, all) || undefined, Math.round);
}

function interpolate(points: readonly ShapePoint[], utilization: number): number {
  const above = points.findIndex((point) => utilization <= point.utilization);
  const end = points[above];
  if (end === undefined) return points.at(-1)?.score ?? 0;
  const start = points[above - 1];
  if (start === undefined) return end.score;
  const share = (utilization - start.utilization) / (end.utilization - start.utilization);
  return start.score + Math.trunc((end.score - start.score) * share);
}

/** The mean over the resources that the node has. Resources beyond CPU and memory count only if the Pod requests them. */
function weighted(
  resources: readonly WeightedResource[],
  scoreOf: (taken: number, all: number) => number | undefined,
  round = Math.floor,
): ResourceScorer {
  return (request, { nonZero, requested, allocatable }) => {
    let sum = 0;
    let weights = 0;
    for (const { name, weight } of resources) {
      const isBasic = name === "cpu" || name === "memory";
      const wanted = request.get(name);
      const all = allocatable.get(name);
      if (all === 0 || (!isBasic && wanted === 0)) continue;
      const score = scoreOf((isBasic ? nonZero : requested).get(name) + wanted, all);
      if (score === undefined) continue;
      sum += weight * score;
      weights += weight;
    }
    return weights === 0 ? 0 : round(sum / weights);
  };
}
