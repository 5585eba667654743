import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  int64,
  keyed,
  messages,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";
import { PodTemplateSpec } from "../../core/pod/spec.ts";

const message = messages("io.k8s.api.apps.v1");

export const ReplicaSetSpec = message("ReplicaSetSpec", "The desired state of a ReplicaSet.", {
  replicas: pointer(1, int32, "The desired number of Pods.", { default: 1 }),
  minReadySeconds: optional(
    4,
    int32,
    "The minimum number of seconds for which a Pod must be ready to be available.",
  ),
  selector: pointer(2, LabelSelector, "The label selector of the Pods; immutable."),
  template: optional(3, PodTemplateSpec, "The template of the Pods."),
});
export type ReplicaSetSpec = Out<typeof ReplicaSetSpec>;

export const ReplicaSetCondition = message("ReplicaSetCondition", "A condition of a ReplicaSet.", {
  type: required(1, string, "The condition's type."),
  status: required(2, string, "The condition's status: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "The time when the condition's status last changed."),
  reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(5, string, "A human-readable explanation."),
});
export type ReplicaSetCondition = Out<typeof ReplicaSetCondition>;

export const ReplicaSetStatus = message("ReplicaSetStatus", "The observed state of a ReplicaSet.", {
  replicas: required(1, int32, "The number of Pods."),
  fullyLabeledReplicas: optional(2, int32, "The number of Pods with all labels of the template."),
  readyReplicas: optional(4, int32, "The number of ready Pods."),
  availableReplicas: optional(5, int32, "The number of available Pods."),
  terminatingReplicas: pointer(7, int32, "The number of terminating Pods."),
  observedGeneration: optional(3, int64, "The generation that this status reflects."),
  conditions: optional(6, keyed(ReplicaSetCondition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
});
export type ReplicaSetStatus = Out<typeof ReplicaSetStatus>;

export const ReplicaSet = message("ReplicaSet", "Maintains a number of Pods.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, ReplicaSetSpec, "The desired state."),
  status: optional(3, ReplicaSetStatus, "The observed state."),
});

export const replicaSets = defineKind(ReplicaSet, {
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  plural: "replicasets",
  namespaced: true,
  shortNames: ["rs"],
  categories: ["all"],
  status: true,
  scale: { specReplicas: "spec.replicas", statusReplicas: "status.replicas", selector: "spec.selector" },
});
export type ReplicaSet = ObjectOf<typeof replicaSets>;
