import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { HorizontalPodAutoscaler } from "./schema.ts";
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "./metrics.ts";

const shownMetrics = 2;

function metricsText({
  spec: { metrics = [] },
  status: { currentMetrics },
}: HorizontalPodAutoscaler): string {
  if (metrics.length === 0) return "<none>";
  const texts = metrics.slice(0, shownMetrics).map((metric, i) => metricText(metric, currentMetrics[i]));
  const more = metrics.length - shownMetrics;
  return texts.join(", ") + (more > 0 ? ` + ${more} more...` : "");
}

/**
 * The current value and the target of a metric. The current value is `<unknown>` until the metric is read.
 */
function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const { type, external, pods, object, resource, containerResource } = metric;
  switch (type) {
    case "External":
      return amountText(external?.target, status?.external?.current);
    case "Object":
      return amountText(object?.target, status?.object?.current);
    case "Pods":
      return `${meanText(status?.pods?.current)}/${pods?.target.averageValue}`;
    case "Resource":
      return `${resource?.name}: ${usageText(resource?.target, status?.resource?.current)}`;
    case "ContainerResource":
      return `${containerResource?.name}: ${usageText(containerResource?.target, status?.containerResource?.current)}`;
    default:
      return "<unknown type>";
  }
}

const unknown = "<unknown>";

function amountText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  return target?.averageValue === undefined
    ? `${current?.value ?? unknown}/${target?.value}`
    : `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
}

function usageText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${meanText(current)}/${target.averageValue}`;
  return `${percentText(current?.averageUtilization) ?? unknown}/${percentText(target?.averageUtilization) ?? "<auto>"}`;
}

const meanText = (current: MetricValueStatus | undefined) => current?.averageValue ?? unknown;

const percentText = (percent: number | undefined) => (percent === undefined ? undefined : `${percent}%`);

export const horizontalPodAutoscalerColumns: readonly Column<HorizontalPodAutoscaler>[] = [
  column(
    "Reference",
    "The object that is scaled.",
    ({ spec: { scaleTargetRef } }) => `${scaleTargetRef.kind}/${scaleTargetRef.name}`,
  ),
  column("Targets", "The current values and the targets of the metrics.", metricsText),
  column("MinPods", "The minimum number of Pods.", ({ spec }) => String(spec.minReplicas ?? "<unset>")),
  column("MaxPods", "The maximum number of Pods.", ({ spec }) => spec.maxReplicas),
  column("Replicas", "The current number of Pods.", ({ status }) => status.currentReplicas ?? 0),
];
