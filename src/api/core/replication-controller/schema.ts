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
  "What a ReplicationController shall be.",
  {
    replicas: pointer(1, int32, "How many Pods.", { default: 1 }),
    minReadySeconds: optional(4, int32, "How long a Pod must be ready to count as available."),
    selector: optional(2, atomicMap(string), "Labels of its Pods; those of the template when empty."),
    template: pointer(3, PodTemplateSpec, "What Pods are made from."),
  },
);
export type ReplicationControllerSpec = Out<typeof ReplicationControllerSpec>;

export const ReplicationControllerCondition = message(
  "ReplicationControllerCondition",
  "One aspect of a ReplicationController's state.",
  {
    type: required(1, string, "The aspect."),
    status: required(2, string, "Whether it holds: True, False or Unknown."),
    lastTransitionTime: optional(3, time, "When the status last changed."),
    reason: optional(4, string, "Why, as one CamelCase word for programs."),
    message: optional(5, string, "Why, for people."),
  },
);
export type ReplicationControllerCondition = Out<typeof ReplicationControllerCondition>;

export const ReplicationControllerStatus = message(
  "ReplicationControllerStatus",
  "What is known about a ReplicationController.",
  {
    replicas: required(1, int32, "How many Pods there are."),
    fullyLabeledReplicas: optional(2, int32, "How many have all labels of the template."),
    readyReplicas: optional(4, int32, "How many are ready."),
    availableReplicas: optional(5, int32, "How many have been ready for long enough."),
    observedGeneration: optional(3, int64, "The generation that this status was made from."),
    conditions: optional(
      6,
      keyed(ReplicationControllerCondition, "type"),
      "Aspects of the state, one entry for each type.",
      { merge: "type" },
    ),
  },
);
export type ReplicationControllerStatus = Out<typeof ReplicationControllerStatus>;

export const ReplicationController = message(
  "ReplicationController",
  "Keeps a number of Pods running; ReplicaSet is its successor.",
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
