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
import { PersistentVolumeClaim } from "../../core/persistent-volume-claim/schema.ts";
import { PodTemplateSpec } from "../../core/pod/spec.ts";

const message = messages("io.k8s.api.apps.v1");

export const RollingUpdateStatefulSetStrategy = message(
  "RollingUpdateStatefulSetStrategy",
  "The pace of a rolling update.",
  {
    partition: pointer(1, int32, "Pods below this ordinal stay as they are."),
    maxUnavailable: pointer(2, intOrString, "How many Pods may be missing, as a number or a percentage."),
  },
);
export type RollingUpdateStatefulSetStrategy = Out<typeof RollingUpdateStatefulSetStrategy>;

export const StatefulSetUpdateStrategy = message("StatefulSetUpdateStrategy", "How Pods are replaced.", {
  type: optional(1, oneOf("OnDelete", "RollingUpdate"), "By the controller, or as they are deleted."),
  rollingUpdate: pointer(2, RollingUpdateStatefulSetStrategy, "The pace; only for RollingUpdate."),
});
export type StatefulSetUpdateStrategy = Out<typeof StatefulSetUpdateStrategy>;

export const StatefulSetPersistentVolumeClaimRetentionPolicy = message(
  "StatefulSetPersistentVolumeClaimRetentionPolicy",
  "What becomes of claims.",
  {
    whenDeleted: optional(1, string, "When the StatefulSet is deleted: Retain or Delete.", {
      default: "Retain",
    }),
    whenScaled: optional(2, string, "When it is scaled down: Retain or Delete.", { default: "Retain" }),
  },
);
export type StatefulSetPersistentVolumeClaimRetentionPolicy = Out<
  typeof StatefulSetPersistentVolumeClaimRetentionPolicy
>;

export const StatefulSetOrdinals = message("StatefulSetOrdinals", "How Pods are numbered.", {
  start: required(1, int32, "The first number."),
});
export type StatefulSetOrdinals = Out<typeof StatefulSetOrdinals>;

export const StatefulSetSpec = message("StatefulSetSpec", "What a StatefulSet shall be.", {
  replicas: pointer(1, int32, "How many Pods.", { default: 1 }),
  selector: pointer(2, LabelSelector, "Selects its Pods; it cannot be changed."),
  template: required(3, PodTemplateSpec, "What Pods are made from."),
  volumeClaimTemplates: optional(
    4,
    list(PersistentVolumeClaim),
    "Claims made for each Pod, and kept for its successors.",
  ),
  serviceName: required(5, string, "The headless Service that gives Pods their names."),
  podManagementPolicy: optional(
    6,
    oneOf("OrderedReady", "Parallel"),
    "Whether Pods are started one after the other.",
    { default: "OrderedReady" },
  ),
  updateStrategy: optional(7, StatefulSetUpdateStrategy, "How Pods are replaced."),
  revisionHistoryLimit: pointer(8, int32, "How many old revisions are kept.", { default: 10 }),
  minReadySeconds: optional(9, int32, "How long a Pod must be ready to count as available."),
  persistentVolumeClaimRetentionPolicy: pointer(
    10,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
    "What becomes of claims.",
    { default: () => ({ whenDeleted: "Retain", whenScaled: "Retain" }) },
  ),
  ordinals: pointer(11, StatefulSetOrdinals, "How Pods are numbered."),
});
export type StatefulSetSpec = Out<typeof StatefulSetSpec>;

export const StatefulSetCondition = message("StatefulSetCondition", "One aspect of a StatefulSet's state.", {
  type: required(1, string, "The aspect."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "When the status last changed."),
  reason: optional(4, string, "Why, as one CamelCase word for programs."),
  message: optional(5, string, "Why, for people."),
});
export type StatefulSetCondition = Out<typeof StatefulSetCondition>;

export const StatefulSetStatus = message("StatefulSetStatus", "What is known about a StatefulSet.", {
  observedGeneration: optional(1, int64, "The generation that this status was made from."),
  replicas: required(2, int32, "How many Pods there are."),
  readyReplicas: optional(3, int32, "How many are ready."),
  currentReplicas: optional(4, int32, "How many are of the current revision."),
  updatedReplicas: optional(5, int32, "How many are of the update revision."),
  currentRevision: optional(6, string, "The revision of the Pods not updated yet."),
  updateRevision: optional(7, string, "The revision of updated Pods."),
  collisionCount: pointer(9, int32, "How often the hash in a revision's name was taken already."),
  conditions: optional(
    10,
    keyed(StatefulSetCondition, "type"),
    "Aspects of the state, one entry for each type.",
    { merge: "type" },
  ),
  availableReplicas: required(11, int32, "How many have been ready for long enough."),
});
export type StatefulSetStatus = Out<typeof StatefulSetStatus>;

export const StatefulSet = message(
  "StatefulSet",
  "Pods with lasting names and storage, started and replaced in order.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, StatefulSetSpec, "The desired state."),
    status: optional(3, StatefulSetStatus, "The observed state."),
  },
);

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
