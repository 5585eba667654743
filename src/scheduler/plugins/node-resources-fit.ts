import { deepEqual } from "../../util/deep-equal.ts";
import { type Plugin, type Unfit, unresolvable, unschedulable } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { nonZeroRequest, podRequest, type Resources } from "../resources.ts";
import { leastAllocated, type ResourceScorer } from "./resource-scores.ts";

export interface NodeResourcesFitOptions {
  readonly score?: ResourceScorer;
}

/** Rejects nodes without room for the Pod's request; prefers the emptier node (`LeastAllocated`) by default. */
export function nodeResourcesFit({ score = leastAllocated() }: NodeResourcesFitOptions = {}): Plugin {
  return {
    name: "NodeResourcesFit",
    preFilter(pod) {
      const request = podRequest(pod);
      return { type: "filtering", filter: (node) => insufficient(node, request) };
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

function insufficient({ pods, allocatable, requested }: NodeInfo, wanted: Resources): Unfit | undefined {
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
    if (amount > 0) check(`Insufficient ${name}`, amount, requested.get(name), allocatable.get(name));
  }
  if (reasons === undefined) return undefined;
  return isOver ? unresolvable(...reasons) : unschedulable(...reasons);
}
