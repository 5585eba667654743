import { deepEqual } from "../../util/deep-equal.ts";
import { maxScore, type Plugin } from "../framework.ts";
import { hostPorts, type NodeInfo, portTaken } from "../node-info.ts";
import { nonZeroRequest, podRequest } from "../resources.ts";

type Request = ReadonlyMap<string, number>;

/** The node must have room for what the Pod asks; of several, the emptier is better (`LeastAllocated`). */
export const nodeResourcesFit: Plugin = {
  name: "NodeResourcesFit",
  prepare: podRequest,
  filter(_pod, node, prepared) {
    const reasons = insufficient(node, prepared as Request);
    return reasons.length === 0 ? undefined : reasons;
  },
  score(pod, node) {
    const { cpu, memory } = shares(nonZeroRequest(pod), node);
    return Math.floor((free(cpu) + free(memory)) / 2);
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

/** How much of the node would be taken, 0…1 and above. */
function shares({ cpu, memory }: { cpu: number; memory: number }, { nonZero, allocatable }: NodeInfo) {
  const share = (taken: number, of: number | undefined) => (of === undefined || of === 0 ? 1 : taken / of);
  return {
    cpu: share(nonZero.cpu + cpu, allocatable.get("cpu")),
    memory: share(nonZero.memory + memory, allocatable.get("memory")),
  };
}

function free(share: number): number {
  return share >= 1 ? 0 : Math.floor((1 - share) * maxScore);
}

/** Prefers nodes where CPU and memory would be used up evenly. */
export const balancedAllocation: Plugin = {
  name: "NodeResourcesBalancedAllocation",
  score(pod, node) {
    const request = podRequest(pod);
    const cpu = request.get("cpu") ?? 0;
    const memory = request.get("memory") ?? 0;
    // A Pod that asks for nothing has no say in the balance.
    if (cpu === 0 && memory === 0) return 0;
    const { cpu: cpuShare, memory: memoryShare } = shares({ cpu, memory }, node);
    const deviation = Math.abs(Math.min(cpuShare, 1) - Math.min(memoryShare, 1)) / 2;
    return Math.floor((1 - deviation) * maxScore);
  },
};

/** Two Pods cannot hold one port of the host. */
export const nodePorts: Plugin = {
  name: "NodePorts",
  prepare: hostPorts,
  filter: (_pod, node, prepared) =>
    (prepared as readonly string[]).some((port) => portTaken(node.ports, port))
      ? ["node(s) didn't have free ports for the requested pod ports"]
      : undefined,
  helps: (old) => old === undefined,
};

/** A Pod with gates waits until others have opened them (KEP-3521). */
export const schedulingGates: Plugin = {
  name: "SchedulingGates",
  preEnqueue({ spec }) {
    const gates = (spec.schedulingGates ?? []).map(({ name }) => name);
    return gates.length === 0 ? undefined : `waiting for scheduling gates: [${gates.join(" ")}]`;
  },
};
