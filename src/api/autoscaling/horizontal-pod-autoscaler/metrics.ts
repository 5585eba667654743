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

export const CrossVersionObjectReference = message("CrossVersionObjectReference", "Refers to an object.", {
  kind: required(1, string, "Its kind."),
  name: required(2, string, "Its name."),
  apiVersion: optional(3, string, "Its group and version."),
});
export type CrossVersionObjectReference = Out<typeof CrossVersionObjectReference>;

export const MetricIdentifier = message("MetricIdentifier", "Which metric.", {
  name: required(1, string, "Its name."),
  selector: pointer(2, LabelSelector, "Narrows it down; handed to the metrics server as it is."),
});
export type MetricIdentifier = Out<typeof MetricIdentifier>;

export const MetricTarget = message("MetricTarget", "What a metric should be.", {
  type: required(1, string, "Utilization, Value or AverageValue."),
  value: pointer(2, quantity, "The metric's value."),
  averageValue: pointer(3, quantity, "The mean over all Pods."),
  averageUtilization: pointer(4, int32, "The mean over all Pods, as a percentage of what they request."),
});
export type MetricTarget = Out<typeof MetricTarget>;

export const MetricValueStatus = message("MetricValueStatus", "What a metric is.", {
  value: pointer(1, quantity, "The metric's value."),
  averageValue: pointer(2, quantity, "The mean over all Pods."),
  averageUtilization: pointer(3, int32, "The mean over all Pods, as a percentage of what they request."),
});
export type MetricValueStatus = Out<typeof MetricValueStatus>;

const target = (number: number) => required(number, MetricTarget, "What it should be.");
const current = (number: number) => required(number, MetricValueStatus, "What it is.");
const metric = (number: number) => required(number, MetricIdentifier, "Which metric.");
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

export const ResourceMetricSource = message("ResourceMetricSource", "How much of a resource the Pods use.", {
  name: resourceName,
  target: target(2),
});
export type ResourceMetricSource = Out<typeof ResourceMetricSource>;

export const ContainerResourceMetricSource = message(
  "ContainerResourceMetricSource",
  "How much of a resource one container of the Pods uses.",
  { name: resourceName, target: target(2), container },
);
export type ContainerResourceMetricSource = Out<typeof ContainerResourceMetricSource>;

export const ExternalMetricSource = message(
  "ExternalMetricSource",
  "A metric of something outside the cluster.",
  { metric: metric(1), target: target(2) },
);
export type ExternalMetricSource = Out<typeof ExternalMetricSource>;

export const MetricSpec = message("MetricSpec", "One metric to scale by; it has exactly one source.", {
  type: required(1, string, "Which source: ContainerResource, External, Object, Pods or Resource."),
  object: pointer(2, ObjectMetricSource, "A metric of one object."),
  pods: pointer(3, PodsMetricSource, "A metric of each Pod."),
  resource: pointer(4, ResourceMetricSource, "How much of a resource the Pods use."),
  containerResource: pointer(
    7,
    ContainerResourceMetricSource,
    "How much of a resource one container of the Pods uses.",
  ),
  external: pointer(5, ExternalMetricSource, "A metric of something outside the cluster."),
});
export type MetricSpec = Out<typeof MetricSpec>;

export const ObjectMetricStatus = message("ObjectMetricStatus", "The state of an object's metric.", {
  metric: metric(1),
  current: current(2),
  describedObject: required(3, CrossVersionObjectReference, "The object."),
});
export type ObjectMetricStatus = Out<typeof ObjectMetricStatus>;

export const PodsMetricStatus = message("PodsMetricStatus", "The state of a metric of each Pod.", {
  metric: metric(1),
  current: current(2),
});
export type PodsMetricStatus = Out<typeof PodsMetricStatus>;

export const ResourceMetricStatus = message(
  "ResourceMetricStatus",
  "How much of a resource the Pods use now.",
  { name: resourceName, current: current(2) },
);
export type ResourceMetricStatus = Out<typeof ResourceMetricStatus>;

export const ContainerResourceMetricStatus = message(
  "ContainerResourceMetricStatus",
  "How much of a resource one container of the Pods uses now.",
  { name: resourceName, current: current(2), container },
);
export type ContainerResourceMetricStatus = Out<typeof ContainerResourceMetricStatus>;

export const ExternalMetricStatus = message(
  "ExternalMetricStatus",
  "The state of a metric of something outside the cluster.",
  { metric: metric(1), current: current(2) },
);
export type ExternalMetricStatus = Out<typeof ExternalMetricStatus>;

export const MetricStatus = message("MetricStatus", "The state of one metric.", {
  type: required(1, string, "Which source: ContainerResource, External, Object, Pods or Resource."),
  object: pointer(2, ObjectMetricStatus, "A metric of one object."),
  pods: pointer(3, PodsMetricStatus, "A metric of each Pod."),
  resource: pointer(4, ResourceMetricStatus, "How much of a resource the Pods use."),
  containerResource: pointer(
    7,
    ContainerResourceMetricStatus,
    "How much of a resource one container of the Pods uses.",
  ),
  external: pointer(5, ExternalMetricStatus, "A metric of something outside the cluster."),
});
export type MetricStatus = Out<typeof MetricStatus>;
