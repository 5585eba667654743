import { int32, messages, type Out, pointer, quantity, required, string } from "../../../meta/schema.ts";
import { LabelSelector } from "../../../meta/v1.ts";
import { CrossVersionObjectReference } from "./schema-v1.ts";

/** Metrics as `autoscaling/v1` writes them: only ever as JSON in annotations. `autoscaling/v2` says what they mean. */

const message = messages("io.k8s.api.autoscaling.v1");

const type = required(1, string, "Which source.");
const resourceName = required(1, string, "The resource.");
const selector = (number: number) => pointer(number, LabelSelector, "Narrows the metric down.");
const object = required(1, CrossVersionObjectReference, "The object.");

const ObjectMetricSource = message("ObjectMetricSource", "A metric of one object.", {
  target: object,
  metricName: required(2, string, "The metric."),
  targetValue: required(3, quantity, "What it should be; 0 when the mean counts."),
  selector: selector(4),
  averageValue: pointer(5, quantity, "What its mean over all Pods should be."),
});
const PodsMetricSource = message("PodsMetricSource", "A metric of each Pod.", {
  metricName: required(1, string, "The metric."),
  targetAverageValue: required(2, quantity, "What its mean should be."),
  selector: selector(3),
});
const resourceTarget = {
  name: resourceName,
  targetAverageUtilization: pointer(2, int32, "What should be used, as a percentage."),
  targetAverageValue: pointer(3, quantity, "What should be used."),
} as const;
const ResourceMetricSource = message("ResourceMetricSource", "A resource of the Pods.", resourceTarget);
const ContainerResourceMetricSource = message(
  "ContainerResourceMetricSource",
  "A resource of one container of the Pods.",
  { ...resourceTarget, container: required(5, string, "The container.") },
);
const ExternalMetricSource = message("ExternalMetricSource", "A metric of something outside.", {
  metricName: required(1, string, "The metric."),
  metricSelector: selector(2),
  targetValue: pointer(3, quantity, "What it should be."),
  targetAverageValue: pointer(4, quantity, "What its mean over all Pods should be."),
});

export const MetricSpec = message("MetricSpec", "One metric to scale by.", {
  type,
  object: pointer(2, ObjectMetricSource, "A metric of one object."),
  pods: pointer(3, PodsMetricSource, "A metric of each Pod."),
  resource: pointer(4, ResourceMetricSource, "A resource of the Pods."),
  containerResource: pointer(7, ContainerResourceMetricSource, "A resource of one container."),
  external: pointer(5, ExternalMetricSource, "A metric of something outside."),
});
export type MetricSpec = Out<typeof MetricSpec>;

const ObjectMetricStatus = message("ObjectMetricStatus", "The state of an object's metric.", {
  target: object,
  metricName: required(2, string, "The metric."),
  currentValue: required(3, quantity, "What it is."),
  selector: selector(4),
  averageValue: pointer(5, quantity, "What its mean over all Pods is."),
});
const PodsMetricStatus = message("PodsMetricStatus", "The state of a metric of each Pod.", {
  metricName: required(1, string, "The metric."),
  currentAverageValue: required(2, quantity, "What its mean is."),
  selector: selector(3),
});
const resourceStatus = {
  name: resourceName,
  currentAverageUtilization: pointer(2, int32, "What is used, as a percentage."),
  currentAverageValue: required(3, quantity, "What is used."),
} as const;
const ResourceMetricStatus = message("ResourceMetricStatus", "A resource of the Pods.", resourceStatus);
const ContainerResourceMetricStatus = message(
  "ContainerResourceMetricStatus",
  "A resource of one container of the Pods.",
  { ...resourceStatus, container: required(4, string, "The container.") },
);
const ExternalMetricStatus = message("ExternalMetricStatus", "The state of a metric of something outside.", {
  metricName: required(1, string, "The metric."),
  metricSelector: selector(2),
  currentValue: required(3, quantity, "What it is."),
  currentAverageValue: pointer(4, quantity, "What its mean over all Pods is."),
});

export const MetricStatus = message("MetricStatus", "The state of one metric.", {
  type,
  object: pointer(2, ObjectMetricStatus, "A metric of one object."),
  pods: pointer(3, PodsMetricStatus, "A metric of each Pod."),
  resource: pointer(4, ResourceMetricStatus, "A resource of the Pods."),
  containerResource: pointer(7, ContainerResourceMetricStatus, "A resource of one container."),
  external: pointer(5, ExternalMetricStatus, "A metric of something outside."),
});
export type MetricStatus = Out<typeof MetricStatus>;
