import { Metrics } from "../../util/metrics/metrics.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { containerResources } from "../pod/resources.ts";
import type { KubeletHost } from "./host.ts";
import type { Sample } from "../usage/rates.ts";
import type { ContainerStatus, Resources } from "../runtime.ts";

const nanos = 1e9;

interface Measured {
  readonly pod: Pod;
  readonly names: { readonly namespace: string; readonly pod: string };
  readonly container: ContainerStatus;
  readonly sample: Sample;
}

/** Returns the running containers that have been measured. */
function measuredOf(host: KubeletHost): readonly Measured[] {
  const { containers } = host.samples();
  return host.pods().flatMap((pod) => {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    return host.sandboxes(uid).flatMap((sandbox) =>
      sandbox.containers.flatMap((container) => {
        const sample = container.state === "running" ? containers.get(container.id) : undefined;
        return sample === undefined ? [] : [{ pod, names: { namespace, pod: name }, container, sample }];
      }),
    );
  });
}

/** The resource metrics, which metrics-server scrapes (kubelet `metrics/collectors/resource_metrics.go`). */
export async function resourceMetrics(host: KubeletHost): Promise<Metrics> {
  const metrics = new Metrics();
  const { machine } = host.samples();
  if (machine !== undefined) nodeMetrics(metrics, machine);
  const swap = (await host.machine?.())?.swap;
  if (swap !== undefined)
    metrics
      .gauge({
        name: "node_swap_usage_bytes",
        help: "Current swap usage of the node in bytes. Reported only on non-windows systems",
      })
      .set({}, swap.usageBytes);
  const labels = ["container", "pod", "namespace"] as const;
  const cpu = metrics.counter({
    name: "container_cpu_usage_seconds_total",
    help: "Cumulative cpu time consumed by the container in core-seconds",
    labels,
  });
  const memory = metrics.gauge({
    name: "container_memory_working_set_bytes",
    help: "Current working set of the container in bytes",
    labels,
  });
  const started = metrics.gauge({
    name: "container_start_time_seconds",
    help: "Start time of the container since unix epoch in seconds",
    labels,
  });
  const measured = measuredOf(host);
  for (const { names, container, sample } of measured) {
    const series = { container: container.name, ...names };
    cpu.add(series, sample.cpuNanos / nanos);
    memory.set(series, sample.memoryBytes);
    if (container.startedAt !== undefined) started.set(series, container.startedAt / 1000);
  }
  podMetrics(metrics, measured);
  metrics
    .gauge({
      name: "resource_scrape_error",
      help: "1 if there was an error while getting container metrics, 0 otherwise",
    })
    .set({}, 0);
  return metrics;
}

function nodeMetrics(metrics: Metrics, { cpuNanos, memoryBytes }: Sample): void {
  metrics
    .counter({
      name: "node_cpu_usage_seconds_total",
      help: "Cumulative cpu time consumed by the node in core-seconds",
    })
    .add({}, cpuNanos / nanos);
  metrics
    .gauge({ name: "node_memory_working_set_bytes", help: "Current working set of the node in bytes" })
    .set({}, memoryBytes);
}

function podMetrics(metrics: Metrics, measured: readonly Measured[]): void {
  const labels = ["pod", "namespace"] as const;
  const cpu = metrics.counter({
    name: "pod_cpu_usage_seconds_total",
    help: "Cumulative cpu time consumed by the pod in core-seconds",
    labels,
  });
  const memory = metrics.gauge({
    name: "pod_memory_working_set_bytes",
    help: "Current working set of the pod in bytes",
    labels,
  });
  for (const [, containers] of Map.groupBy(measured, ({ pod }) => pod.metadata.uid)) {
    const [first] = containers;
    if (first === undefined) continue;
    cpu.add(first.names, containers.reduce((sum, { sample }) => sum + sample.cpuNanos, 0) / nanos);
    memory.set(
      first.names,
      containers.reduce((sum, { sample }) => sum + sample.memoryBytes, 0),
    );
  }
}

const cadvisorLabels = ["container", "id", "image", "name", "namespace", "pod"] as const;

/**
 * The series of cAdvisor that dashboards use and that are known here: CPU, working set, start and limits of containers,
 * and the machine's size. `id` and `name` are the container's ID, because the runtime keeps the cgroup's path to itself.
 */
export async function cadvisorMetrics(host: KubeletHost): Promise<Metrics> {
  const metrics = new Metrics();
  const cpu = metrics.counter({
    name: "container_cpu_usage_seconds_total",
    help: "Cumulative cpu time consumed in seconds.",
    labels: [...cadvisorLabels, "cpu"],
  });
  const gauge = (name: string, help: string) => metrics.gauge({ name, help, labels: cadvisorLabels });
  const memory = gauge("container_memory_working_set_bytes", "Current working set in bytes.");
  const started = gauge(
    "container_start_time_seconds",
    "Start time of the container since unix epoch in seconds.",
  );
  const seen = gauge("container_last_seen", "Last time a container was seen by the exporter");
  const memoryLimit = gauge("container_spec_memory_limit_bytes", "Memory limit for the container.");
  const period = gauge("container_spec_cpu_period", "CPU period of the container.");
  const quota = gauge("container_spec_cpu_quota", "CPU quota of the container.");
  const { machine } = host.samples();
  if (machine !== undefined) {
    const root = { container: "", id: "/", image: "", name: "", namespace: "", pod: "" };
    cpu.add({ ...root, cpu: "total" }, machine.cpuNanos / nanos);
    memory.set(root, machine.memoryBytes);
    seen.set(root, machine.at / 1000);
  }
  for (const { pod, names, container, sample } of measuredOf(host)) {
    const { id, name, image, startedAt } = container;
    const series = { container: name, id, image, name: id, ...names };
    cpu.add({ ...series, cpu: "total" }, sample.cpuNanos / nanos);
    memory.set(series, sample.memoryBytes);
    seen.set(series, sample.at / 1000);
    if (startedAt !== undefined) started.set(series, startedAt / 1000);
    const { cpuPeriod, cpuQuota, memoryLimitBytes } = limitsOf(pod, name);
    if (cpuPeriod !== undefined) period.set(series, cpuPeriod);
    if (cpuQuota !== undefined) quota.set(series, cpuQuota);
    memoryLimit.set(series, memoryLimitBytes ?? 0);
  }
  await machineSize(metrics, host);
  return metrics;
}

function limitsOf({ spec }: Pod, name: string): Partial<Resources> {
  const found = [...spec.containers, ...(spec.initContainers ?? [])].find((one) => one.name === name);
  return found === undefined ? {} : containerResources(found);
}

async function machineSize(metrics: Metrics, host: KubeletHost): Promise<void> {
  const readings = await host.machine?.();
  if (readings?.memoryBytes === undefined) return;
  metrics
    .gauge({ name: "machine_memory_bytes", help: "Amount of memory installed on the machine." })
    .set({}, readings.memoryBytes);
  metrics
    .gauge({ name: "machine_cpu_cores", help: "Number of logical CPU cores." })
    .set({}, readings.cpuCores);
}

/** The results of probes (kubelet `prober`). */
export function probeMetrics(host: KubeletHost): Metrics {
  const metrics = new Metrics();
  const total = metrics.counter({
    name: "prober_probe_total",
    help: "Cumulative number of a liveness, readiness or startup probe for a container by result.",
    labels: ["probe_type", "result", "container", "pod", "namespace", "pod_uid"],
  });
  for (const { type, result, container, pod, namespace, podUid, count } of host.probeCounts())
    total.add({ probe_type: type, result, container, pod, namespace, pod_uid: podUid }, count);
  return metrics;
}
