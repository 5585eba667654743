import type { ContainerStats, NodeStats, UsageStats } from "../../meta/node-endpoint.ts";
import { fieldsOf, isList } from "../../util/is-object.ts";

/** Selects CPU and memory, without file systems, network and volumes. */
export const summaryPath = "/stats/summary?only_cpu_and_memory=true";

/** The window of `usageNanoCores`: cAdvisor's two last samples (kubelet `--housekeeping-interval`). */
const windowMs = 10_000;
/** The most containers of a Pod that are read. */
const maxContainers = 1000;

/** Parses a kubelet's summary (`k8s.io/kubelet/pkg/apis/stats/v1alpha1`). Invalid parts are left out. */
export function parseSummary(value: unknown): NodeStats {
  const { node, pods } = fieldsOf(value);
  const stats = new Map<string, readonly ContainerStats[]>();
  for (const pod of isList(pods) ? pods : []) {
    const { podRef, containers } = fieldsOf(pod);
    const { uid } = fieldsOf(podRef);
    if (typeof uid !== "string" || uid === "" || !isList(containers) || containers.length > maxContainers)
      continue;
    const measured = containers.flatMap(containerStats);
    // As metrics-server: a Pod with an unmeasured container has no usage yet.
    if (measured.length === containers.length) stats.set(uid, measured);
  }
  return { node: usageOf(node), pods: stats };
}

function containerStats(container: unknown): readonly ContainerStats[] {
  const { name } = fieldsOf(container);
  const usage = usageOf(container);
  return typeof name !== "string" || usage === undefined ? [] : [{ name, ...usage }];
}

function usageOf(part: unknown): UsageStats | undefined {
  const { cpu, memory } = fieldsOf(part);
  const { time, usageNanoCores } = fieldsOf(cpu);
  const { workingSetBytes } = fieldsOf(memory);
  const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(at) || !isAmount(usageNanoCores) || !isAmount(workingSetBytes)) return undefined;
  return { at, windowMs, cpuNanoCores: usageNanoCores, memoryBytes: workingSetBytes };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
