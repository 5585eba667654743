import {
  type Out,
  int32,
  messages,
  optional,
  pointer,
  quantity,
  required,
  string,
} from "../../../meta/schema.ts";
import { LabelSelector } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.autoscaling.v2");

export const CrossVersionObjectReference = message(
  "CrossVersionObjectReference",
  "A reference to an object.",
  {
    kind: required(1, string, "The object's kind."),
    name: required(2, string, "The object's name."),
    apiVersion: optional(3, string, "The object's group and version."),
  },
);
export type CrossVersionObjectReference = Out<typeof CrossVersionObjectReference>;

export const MetricIdentifier = message("MetricIdentifier", "The metric.", {
  name: required(1, string, "The metric's name."),
  selector: pointer(
    2,
    LabelSelector,
    "Selects the metric by labels; passed to the metrics server unchanged.",
  ),
});
export type MetricIdentifier = Out<typeof MetricIdentifier>;

export const MetricTarget = message("MetricTarget", "The target of a metric.", {
  type: required(1, string, "Utilization, Value or AverageValue."),
  value: pointer(2, quantity, "The metric's value."),
  averageValue: pointer(3, quantity, "The average over all Pods."),
  averageUtilization: pointer(4, int32, "The average over all Pods, as a percentage of the requests."),
});
export type MetricTarget = Out<typeof MetricTarget>;

export const MetricValueStatus = message("MetricValueStatus", "The current value of a metric.", {
  value: pointer(1, quantity, "The metric's value."),
  averageValue: pointer(2, quantity, "The average over all Pods."),
  averageUtilization: pointer(3, int32, "The average over all Pods, as a percentage of the requests."),
});
export type MetricValueStatus = Out<typeof MetricValueStatus>;

const target = (number: number) => required(number, MetricTarget, "The target value.");
const current = (number: number) => required(number, MetricValueStatus, "The current value.");
const metric = (number: number) => required(number, MetricIdentifier, "The metric.");
const resourceName = required(1, string, "The resource.");
const container = required(3, string, "The container, of each Pod.");

export const ObjectMetricSource = message("ObjectMetricSource", "A metric of one object.", {
  describedObject: required(1, CrossVersionObjectReference, "The object."),
  target: target(2),
  metric: metric(3),
});
export type ObjectMetricSource = Out<typeof ObjectMetricSource>;

export const PodsMetricSource = message("PodsMetricSource", "A metric of each Pod.", {
  metric: metric(1),
  target: target(2),
});
export type PodsMetricSource = Out<typeof PodsMetricSource>;

export const ResourceMetricSource = message("ResourceMetricSource", "The usage of a resource by the Pods.", {
  name: resourceName,
  target: target(2),
});
export type ResourceMetricSource = Out<typeof ResourceMetricSource>;

export const ContainerResourceMetricSource = message(
  "ContainerResourceMetricSource",
  "The usage of a resource by one container of the Pods.",
  { name: resourceName, target: target(2), container },
);
export type ContainerResourceMetricSource = Out<typeof ContainerResourceMetricSource>;

export const ExternalMetricSource = message("ExternalMetricSource", "A metric from outside the cluster.", {
  metric: metric(1),
  target: target(2),
});
export type ExternalMetricSource = Out<typeof ExternalMetricSource>;

export const MetricSpec = message("MetricSpec", "One metric to scale by; it has exactly one source.", {
  type: required(1, string, "The type of the source: ContainerResource, External, Object, Pods or Resource."),
  object: pointer(2, ObjectMetricSource, "A metric of one object."),
  pods: pointer(3, PodsMetricSource, "A metric of each Pod."),
  resource: pointer(4, ResourceMetricSource, "The usage of a resource by the Pods."),
  containerResource: pointer(
    7,
    ContainerResourceMetricSource,
    "The usage of a resource by one container of the Pods.",
  ),
  external: pointer(5, ExternalMetricSource, "A metric from outside the cluster."),
});
export type MetricSpec = Out<typeof MetricSpec>;

export const ObjectMetricStatus = message("ObjectMetricStatus", "The current value of an object's metric.", {
  metric: metric(1),
  current: current(2),
  describedObject: required(3, CrossVersionObjectReference, "The object."),
});
export type ObjectMetricStatus = Out<typeof ObjectMetricStatus>;

export const PodsMetricStatus = message("PodsMetricStatus", "The current average of a metric of each Pod.", {
  metric: metric(1),
  current: current(2),
});
export type PodsMetricStatus = Out<typeof PodsMetricStatus>;

export const ResourceMetricStatus = message(
  "ResourceMetricStatus",
  "The current usage of a resource by the Pods.",
  { name: resourceName, current: current(2) },
);
export type ResourceMetricStatus = Out<typeof ResourceMetricStatus>;

export const ContainerResourceMetricStatus = message(
  "ContainerResourceMetricStatus",
  "The current usage of a resource by one container of the Pods.",
  { name: resourceName, current: current(2), container },
);
export type ContainerResourceMetricStatus = Out<typeof ContainerResourceMetricStatus>;

export const ExternalMetricStatus = message(
  "ExternalMetricStatus",
  "The current value of a metric from outside the cluster.",
  { metric: metric(1), current: current(2) },
);
export type ExternalMetricStatus = Out<typeof ExternalMetricStatus>;

export const MetricStatus = message("MetricStatus", "The current value of one metric.", {
  type: required(1, string, "The type of the source: ContainerResource, External, Object, Pods or Resource."),
  object: pointer(2, ObjectMetricStatus, "A metric of one object."),
  pods: pointer(3, PodsMetricStatus, "A metric of each Pod."),
  resource: pointer(4, ResourceMetricStatus, "The usage of a resource by the Pods."),
  containerResource: pointer(
    7,
    ContainerResourceMetricStatus,
    "The usage of a resource by one container of the Pods.",
  ),
  external: pointer(5, ExternalMetricStatus, "A metric from outside the cluster."),
});
export type MetricStatus = Out<typeof MetricStatus>;
