import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  int64,
  intOrString,
  keyed,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";
import { PersistentVolumeClaim } from "../../core/v1/persistent-volume-claim.ts";
import { PodTemplateSpec } from "../../core/v1/pod-spec.ts";

const message = messages("io.k8s.api.apps.v1");

export const RollingUpdateStatefulSetStrategy = message(
  "RollingUpdateStatefulSetStrategy",
  "A rolling update stateful set strategy.",
  {
    partition: pointer(1, int32, "The partition."),
    maxUnavailable: pointer(2, intOrString, "The max unavailable."),
  },
);
export type RollingUpdateStatefulSetStrategy = Out<typeof RollingUpdateStatefulSetStrategy>;

export const StatefulSetUpdateStrategy = message(
  "StatefulSetUpdateStrategy",
  "A stateful set update strategy.",
  {
    type: optional(1, oneOf("OnDelete", "RollingUpdate"), "The type."),
    rollingUpdate: pointer(2, RollingUpdateStatefulSetStrategy, "The rolling update."),
  },
);
export type StatefulSetUpdateStrategy = Out<typeof StatefulSetUpdateStrategy>;

export const StatefulSetPersistentVolumeClaimRetentionPolicy = message(
  "StatefulSetPersistentVolumeClaimRetentionPolicy",
  "A stateful set persistent volume claim retention policy.",
  {
    whenDeleted: optional(1, string, "The when deleted.", { default: "Retain" }),
    whenScaled: optional(2, string, "The when scaled.", { default: "Retain" }),
  },
);
export type StatefulSetPersistentVolumeClaimRetentionPolicy = Out<
  typeof StatefulSetPersistentVolumeClaimRetentionPolicy
>;

export const StatefulSetOrdinals = message("StatefulSetOrdinals", "A stateful set ordinals.", {
  start: required(1, int32, "The start."),
});
export type StatefulSetOrdinals = Out<typeof StatefulSetOrdinals>;

export const StatefulSetSpec = message("StatefulSetSpec", "A stateful set spec.", {
  replicas: pointer(1, int32, "The replicas.", { default: 1 }),
  selector: pointer(2, LabelSelector, "The selector."),
  template: required(3, PodTemplateSpec, "The template."),
  volumeClaimTemplates: optional(4, list(PersistentVolumeClaim), "The volume claim templates."),
  serviceName: required(5, string, "The service name."),
  podManagementPolicy: optional(6, oneOf("OrderedReady", "Parallel"), "The pod management policy.", {
    default: "OrderedReady",
  }),
  updateStrategy: optional(7, StatefulSetUpdateStrategy, "The update strategy."),
  revisionHistoryLimit: pointer(8, int32, "The revision history limit.", { default: 10 }),
  minReadySeconds: optional(9, int32, "The min ready seconds."),
  persistentVolumeClaimRetentionPolicy: pointer(
    10,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
    "The persistent volume claim retention policy.",
    { default: () => ({ whenDeleted: "Retain", whenScaled: "Retain" }) },
  ),
  ordinals: pointer(11, StatefulSetOrdinals, "The ordinals."),
});
export type StatefulSetSpec = Out<typeof StatefulSetSpec>;

export const StatefulSetCondition = message("StatefulSetCondition", "A stateful set condition.", {
  type: required(1, string, "The type."),
  status: required(2, string, "The status."),
  lastTransitionTime: optional(3, time, "The last transition time."),
  reason: optional(4, string, "The reason."),
  message: optional(5, string, "The message."),
});
export type StatefulSetCondition = Out<typeof StatefulSetCondition>;

export const StatefulSetStatus = message("StatefulSetStatus", "A stateful set status.", {
  observedGeneration: optional(1, int64, "The observed generation."),
  replicas: required(2, int32, "The replicas."),
  readyReplicas: optional(3, int32, "The ready replicas."),
  currentReplicas: optional(4, int32, "The current replicas."),
  updatedReplicas: optional(5, int32, "The updated replicas."),
  currentRevision: optional(6, string, "The current revision."),
  updateRevision: optional(7, string, "The update revision."),
  collisionCount: pointer(9, int32, "The collision count."),
  conditions: optional(10, keyed(StatefulSetCondition, "type"), "The conditions.", { merge: "type" }),
  availableReplicas: required(11, int32, "The available replicas."),
});
export type StatefulSetStatus = Out<typeof StatefulSetStatus>;

export const StatefulSet = message("StatefulSet", "A stateful set.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, StatefulSetSpec, "The spec."),
  status: optional(3, StatefulSetStatus, "The status."),
});

export const statefulSets = defineKind(StatefulSet, {
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  namespaced: true,
  shortNames: ["sts"],
  categories: ["all"],
  status: true,
  scale: { specReplicas: "spec.replicas", statusReplicas: "status.replicas", selector: "spec.selector" },
});
export type StatefulSet = ObjectOf<typeof statefulSets>;
