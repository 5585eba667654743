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
import { PodTemplateSpec } from "../pod/spec.ts";

const message = messages("io.k8s.api.core.v1");

export const ReplicationControllerSpec = message(
  "ReplicationControllerSpec",
  "The desired state of a ReplicationController.",
  {
    replicas: pointer(1, int32, "The desired number of Pods.", { default: 1 }),
    minReadySeconds: optional(
      4,
      int32,
      "The minimum number of seconds for which a Pod must be ready to be available.",
    ),
    selector: optional(2, atomicMap(string), "Labels of its Pods; those of the template when empty."),
    template: pointer(3, PodTemplateSpec, "The template of the Pods."),
  },
);
export type ReplicationControllerSpec = Out<typeof ReplicationControllerSpec>;

export const ReplicationControllerCondition = message(
  "ReplicationControllerCondition",
  "A condition of a ReplicationController.",
  {
    type: required(1, string, "The condition's type."),
    status: required(2, string, "The condition's status: True, False or Unknown."),
    lastTransitionTime: optional(3, time, "The time when the condition's status last changed."),
    reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
    message: optional(5, string, "A human-readable explanation."),
  },
);
export type ReplicationControllerCondition = Out<typeof ReplicationControllerCondition>;

export const ReplicationControllerStatus = message(
  "ReplicationControllerStatus",
  "The observed state of a ReplicationController.",
  {
    replicas: required(1, int32, "The number of Pods."),
    fullyLabeledReplicas: optional(2, int32, "The number of Pods with all labels of the template."),
    readyReplicas: optional(4, int32, "The number of ready Pods."),
    availableReplicas: optional(5, int32, "The number of available Pods."),
    observedGeneration: optional(3, int64, "The generation that this status reflects."),
    conditions: optional(
      6,
      keyed(ReplicationControllerCondition, "type"),
      "The conditions, one for each type.",
      { merge: "type" },
    ),
  },
);
export type ReplicationControllerStatus = Out<typeof ReplicationControllerStatus>;

export const ReplicationController = message(
  "ReplicationController",
  "Maintains a number of Pods; superseded by ReplicaSet.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, ReplicationControllerSpec, "The desired state."),
    status: optional(3, ReplicationControllerStatus, "The observed state."),
  },
);

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
