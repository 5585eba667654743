import type { In } from "../../../meta/schema.ts";
import type * as v1 from "./metrics-v1.ts";
import type { MetricSpec, MetricStatus } from "./metrics.ts";

type V1Spec = In<typeof v1.MetricSpec>;
type V1Status = In<typeof v1.MetricStatus>;
type V2Spec = In<typeof MetricSpec>;
type V2Status = In<typeof MetricStatus>;

/**
 * Conversion of metrics between `autoscaling/v2` and the annotations of `autoscaling/v1` (upstream's
 * `apis/autoscaling/v1/conversion.go`).
 */

/** The text that v1 writes for an absent quantity. */
const zero = "0";

export function specToV1({ type, object, pods, resource, containerResource, external }: MetricSpec): V1Spec {
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      targetValue: object.target.value ?? zero,
      selector: object.metric.selector,
      averageValue: object.target.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? zero,
      selector: pods.metric.selector,
    },
    resource: resource && {
      name: resource.name,
      targetAverageUtilization: resource.target.averageUtilization,
      targetAverageValue: resource.target.averageValue,
    },
    containerResource: containerResource && {
      name: containerResource.name,
      targetAverageUtilization: containerResource.target.averageUtilization,
      targetAverageValue: containerResource.target.averageValue,
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  };
}

/**
 * Converts a metric from v1. The v1 form has no target type, so the type follows from the values that are
 * set.
 */
export function specFromV1(metric: v1.MetricSpec): V2Spec {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    object: object && {
      describedObject: object.target,
      metric: { name: object.metricName, selector: object.selector },
      target: {
        type: object.averageValue === undefined ? "Value" : "AverageValue",
        // v1 always writes the value, so 0 next to an average means unset.
        value:
          object.averageValue !== undefined && object.targetValue === zero ? undefined : object.targetValue,
        averageValue: object.averageValue,
      },
    },
    pods: pods && {
      metric: { name: pods.metricName, selector: pods.selector },
      target: { type: "AverageValue", averageValue: pods.targetAverageValue },
    },
    resource: resource && { name: resource.name, target: resourceTarget(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      target: resourceTarget(containerResource),
    },
    external: external && {
      metric: { name: external.metricName, selector: external.metricSelector },
      target: {
        type: external.targetValue === undefined ? "AverageValue" : "Value",
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      },
    },
  };
}

interface V1ResourceTarget {
  readonly targetAverageUtilization?: number;
  readonly targetAverageValue?: string;
}

function resourceTarget({ targetAverageUtilization, targetAverageValue }: V1ResourceTarget) {
  return {
    type: targetAverageUtilization === undefined ? "AverageValue" : "Utilization",
    averageValue: targetAverageValue,
    averageUtilization: targetAverageUtilization,
  };
}

export function statusToV1(metric: MetricStatus): V1Status {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      currentValue: object.current.value ?? zero,
      selector: object.metric.selector,
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? zero,
      selector: pods.metric.selector,
    },
    resource: resource && {
      name: resource.name,
      currentAverageUtilization: resource.current.averageUtilization,
      currentAverageValue: resource.current.averageValue ?? zero,
    },
    containerResource: containerResource && {
      name: containerResource.name,
      currentAverageUtilization: containerResource.current.averageUtilization,
      currentAverageValue: containerResource.current.averageValue ?? zero,
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      currentValue: external.current.value ?? zero,
      currentAverageValue: external.current.averageValue,
    },
  };
}

export function statusFromV1(metric: v1.MetricStatus): V2Status {
  const { type, object, pods, resource, containerResource, external } = metric;
  return {
    type,
    object: object && {
      describedObject: object.target,
      metric: { name: object.metricName, selector: object.selector },
      current: { value: object.currentValue, averageValue: object.averageValue },
    },
    pods: pods && {
      metric: { name: pods.metricName, selector: pods.selector },
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: resourceState(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      current: resourceState(containerResource),
    },
    external: external && {
      metric: { name: external.metricName, selector: external.metricSelector },
      current: { value: external.currentValue, averageValue: external.currentAverageValue },
    },
  };
}

interface V1ResourceState {
  readonly currentAverageUtilization?: number;
  readonly currentAverageValue: string;
}

function resourceState({ currentAverageUtilization, currentAverageValue }: V1ResourceState) {
  return { averageValue: currentAverageValue, averageUtilization: currentAverageUtilization };
}
