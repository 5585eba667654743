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
import { PodTemplateSpec } from "../../core/v1/pod-spec.ts";

const message = messages("io.k8s.api.apps.v1");

export const ReplicaSetSpec = message("ReplicaSetSpec", "A replica set spec.", {
  replicas: pointer(1, int32, "The replicas.", { default: 1 }),
  minReadySeconds: optional(4, int32, "The min ready seconds."),
  selector: pointer(2, LabelSelector, "The selector."),
  template: optional(3, PodTemplateSpec, "The template."),
});
export type ReplicaSetSpec = Out<typeof ReplicaSetSpec>;

export const ReplicaSetCondition = message("ReplicaSetCondition", "A replica set condition.", {
  type: required(1, string, "The type."),
  status: required(2, string, "The status."),
  lastTransitionTime: optional(3, time, "The last transition time."),
  reason: optional(4, string, "The reason."),
  message: optional(5, string, "The message."),
});
export type ReplicaSetCondition = Out<typeof ReplicaSetCondition>;

export const ReplicaSetStatus = message("ReplicaSetStatus", "A replica set status.", {
  replicas: required(1, int32, "The replicas."),
  fullyLabeledReplicas: optional(2, int32, "The fully labeled replicas."),
  readyReplicas: optional(4, int32, "The ready replicas."),
  availableReplicas: optional(5, int32, "The available replicas."),
  terminatingReplicas: pointer(7, int32, "The terminating replicas."),
  observedGeneration: optional(3, int64, "The observed generation."),
  conditions: optional(6, keyed(ReplicaSetCondition, "type"), "The conditions.", { merge: "type" }),
});
export type ReplicaSetStatus = Out<typeof ReplicaSetStatus>;

export const ReplicaSet = message("ReplicaSet", "A replica set.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, ReplicaSetSpec, "The spec."),
  status: optional(3, ReplicaSetStatus, "The status."),
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
