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

export const Overhead = message("Overhead", "What a Pod costs besides its containers.", {
  podFixed: optional(1, map(quantity), "The amount for each Pod."),
});
export type Overhead = Out<typeof Overhead>;

export const Scheduling = message("Scheduling", "Which nodes have a runtime.", {
  nodeSelector: optional(1, atomicMap(string), "Labels of these nodes, added to what a Pod asks for."),
  tolerations: optional(2, list(Toleration), "Taints of these nodes that its Pods tolerate."),
});
export type Scheduling = Out<typeof Scheduling>;

export const RuntimeClass = message("RuntimeClass", "A way to run containers, by a name.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  handler: required(2, string, "What the node's runtime calls it; it cannot be changed."),
  overhead: pointer(3, Overhead, "What its Pods cost besides their containers."),
  scheduling: pointer(4, Scheduling, "Which nodes have it; all when absent."),
});

export const runtimeClasses = defineKind(RuntimeClass, {
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  namespaced: false,
});
export type RuntimeClass = ObjectOf<typeof runtimeClasses>;
