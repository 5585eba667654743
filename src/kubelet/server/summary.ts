import type { Pod } from "../../api/core/pod/schema.ts";
import type { ContainerStats, UsageStats } from "../../meta/node-endpoint.ts";
import { formatTime } from "../../util/clock.ts";
import type { SandboxStatus } from "../runtime.ts";
import type { Sample } from "../usage/rates.ts";
import type { KubeletHost, PodStorage } from "./host.ts";
import type { MachineReadings } from "./machine-readings.ts";

/**
 * Returns the summary of the node and its Pods (`k8s.io/kubelet/pkg/apis/stats/v1alpha1`), of CPU and memory alone or
 * of everything that can be read. What has not been measured is absent.
 */
export async function summaryOf(host: KubeletHost, onlyCpuAndMemory: boolean): Promise<object> {
  const stats = await host.endpoint.stats();
  const { machine, containers } = host.samples();
  const readings = onlyCpuAndMemory ? undefined : await host.machine?.();
  const storage = onlyCpuAndMemory ? undefined : await host.storage?.();
  const now = host.env.clock.now();
  const pods = host.pods().flatMap((pod) => {
    const { uid = "" } = pod.metadata;
    const usage = stats.pods.get(uid);
    const sandboxes = host.sandboxes(uid);
    return usage === undefined ? [] : [podSummary(pod, { usage, sandboxes, containers }, storage?.get(uid))];
  });
  const node = {
    nodeName: host.nodeName,
    ...(stats.node && usageSummary(stats.node, machine)),
    ...(readings && machineSummary(readings, stats.node, now)),
  };
  return { node, pods };
}

function usageSummary({ at, cpuNanoCores, memoryBytes }: UsageStats, sample: Sample | undefined): object {
  const time = formatTime(at);
  return {
    cpu: {
      time,
      usageNanoCores: cpuNanoCores,
      ...(sample && { usageCoreNanoSeconds: Math.round(sample.cpuNanos) }),
    },
    memory: { time, workingSetBytes: memoryBytes },
  };
}

function machineSummary(readings: MachineReadings, usage: UsageStats | undefined, now: number): object {
  const time = formatTime(now);
  const { bootedAt, memoryBytes, interfaces, defaultInterface, fs, swap, maxPid, processes } = readings;
  const chosen = interfaces.find(({ name }) => name === defaultInterface);
  return {
    ...(bootedAt !== undefined && { startTime: formatTime(bootedAt) }),
    ...(usage !== undefined &&
      memoryBytes !== undefined && {
        memory: {
          time: formatTime(usage.at),
          availableBytes: Math.max(0, memoryBytes - usage.memoryBytes),
          workingSetBytes: usage.memoryBytes,
        },
      }),
    ...(interfaces.length > 0 && { network: { time, ...chosen, interfaces } }),
    ...(fs && { fs: { time, ...fs }, runtime: { imageFs: { time, ...fs }, containerFs: { time, ...fs } } }),
    ...(swap && {
      swap: { time, swapAvailableBytes: swap.availableBytes, swapUsageBytes: swap.usageBytes },
    }),
    ...(maxPid !== undefined &&
      processes !== undefined && { rlimit: { time, maxpid: maxPid, curproc: processes } }),
  };
}

interface PodUsage {
  readonly usage: readonly ContainerStats[];
  readonly sandboxes: readonly SandboxStatus[];
  readonly containers: ReadonlyMap<string, Sample>;
}

function podSummary(
  { metadata, status }: Pod,
  { usage, sandboxes, containers }: PodUsage,
  storage: PodStorage | undefined,
): object {
  const { name, namespace, uid } = metadata;
  const running = sandboxes.flatMap((one) => one.containers).filter(({ state }) => state === "running");
  const time = storage && formatTime(storage.at);
  const measured = usage.map((one) => {
    const found = running.find((container) => container.name === one.name);
    const sample = found && containers.get(found.id);
    const disk = storage?.containers.get(one.name);
    return {
      sample,
      stats: {
        name: one.name,
        ...(found?.startedAt !== undefined && { startTime: formatTime(found.startedAt) }),
        ...usageSummary(one, sample),
        ...(disk?.rootfs !== undefined && { rootfs: { time, usedBytes: disk.rootfs } }),
        ...(disk && { logs: { time, usedBytes: disk.logs } }),
      },
    };
  });
  return {
    podRef: { name, namespace, uid },
    ...(status.startTime !== undefined && { startTime: status.startTime }),
    containers: measured.map(({ stats }) => stats),
    ...total(
      usage,
      measured.map(({ sample }) => sample),
    ),
    ...(storage && {
      volume: [...storage.volumes].map(([volume, usedBytes]) => ({ name: volume, time, usedBytes })),
      "ephemeral-storage": { time, usedBytes: storage.total },
    }),
  };
}

/** Sums up the running containers. The sum of CPU time is absent unless all are known. */
function total(usage: readonly ContainerStats[], samples: readonly (Sample | undefined)[]): object {
  const [first] = usage;
  if (first === undefined) return {};
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const cpuNanos = samples.flatMap((one) => (one === undefined ? [] : [one.cpuNanos]));
  const rate: UsageStats = {
    at: Math.max(...usage.map(({ at }) => at)),
    windowMs: first.windowMs,
    cpuNanoCores: sum(usage.map((one) => one.cpuNanoCores)),
    memoryBytes: sum(usage.map((one) => one.memoryBytes)),
  };
  const isWhole = cpuNanos.length === usage.length;
  return usageSummary(
    rate,
    isWhole ? { at: rate.at, cpuNanos: sum(cpuNanos), memoryBytes: rate.memoryBytes } : undefined,
  );
}
