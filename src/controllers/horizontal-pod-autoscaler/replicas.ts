import type { Pod } from "../../api/core/pod/schema.ts";
import { isReady } from "../pods/pod-state.ts";
import { MetricError } from "./metric-error.ts";
import {
  groupPods,
  type PodGroups,
  type PodMetric,
  type PodMetrics,
  type StartPeriods,
} from "./pod-groups.ts";
import { requestsOf } from "./requests.ts";

/** The deviations of usage from its target, as fractions, that cause no scaling. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/** The target of the scaling, as far as the numbers of replicas depend on it. */
export interface Workload {
  /** The replicas in the scale's spec; never 0. */
  readonly current: number;
  /** The Pods that the scale's selector selects. */
  readonly pods: readonly Pod[];
  readonly tolerances: Tolerances;
  readonly periods: StartPeriods;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Count {
  readonly replicas: number;
  /** The usage in thousandths; per Pod, except for a total. */
  readonly value: number;
}

const maxReplicas = 2 ** 31 - 1;
/** The largest usage in thousandths, where Go's int64 would overflow. */
const maxUsage = 2 ** 63;

/**
 * The replicas that bring the usage of a resource to `target` percent of the requests (upstream
 * `GetResourceReplicas`).
 * @throws MetricError
 */
export function replicasByUtilization(
  metrics: PodMetrics,
  { target, resource, container }: { target: number; resource: string; container: string | undefined },
  workload: Workload,
): Count & { readonly percent: number } {
  const known = knownMetrics(metrics, resource, workload);
  const requests = requestsOf(workload.pods, resource, container);
  const usage = utilization(known.metrics, requests, target);
  const assumedPercent = Math.max(100, target);
  const replicas = replicasByPods(known, usage.ratio, workload, {
    ratioOf: (assumed) => utilization(assumed, requests, target).ratio,
    whenMissing: (name) => Math.trunc(((requests.get(name) ?? 0) * assumedPercent) / 100),
  });
  return { replicas, value: usage.value, percent: usage.percent };
}

/**
 * The replicas that bring the average of a metric over all Pods to `target` thousandths (upstream
 * `calcPlainMetricReplicas`). `resource` is undefined for metrics that are no resource.
 * @throws MetricError
 */
export function replicasByAverage(
  metrics: PodMetrics,
  target: number,
  resource: string | undefined,
  workload: Workload,
): Count {
  const known = knownMetrics(metrics, resource, workload);
  const value = average(known.metrics);
  const replicas = replicasByPods(known, value / target, workload, {
    ratioOf: (assumed) => average(assumed) / target,
    whenMissing: () => target,
  });
  return { replicas, value };
}

/**
 * The replicas that bring one value, which they share, to `target` thousandths (upstream
 * `GetObjectMetricReplicas`, `GetExternalMetricReplicas`).
 * @throws MetricError
 */
export function replicasByTotal(values: readonly number[], target: number, workload: Workload): Count {
  const value = total(values);
  const ratio = value / target;
  if (isWithin(workload.tolerances, ratio)) return { replicas: workload.current, value };
  if (workload.pods.length === 0) throw new MetricError(`unable to calculate ready pods: ${noPods}`);
  const ready = workload.pods.filter((pod) => pod.status.phase === "Running" && isReady(pod)).length;
  return { replicas: wholeReplicas(ratio * ready), value };
}

/**
 * The replicas that bring each one's share of a value to `target` thousandths (upstream
 * `GetObjectPerPodMetricReplicas`, `GetExternalPerPodMetricReplicas`). `present` is the number of replicas in the
 * scale's status.
 */
export function replicasByShare(
  values: readonly number[],
  target: number,
  present: number,
  tolerances: Tolerances,
): Count {
  const usage = total(values);
  const replicas = isWithin(tolerances, usage / (target * present)) ? present : wholeReplicas(usage / target);
  // Before the first replica exists, upstream divides by zero.
  return { replicas, value: Math.min(maxUsage, Math.ceil(usage / Math.max(1, present))) };
}

const noPods = "no pods returned by selector while calculating replica count";

interface Known {
  /** The values that count. */
  readonly metrics: ReadonlyMap<string, Pick<PodMetric, "value">>;
  readonly groups: PodGroups;
}

function knownMetrics(metrics: PodMetrics, resource: string | undefined, workload: Workload): Known {
  const { pods, now, periods } = workload;
  if (pods.length === 0) throw new MetricError(noPods);
  const groups = groupPods(pods, metrics, { isCpu: resource === "cpu", now, periods });
  const left = new Map(metrics);
  for (const name of [...groups.ignored, ...groups.unready]) left.delete(name);
  if (left.size > 0) return { metrics: left, groups };
  throw new MetricError("did not receive metrics for targeted pods (pods might be unready)");
}

interface Assumption {
  /** The ratio of usage to target, once values are assumed for some Pods. */
  readonly ratioOf: (metrics: Known["metrics"]) => number;
  /** The assumed value of a Pod without one, before a scale-down. */
  readonly whenMissing: (pod: string) => number;
}

/** Assumes, for Pods without a value, the value that makes the change smaller, and never reverses the direction. */
function replicasByPods(
  { metrics, groups }: Known,
  ratio: number,
  { current, tolerances }: Workload,
  { ratioOf, whenMissing }: Assumption,
): number {
  const isUpWithUnready = groups.unready.length > 0 && ratio > 1;
  if (!isUpWithUnready && groups.missing.length === 0)
    return isWithin(tolerances, ratio) ? current : wholeReplicas(ratio * groups.ready);
  const assumed = new Map(metrics);
  if (ratio < 1) for (const name of groups.missing) assumed.set(name, { value: whenMissing(name) });
  if (ratio > 1) for (const name of groups.missing) assumed.set(name, { value: 0 });
  if (isUpWithUnready) for (const name of groups.unready) assumed.set(name, { value: 0 });
  const next = ratioOf(assumed);
  const isReversed = (ratio < 1 && next > 1) || (ratio > 1 && next < 1);
  if (isReversed || isWithin(tolerances, next)) return current;
  const replicas = wholeReplicas(next * assumed.size);
  return (next < 1 && replicas > current) || (next > 1 && replicas < current) ? current : replicas;
}

/** Metrics of unknown Pods are left out. */
function utilization(
  metrics: Known["metrics"],
  requests: ReadonlyMap<string, number>,
  target: number,
): { readonly ratio: number; readonly percent: number; readonly value: number } {
  let used = 0;
  let requested = 0;
  let count = 0;
  for (const [name, { value }] of metrics) {
    const request = requests.get(name);
    if (request === undefined) continue;
    used += value;
    requested += request;
    count++;
  }
  if (requested === 0) throw new MetricError("no metrics returned matched known pods");
  const percent = Math.trunc((used * 100) / requested);
  return { ratio: percent / target, percent, value: Math.trunc(used / count) };
}

function average(metrics: Known["metrics"]): number {
  let sum = 0;
  for (const { value } of metrics.values()) sum += value;
  return Math.trunc(sum / metrics.size);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => Math.min(maxUsage, sum + value), 0);
}

function isWithin({ down, up }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

function wholeReplicas(count: number): number {
  return Math.min(maxReplicas, Math.ceil(count));
}
