import { deepEqual } from "../../util/deep-equal.ts";
import { type Plugin, type Unfit, unresolvable, unschedulable } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { nonZeroRequest, podRequest, type Resources } from "../resources.ts";
import type { PluginArguments, ScoringStrategy } from "../configuration/arguments.ts";
import {
  cpuAndMemory,
  leastAllocated,
  mostAllocated,
  requestedToCapacityRatio,
  type ResourceScorer,
} from "./resource-scores.ts";

/** Rejects nodes without room for the Pod's request; prefers the emptier node (`LeastAllocated`) by default. */
export function nodeResourcesFit({
  ignoredResources = [],
  ignoredResourceGroups = [],
  scoringStrategy = {},
}: NonNullable<PluginArguments["NodeResourcesFit"]> = {}): Plugin {
  const score = scorerOf(scoringStrategy);
  const isIgnored = (name: string) =>
    ignoredResources.includes(name) || ignoredResourceGroups.includes(name.split("/")[0] ?? "");
  return {
    name: "NodeResourcesFit",
    preFilter(pod) {
      const request = podRequest(pod);
      return { type: "filtering", filter: (node) => insufficient(node, request, isIgnored) };
    },
    preScore(pod) {
      const request = nonZeroRequest(pod);
      return { score: (node) => score(request, node) };
    },
    helps(pod, event) {
      if (event.type === "nodeAdded" || event.type === "podRemoved") return true;
      if (event.type === "nodeUpdated")
        return !deepEqual(event.old.status.allocatable, event.node.status.allocatable);
      return (
        event.type === "assignedPodUpdated" &&
        shrinks(podRequest(event.old), podRequest(event.pod), podRequest(pod))
      );
    },
  };
}

/** Reports whether a Pod was resized to less of a resource that the other Pod asks for (KEP-1287). */
function shrinks(old: Resources, now: Resources, wanted: Resources): boolean {
  const names = ["cpu", "memory", "ephemeral-storage", ...wanted.scalars.keys()];
  return names.some((name) => wanted.get(name) > 0 && now.get(name) < old.get(name));
}

function scorerOf({
  type,
  resources = [],
  requestedToCapacityRatio: ratio,
}: ScoringStrategy): ResourceScorer {
  const weighted = resources.map(({ name = "", weight = 1 }) => ({ name, weight }));
  const counted = weighted.length === 0 ? cpuAndMemory : weighted;
  switch (type) {
    case "MostAllocated":
      return mostAllocated(counted);
    case "RequestedToCapacityRatio": {
      const shape = ratio?.shape ?? [];
      const points = shape.map(({ utilization = 0, score: own = 0 }) => ({ utilization, score: own }));
      return requestedToCapacityRatio(points, counted);
    }
    default:
      return leastAllocated(counted);
  }
}

function insufficient(
  { pods, allocatable, requested }: NodeInfo,
  wanted: Resources,
  isIgnored: (name: string) => boolean,
): Unfit | undefined {
  let reasons: string[] | undefined;
  let isOver = false;
  const check = (reason: string, amount: number, taken: number, all: number) => {
    if (amount <= all - taken) return;
    (reasons ??= []).push(reason);
    // More than the whole node: no removal of Pods makes room.
    isOver ||= amount > all;
  };
  check("Too many pods", 1, pods.size, allocatable.pods);
  if (wanted.milliCpu > 0)
    check("Insufficient cpu", wanted.milliCpu, requested.milliCpu, allocatable.milliCpu);
  if (wanted.memory > 0) check("Insufficient memory", wanted.memory, requested.memory, allocatable.memory);
  if (wanted.ephemeralStorage > 0) {
    const { ephemeralStorage } = requested;
    check(
      "Insufficient ephemeral-storage",
      wanted.ephemeralStorage,
      ephemeralStorage,
      allocatable.ephemeralStorage,
    );
  }
  for (const [name, amount] of wanted.scalars) {
    if (amount > 0 && !isIgnored(name))
      check(`Insufficient ${name}`, amount, requested.get(name), allocatable.get(name));
  }
  if (reasons === undefined) return undefined;
  return isOver ? unresolvable(...reasons) : unschedulable(...reasons);
}
