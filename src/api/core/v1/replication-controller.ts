import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  atomicMap,
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
import { ObjectMeta } from "../../../meta/v1.ts";
import { PodTemplateSpec } from "./pod-spec.ts";

const message = messages("io.k8s.api.core.v1");

export const ReplicationControllerSpec = message(
  "ReplicationControllerSpec",
  "A replication controller spec.",
  {
    replicas: pointer(1, int32, "The replicas.", { default: 1 }),
    minReadySeconds: optional(4, int32, "The min ready seconds."),
    selector: optional(2, atomicMap(string), "The selector."),
    template: pointer(3, PodTemplateSpec, "The template."),
  },
);
export type ReplicationControllerSpec = Out<typeof ReplicationControllerSpec>;

export const ReplicationControllerCondition = message(
  "ReplicationControllerCondition",
  "A replication controller condition.",
  {
    type: required(1, string, "The type."),
    status: required(2, string, "The status."),
    lastTransitionTime: optional(3, time, "The last transition time."),
    reason: optional(4, string, "The reason."),
    message: optional(5, string, "The message."),
  },
);
export type ReplicationControllerCondition = Out<typeof ReplicationControllerCondition>;

export const ReplicationControllerStatus = message(
  "ReplicationControllerStatus",
  "A replication controller status.",
  {
    replicas: required(1, int32, "The replicas."),
    fullyLabeledReplicas: optional(2, int32, "The fully labeled replicas."),
    readyReplicas: optional(4, int32, "The ready replicas."),
    availableReplicas: optional(5, int32, "The available replicas."),
    observedGeneration: optional(3, int64, "The observed generation."),
    conditions: optional(6, keyed(ReplicationControllerCondition, "type"), "The conditions.", {
      merge: "type",
    }),
  },
);
export type ReplicationControllerStatus = Out<typeof ReplicationControllerStatus>;

export const ReplicationController = message("ReplicationController", "A replication controller.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, ReplicationControllerSpec, "The spec."),
  status: optional(3, ReplicationControllerStatus, "The status."),
});

export const replicationControllers = defineKind(ReplicationController, {
  group: "",
  version: "v1",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  namespaced: true,
  shortNames: ["rc"],
  categories: ["all"],
  status: true,
  scale: { specReplicas: "spec.replicas", statusReplicas: "status.replicas", selector: "spec.selector" },
});
export type ReplicationController = ObjectOf<typeof replicationControllers>;
