import { defineKind, type ObjectOf } from "../../meta/kind.ts";
import {
  duration,
  list,
  map,
  messages,
  optional,
  type Out,
  quantity,
  required,
  string,
  time,
} from "../../meta/schema.ts";
import { ObjectMeta } from "../../meta/v1.ts";

const message = messages("io.k8s.metrics.pkg.apis.metrics.v1beta1");

const metadata = optional(1, ObjectMeta, "Standard object metadata.");
const timestamp = required(2, time, "The end of the window.");
const window = required(3, duration, "The window; usage is measured in the interval before the timestamp.");
const usage = (number: number) =>
  required(number, map(quantity), "The usage by resource: cpu as an average over the window, memory now.");

export const ContainerMetrics = message("ContainerMetrics", "The usage of one container.", {
  name: required(1, string, "The container's name, as in the Pod's spec."),
  usage: usage(2),
});
export type ContainerMetrics = Out<typeof ContainerMetrics>;

export const PodMetrics = message("PodMetrics", "The usage of one Pod.", {
  metadata,
  timestamp,
  window,
  containers: required(4, list(ContainerMetrics), "The usage of each container."),
});

export const NodeMetrics = message("NodeMetrics", "The usage of one node.", {
  metadata,
  timestamp,
  window,
  usage: usage(4),
});

const served = { group: "metrics.k8s.io", version: "v1beta1", verbs: ["get", "list"] } as const;

export const podMetrics = defineKind(PodMetrics, {
  ...served,
  kind: "PodMetrics",
  plural: "pods",
  singular: "",
  namespaced: true,
});
export type PodMetrics = ObjectOf<typeof podMetrics>;

export const nodeMetrics = defineKind(NodeMetrics, {
  ...served,
  kind: "NodeMetrics",
  plural: "nodes",
  singular: "",
  namespaced: false,
});
export type NodeMetrics = ObjectOf<typeof nodeMetrics>;
