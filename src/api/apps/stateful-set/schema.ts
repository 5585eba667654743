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
  "The parameters of a rolling update.",
  {
    partition: pointer(1, int32, "Pods with an ordinal below this one are not updated."),
    maxUnavailable: pointer(
      2,
      intOrString,
      "The maximum number of unavailable Pods during an update, as a number or a percentage.",
    ),
  },
);
export type RollingUpdateStatefulSetStrategy = Out<typeof RollingUpdateStatefulSetStrategy>;

export const StatefulSetUpdateStrategy = message(
  "StatefulSetUpdateStrategy",
  "The update strategy of Pods.",
  {
    type: optional(
      1,
      oneOf("OnDelete", "RollingUpdate"),
      "RollingUpdate replaces Pods automatically; OnDelete replaces Pods that are deleted.",
    ),
    rollingUpdate: pointer(2, RollingUpdateStatefulSetStrategy, "The parameters; only for RollingUpdate."),
  },
);
export type StatefulSetUpdateStrategy = Out<typeof StatefulSetUpdateStrategy>;

export const StatefulSetPersistentVolumeClaimRetentionPolicy = message(
  "StatefulSetPersistentVolumeClaimRetentionPolicy",
  "The retention policy of PersistentVolumeClaims.",
  {
    whenDeleted: optional(1, string, "The policy when the StatefulSet is deleted: Retain or Delete.", {
      default: "Retain",
    }),
    whenScaled: optional(2, string, "The policy when the StatefulSet is scaled down: Retain or Delete.", {
      default: "Retain",
    }),
  },
);
export type StatefulSetPersistentVolumeClaimRetentionPolicy = Out<
  typeof StatefulSetPersistentVolumeClaimRetentionPolicy
>;

export const StatefulSetOrdinals = message("StatefulSetOrdinals", "The numbering of Pods.", {
  start: required(1, int32, "The first ordinal."),
});
export type StatefulSetOrdinals = Out<typeof StatefulSetOrdinals>;

export const StatefulSetSpec = message("StatefulSetSpec", "The desired state of a StatefulSet.", {
  replicas: pointer(1, int32, "The desired number of Pods.", { default: 1 }),
  selector: pointer(2, LabelSelector, "The label selector of the Pods; immutable."),
  template: required(3, PodTemplateSpec, "The template of the Pods."),
  volumeClaimTemplates: optional(
    4,
    list(PersistentVolumeClaim),
    "Templates of the PersistentVolumeClaims of each Pod; a replaced Pod keeps its claims.",
  ),
  serviceName: required(5, string, "The headless Service that defines the domain of the Pods."),
  podManagementPolicy: optional(
    6,
    oneOf("OrderedReady", "Parallel"),
    "Whether Pods are created in order or in parallel.",
    { default: "OrderedReady" },
  ),
  updateStrategy: optional(7, StatefulSetUpdateStrategy, "The update strategy of Pods."),
  revisionHistoryLimit: pointer(8, int32, "The number of old revisions to keep.", { default: 10 }),
  minReadySeconds: optional(
    9,
    int32,
    "The minimum number of seconds for which a Pod must be ready to be available.",
  ),
  persistentVolumeClaimRetentionPolicy: pointer(
    10,
    StatefulSetPersistentVolumeClaimRetentionPolicy,
    "The retention policy of PersistentVolumeClaims.",
    { default: () => ({ whenDeleted: "Retain", whenScaled: "Retain" }) },
  ),
  ordinals: pointer(11, StatefulSetOrdinals, "The numbering of Pods."),
});
export type StatefulSetSpec = Out<typeof StatefulSetSpec>;

export const StatefulSetCondition = message("StatefulSetCondition", "A condition of a StatefulSet.", {
  type: required(1, string, "The condition's type."),
  status: required(2, string, "The condition's status: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "The time when the condition's status last changed."),
  reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(5, string, "A human-readable explanation."),
});
export type StatefulSetCondition = Out<typeof StatefulSetCondition>;

export const StatefulSetStatus = message("StatefulSetStatus", "The observed state of a StatefulSet.", {
  observedGeneration: optional(1, int64, "The generation that this status reflects."),
  replicas: required(2, int32, "The number of Pods."),
  readyReplicas: optional(3, int32, "The number of ready Pods."),
  currentReplicas: optional(4, int32, "The number of Pods of the current revision."),
  updatedReplicas: optional(5, int32, "The number of Pods of the update revision."),
  currentRevision: optional(6, string, "The revision of Pods that are not updated yet."),
  updateRevision: optional(7, string, "The revision of updated Pods."),
  collisionCount: pointer(9, int32, "The number of hash collisions between names of revisions."),
  conditions: optional(10, keyed(StatefulSetCondition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
  availableReplicas: required(11, int32, "The number of available Pods."),
});
export type StatefulSetStatus = Out<typeof StatefulSetStatus>;

export const StatefulSet = message(
  "StatefulSet",
  "Pods with stable names and storage, created and updated in order.",
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
