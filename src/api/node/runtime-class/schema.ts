import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  atomicMap,
  list,
  map,
  messages,
  optional,
  pointer,
  quantity,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { Toleration } from "../../core/v1/scheduling.ts";

const message = messages("io.k8s.api.node.v1");

export const Overhead = message("Overhead", "The resource overhead of a Pod beyond its containers.", {
  podFixed: optional(1, map(quantity), "The amount for each Pod."),
});
export type Overhead = Out<typeof Overhead>;

export const Scheduling = message("Scheduling", "The nodes that support a RuntimeClass.", {
  nodeSelector: optional(1, atomicMap(string), "Labels of the nodes, added to the Pod's node selector."),
  tolerations: optional(2, list(Toleration), "Tolerations that are added to the Pod."),
});
export type Scheduling = Out<typeof Scheduling>;

export const RuntimeClass = message("RuntimeClass", "A named configuration of the container runtime.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  handler: required(2, string, "The name of the handler in the node's container runtime; immutable."),
  overhead: pointer(3, Overhead, "The resource overhead of its Pods."),
  scheduling: pointer(4, Scheduling, "The nodes that support the class; all when absent."),
});

export const runtimeClasses = defineKind(RuntimeClass, {
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  namespaced: false,
});
export type RuntimeClass = ObjectOf<typeof runtimeClasses>;
