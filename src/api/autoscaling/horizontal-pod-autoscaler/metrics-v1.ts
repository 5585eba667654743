import { int32, messages, type Out, pointer, quantity, required, string } from "../../../meta/schema.ts";
import { LabelSelector } from "../../../meta/v1.ts";
import { CrossVersionObjectReference } from "./schema-v1.ts";

/**
 * Metrics of `autoscaling/v1`, which exist only as JSON in annotations. See `autoscaling/v2` for their
 * meaning.
 */

const message = messages("io.k8s.api.autoscaling.v1");

const type = required(1, string, "The type of the source.");
const resourceName = required(1, string, "The resource.");
const selector = (number: number) => pointer(number, LabelSelector, "Selects the metric by labels.");
const object = required(1, CrossVersionObjectReference, "The object.");

const ObjectMetricSource = message("ObjectMetricSource", "A metric of one object.", {
  target: object,
  metricName: required(2, string, "The metric."),
  targetValue: required(3, quantity, "The target value; 0 when the target is an average."),
  selector: selector(4),
  averageValue: pointer(5, quantity, "The target average over all Pods."),
});
const PodsMetricSource = message("PodsMetricSource", "A metric of each Pod.", {
  metricName: required(1, string, "The metric."),
  targetAverageValue: required(2, quantity, "The target average over all Pods."),
  selector: selector(3),
});
const resourceTarget = {
  name: resourceName,
  targetAverageUtilization: pointer(2, int32, "The target utilization, as a percentage of the requests."),
  targetAverageValue: pointer(3, quantity, "The target average over all Pods."),
} as const;
const ResourceMetricSource = message("ResourceMetricSource", "A resource of the Pods.", resourceTarget);
const ContainerResourceMetricSource = message(
  "ContainerResourceMetricSource",
  "A resource of one container of the Pods.",
  { ...resourceTarget, container: required(5, string, "The container.") },
);
const ExternalMetricSource = message("ExternalMetricSource", "A metric of an external source.", {
  metricName: required(1, string, "The metric."),
  metricSelector: selector(2),
  targetValue: pointer(3, quantity, "The target value."),
  targetAverageValue: pointer(4, quantity, "The target average over all Pods."),
});

export const MetricSpec = message("MetricSpec", "One metric to scale by.", {
  type,
  object: pointer(2, ObjectMetricSource, "A metric of one object."),
  pods: pointer(3, PodsMetricSource, "A metric of each Pod."),
  resource: pointer(4, ResourceMetricSource, "A resource of the Pods."),
  containerResource: pointer(7, ContainerResourceMetricSource, "A resource of one container."),
  external: pointer(5, ExternalMetricSource, "A metric of an external source."),
});
export type MetricSpec = Out<typeof MetricSpec>;

const ObjectMetricStatus = message("ObjectMetricStatus", "The current value of an object's metric.", {
  target: object,
  metricName: required(2, string, "The metric."),
  currentValue: required(3, quantity, "The current value."),
  selector: selector(4),
  averageValue: pointer(5, quantity, "The current average over all Pods."),
});
const PodsMetricStatus = message("PodsMetricStatus", "The current average of a metric of each Pod.", {
  metricName: required(1, string, "The metric."),
  currentAverageValue: required(2, quantity, "The current average over all Pods."),
  selector: selector(3),
});
const resourceStatus = {
  name: resourceName,
  currentAverageUtilization: pointer(2, int32, "The current utilization, as a percentage of the requests."),
  currentAverageValue: required(3, quantity, "The current average over all Pods."),
} as const;
const ResourceMetricStatus = message("ResourceMetricStatus", "A resource of the Pods.", resourceStatus);
const ContainerResourceMetricStatus = message(
  "ContainerResourceMetricStatus",
  "A resource of one container of the Pods.",
  { ...resourceStatus, container: required(4, string, "The container.") },
);
const ExternalMetricStatus = message("ExternalMetricStatus", "The current value of an external metric.", {
  metricName: required(1, string, "The metric."),
  metricSelector: selector(2),
  currentValue: required(3, quantity, "The current value."),
  currentAverageValue: pointer(4, quantity, "The current average over all Pods."),
});

export const MetricStatus = message("MetricStatus", "The current value of one metric.", {
  type,
  object: pointer(2, ObjectMetricStatus, "A metric of one object."),
  pods: pointer(3, PodsMetricStatus, "A metric of each Pod."),
  resource: pointer(4, ResourceMetricStatus, "A resource of the Pods."),
  containerResource: pointer(7, ContainerResourceMetricStatus, "A resource of one container."),
  external: pointer(5, ExternalMetricStatus, "A metric of an external source."),
});
export type MetricStatus = Out<typeof MetricStatus>;
