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

export const ReplicaSetSpec = message("ReplicaSetSpec", "What a ReplicaSet shall be.", {
  replicas: pointer(1, int32, "How many Pods.", { default: 1 }),
  minReadySeconds: optional(4, int32, "How long a Pod must be ready to count as available."),
  selector: pointer(2, LabelSelector, "Selects its Pods; it cannot be changed."),
  template: optional(3, PodTemplateSpec, "What Pods are made from."),
});
export type ReplicaSetSpec = Out<typeof ReplicaSetSpec>;

export const ReplicaSetCondition = message("ReplicaSetCondition", "One aspect of a ReplicaSet's state.", {
  type: required(1, string, "The aspect."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "When the status last changed."),
  reason: optional(4, string, "Why, as one CamelCase word for programs."),
  message: optional(5, string, "Why, for people."),
});
export type ReplicaSetCondition = Out<typeof ReplicaSetCondition>;

export const ReplicaSetStatus = message("ReplicaSetStatus", "What is known about a ReplicaSet.", {
  replicas: required(1, int32, "How many Pods there are."),
  fullyLabeledReplicas: optional(2, int32, "How many have all labels of the template."),
  readyReplicas: optional(4, int32, "How many are ready."),
  availableReplicas: optional(5, int32, "How many have been ready for long enough."),
  terminatingReplicas: pointer(7, int32, "How many are ending."),
  observedGeneration: optional(3, int64, "The generation that this status was made from."),
  conditions: optional(
    6,
    keyed(ReplicaSetCondition, "type"),
    "Aspects of the state, one entry for each type.",
    { merge: "type" },
  ),
});
export type ReplicaSetStatus = Out<typeof ReplicaSetStatus>;

export const ReplicaSet = message("ReplicaSet", "Keeps a number of Pods running.", {
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
