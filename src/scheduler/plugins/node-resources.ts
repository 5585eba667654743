import { deepEqual } from "../../util/deep-equal.ts";
import { maxScore, type Plugin } from "../framework.ts";
import { hostPorts, type NodeInfo, portTaken } from "../node-info.ts";
import { nonZeroRequest, podRequest } from "../resources.ts";

type Request = ReadonlyMap<string, number>;

/** Rejects nodes without room for the Pod's request; prefers the emptier node (`LeastAllocated`). */
export const nodeResourcesFit: Plugin = {
  name: "NodeResourcesFit",
  prepare: podRequest,
  filter(_pod, node, prepared) {
    const reasons = insufficient(node, prepared as Request);
    return reasons.length === 0 ? undefined : reasons;
  },
  score(pod, { nonZero, allocatable }) {
    const { cpu, memory } = nonZeroRequest(pod);
    const scores = [
      left(nonZero.cpu + cpu, allocatable.get("cpu")),
      left(nonZero.memory + memory, allocatable.get("memory")),
    ].filter((score) => score !== undefined);
    return scores.length === 0
      ? 0
      : Math.floor(scores.reduce((sum, score) => sum + score, 0) / scores.length);
  },
  helps: (old, node) => old === undefined || !deepEqual(old.status.allocatable, node.status.allocatable),
};

function insufficient({ pods, allocatable, requested }: NodeInfo, request: Request): string[] {
  const reasons = pods.size + 1 > (allocatable.get("pods") ?? 0) ? ["Too many pods"] : [];
  for (const [name, wanted] of request) {
    if (wanted === 0) continue;
    if (wanted > (allocatable.get(name) ?? 0) - (requested.get(name) ?? 0))
      reasons.push(`Insufficient ${name}`);
  }
  return reasons;
}

/** The share of a resource that `taken` leaves, 0…100; undefined for a resource that the node does not have. */
function left(taken: number, allocatable = 0): number | undefined {
  if (allocatable === 0) return undefined;
  return taken > allocatable ? 0 : Math.floor(((allocatable - taken) * maxScore) / allocatable);
}

/** Prefers nodes whose use of CPU and memory the Pod makes more even (upstream `balanced_allocation.go`). */
export const balancedAllocation: Plugin = {
  name: "NodeResourcesBalancedAllocation",
  score(pod, node) {
    const request = podRequest(pod);
    // A Pod without requests does not change the balance.
    if (!request.get("cpu") && !request.get("memory")) return 0;
    const gain = evenness(node, request) - evenness(node, new Map());
    return maxScore / 2 + Math.floor((maxScore / 2 + gain) / 2);
  },
};

/** The evenness: 100 when CPU and memory would be used to the same degree, 50 when one is full and the other empty. */
function evenness({ requested, allocatable }: NodeInfo, more: Request): number {
  const [cpu, memory] = ["cpu", "memory"].map((name) => {
    const all = allocatable.get(name) ?? 0;
    const taken = (requested.get(name) ?? 0) + (more.get(name) ?? 0);
    return all === 0 ? undefined : Math.min(taken / all, 1);
  });
  const deviation = cpu === undefined || memory === undefined ? 0 : Math.abs(cpu - memory) / 2;
  return Math.floor((1 - deviation) * maxScore);
}

/** Rejects nodes on which another Pod holds a host port that the Pod asks for. */
export const nodePorts: Plugin = {
  name: "NodePorts",
  prepare: hostPorts,
  filter: (_pod, node, prepared) =>
    (prepared as readonly string[]).some((port) => portTaken(node.ports, port))
      ? ["node(s) didn't have free ports for the requested pod ports"]
      : undefined,
  helps: (old) => old === undefined,
};

/** Keeps a Pod out of the queue until it has no scheduling gate left (KEP-3521). */
export const schedulingGates: Plugin = {
  name: "SchedulingGates",
  preEnqueue({ spec }) {
    const gates = (spec.schedulingGates ?? []).map(({ name }) => name);
    return gates.length === 0 ? undefined : `waiting for scheduling gates: [${gates.join(" ")}]`;
  },
};
