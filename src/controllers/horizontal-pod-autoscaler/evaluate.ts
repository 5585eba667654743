import type {
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from "../../api/autoscaling/horizontal-pod-autoscaler/metrics.ts";
import { formatQuantity, parseQuantity, quantityMilliValue, type Quantity } from "../../meta/quantity.ts";
import { errorText } from "../../util/error-text.ts";
import { MetricError } from "./metric-error.ts";
import type { PodMetrics } from "./pod-groups.ts";
import {
  type Count,
  replicasByAverage,
  replicasByShare,
  replicasByTotal,
  replicasByUtilization,
  type Workload,
} from "./replicas.ts";
import { selectorText } from "./selector-text.ts";

/** The values of one metric as the metrics API gave them, or the reason why it gave none. */
export type Reading =
  | { readonly pods: PodMetrics }
  /** The values in thousandths. */
  | { readonly values: readonly number[] }
  | { readonly error: string };

/** The replicas that one metric asks for. */
export interface Proposal {
  readonly replicas: number;
  /** The metric's name in messages. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** The failure of one metric. */
export interface Failure {
  /** The reason of the Event and of the condition. */
  readonly reason: string;
  /** The message of the Event. */
  readonly message: string;
  /** The message in the failure of all metrics. */
  readonly error: string;
}

export interface Situation extends Workload {
  readonly namespace: string;
  /** The number of replicas in the scale's status. */
  readonly present: number;
}

/** Computes the replicas that one metric asks for (upstream `computeReplicasForMetric`). */
export function evaluate(metric: MetricSpec, reading: Reading, situation: Situation): Proposal | Failure {
  switch (metric.type) {
    case "Object":
      return evaluateObject(metric, reading, situation);
    case "Pods":
      return evaluatePods(metric, reading, situation);
    case "Resource":
    case "ContainerResource":
      return evaluateResource(metric, reading, situation);
    case "External":
      return evaluateExternal(metric, reading, situation);
    default: {
      const error = `unknown metric source type ${JSON.stringify(metric.type)}`;
      return { reason: "InvalidMetricSourceType", message: error, error };
    }
  }
}

function evaluateObject(
  { type, object }: MetricSpec,
  reading: Reading,
  { namespace, ...situation }: Situation,
): Proposal | Failure {
  const outer = (message: string) => `failed to get object metric value: ${message}`;
  const reason = "FailedGetObjectMetric";
  const { metric, describedObject, target } = object ?? {};
  if (metric === undefined || describedObject === undefined) return noTarget("object", reason, outer);
  const { kind, name } = describedObject;
  const values = () =>
    valuesOf(
      reading,
      (error) => `unable to get metric ${metric.name}: ${error} on ${kind} ${namespace}/${name}`,
    );
  const statusOf = (current: { value: string } | { averageValue: string }) =>
    ({ type, object: { metric, describedObject, current } }) as const;
  if (target?.type === "Value" && target.value !== undefined) {
    const wanted = millis(target.value);
    return attempt(reason, outer, () => {
      const { replicas, value } = replicasByTotal(values(), wanted, situation);
      const status = statusOf({ value: amount(value) });
      return { replicas, name: `${kind} metric ${metric.name}`, status };
    });
  }
  if (target?.type !== "AverageValue" || target.averageValue === undefined)
    return noTarget("object", reason, outer);
  const wanted = millis(target.averageValue);
  const outerShare = (message: string) => outer(`failed to get ${metric.name} object metric: ${message}`);
  return attempt(reason, outerShare, () => {
    const { replicas, value } = replicasByShare(values(), wanted, situation.present, situation.tolerances);
    const status = statusOf({ averageValue: amount(value) });
    // Upstream names an object's metric like an external one here.
    return { replicas, name: externalName(metric), status };
  });
}

function evaluatePods(
  { type, pods }: MetricSpec,
  reading: Reading,
  situation: Situation,
): Proposal | Failure {
  const outer = (message: string) => `failed to get pods metric value: ${message}`;
  const reason = "FailedGetPodsMetric";
  const { metric, target } = pods ?? {};
  const wanted = target?.averageValue;
  if (metric === undefined || wanted === undefined) return noTarget("pods", reason, outer);
  return attempt(reason, outer, () => {
    const metrics = metricsOf(reading, (error) => `unable to get metric ${metric.name}: ${error}`);
    const { replicas, value } = replicasByAverage(metrics, millis(wanted), undefined, situation);
    const status = { type, pods: { metric, current: { averageValue: amount(value) } } };
    return { replicas, name: `pods metric ${metric.name}`, status };
  });
}

function evaluateResource(
  { type, resource, containerResource }: MetricSpec,
  reading: Reading,
  situation: Situation,
): Proposal | Failure {
  const isContainer = type === "ContainerResource";
  const { name = "", target } = (isContainer ? containerResource : resource) ?? {};
  const container = isContainer ? (containerResource?.container ?? "") : undefined;
  const what = isContainer ? `${container} container` : `${name} resource`;
  const outer = (message: string) => `failed to get ${what} metric value: ${message}`;
  return attempt(isContainer ? "FailedGetContainerResourceMetric" : "FailedGetResourceMetric", outer, () => {
    const count = countResource(name, target, container, reading, situation);
    const averageValue = amount(count.value, name === "memory" ? "binary" : "decimal");
    const current =
      count.percent === undefined ? { averageValue } : { averageValue, averageUtilization: count.percent };
    const kind = isContainer ? "container resource" : "resource";
    return {
      replicas: count.replicas,
      name:
        count.percent === undefined
          ? `${name} resource`
          : `${name} ${kind} utilization (percentage of request)`,
      status:
        container === undefined
          ? { type, resource: { name, current } }
          : { type, containerResource: { name, container, current } },
    };
  });
}

function countResource(
  resource: string,
  target: MetricTarget | undefined,
  container: string | undefined,
  reading: Reading,
  situation: Situation,
): Count & { readonly percent?: number } {
  const metrics = () =>
    metricsOf(reading, (error) => `unable to get metrics for resource ${resource}: ${error}`);
  const { averageValue, averageUtilization } = target ?? {};
  if (averageValue !== undefined) {
    return within(`failed to get ${resource} usage`, () =>
      replicasByAverage(metrics(), millis(averageValue), resource, situation),
    );
  }
  if (averageUtilization !== undefined) {
    const wanted = { target: averageUtilization, resource, container };
    return within(`failed to get ${resource} utilization`, () =>
      replicasByUtilization(metrics(), wanted, situation),
    );
  }
  throw new MetricError(
    "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
  );
}

function evaluateExternal(
  { type, external }: MetricSpec,
  reading: Reading,
  { namespace, ...situation }: Situation,
): Proposal | Failure {
  const { metric, target } = external ?? {};
  const outer = (message: string) => `failed to get ${metric?.name} external metric value: ${message}`;
  const reason = "FailedGetExternalMetric";
  if (metric === undefined) return noTarget("external", reason, outer);
  const id = `${namespace}/${metric.name}/${selectorText(metric.selector)}`;
  const values = () => valuesOf(reading, (error) => `unable to get external metric ${id}: ${error}`);
  const { averageValue, value: totalValue } = target ?? {};
  if (averageValue !== undefined) {
    const outerShare = (message: string) => outer(`failed to get ${metric.name} external metric: ${message}`);
    return attempt(reason, outerShare, () => {
      const { present, tolerances } = situation;
      const { replicas, value } = replicasByShare(values(), millis(averageValue), present, tolerances);
      const status = { type, external: { metric, current: { averageValue: amount(value) } } };
      return { replicas, name: externalName(metric), status };
    });
  }
  if (totalValue === undefined) return noTarget("external", reason, outer);
  const outerTotal = (message: string) => outer(`failed to get external metric ${metric.name}: ${message}`);
  return attempt(reason, outerTotal, () => {
    const { replicas, value } = replicasByTotal(values(), millis(totalValue), situation);
    const status = { type, external: { metric, current: { value: amount(value) } } };
    return { replicas, name: externalName(metric), status };
  });
}

const externalName = ({ name, selector }: MetricIdentifier) =>
  `external metric ${name}(${selectorText(selector)})`;

function attempt(
  reason: string,
  outer: (message: string) => string,
  compute: () => Proposal,
): Proposal | Failure {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    return { reason, message: error.message, error: outer(error.message) };
  }
}

/** Puts a text in front of the message of a MetricError. */
function within<T>(text: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    throw new MetricError(`${text}: ${errorText(error)}`, { cause: error });
  }
}

/** A metric without a target, which only an object from before validation can have. */
function noTarget(source: string, reason: string, outer: (message: string) => string): Failure {
  const message = `invalid ${source} metric source: neither a value target nor an average value target was set`;
  return { reason, message, error: outer(message) };
}

function metricsOf(reading: Reading, wrap: (error: string) => string): PodMetrics {
  if ("pods" in reading) return reading.pods;
  throw new MetricError(wrap("error" in reading ? reading.error : "the metric is no metric of Pods"));
}

function valuesOf(reading: Reading, wrap: (error: string) => string): readonly number[] {
  if ("values" in reading) return reading.values;
  throw new MetricError(wrap("error" in reading ? reading.error : "the metric is a metric of Pods"));
}

const millis = (text: string): number => quantityMilliValue(parseQuantity(text));

function amount(value: number, format: Quantity["format"] = "decimal"): string {
  return formatQuantity({ nanos: BigInt(value) * 1_000_000n, format });
}
