import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  int64,
  intOrString,
  keyed,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";
import { PodTemplateSpec } from "../../core/pod/spec.ts";

const message = messages("io.k8s.api.apps.v1");

export const RollingUpdateDaemonSet = message(
  "RollingUpdateDaemonSet",
  "The parameters of a rolling update.",
  {
    maxUnavailable: pointer(
      1,
      intOrString,
      "The maximum number of nodes without an available Pod during the update, as a number or a percentage.",
      { default: 1 },
    ),
    maxSurge: pointer(
      2,
      intOrString,
      "The maximum number of nodes with an old and a new Pod, as a number or a percentage.",
      {
        default: 0,
      },
    ),
  },
);
export type RollingUpdateDaemonSet = Out<typeof RollingUpdateDaemonSet>;

export const DaemonSetUpdateStrategy = message("DaemonSetUpdateStrategy", "The update strategy of Pods.", {
  type: optional(
    1,
    oneOf("OnDelete", "RollingUpdate"),
    "RollingUpdate replaces Pods automatically; OnDelete replaces Pods that are deleted.",
    {
      default: "RollingUpdate",
    },
  ),
  rollingUpdate: pointer(2, RollingUpdateDaemonSet, "The parameters; only for RollingUpdate."),
});
export type DaemonSetUpdateStrategy = Out<typeof DaemonSetUpdateStrategy>;

export const DaemonSetSpec = message("DaemonSetSpec", "The desired state of a DaemonSet.", {
  selector: pointer(1, LabelSelector, "The label selector of the Pods; immutable."),
  template: required(
    2,
    PodTemplateSpec,
    "The template of the Pods; its node selector and affinity select the nodes.",
  ),
  updateStrategy: optional(3, DaemonSetUpdateStrategy, "The update strategy of Pods."),
  minReadySeconds: optional(
    4,
    int32,
    "The minimum number of seconds for which a Pod must be ready to be available.",
  ),
  revisionHistoryLimit: pointer(6, int32, "The number of old revisions to keep.", { default: 10 }),
});
export type DaemonSetSpec = Out<typeof DaemonSetSpec>;

export const DaemonSetCondition = message("DaemonSetCondition", "A condition of a DaemonSet.", {
  type: required(1, string, "The condition's type."),
  status: required(2, string, "The condition's status: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "The time when the condition's status last changed."),
  reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(5, string, "A human-readable explanation."),
});
export type DaemonSetCondition = Out<typeof DaemonSetCondition>;

export const DaemonSetStatus = message("DaemonSetStatus", "The observed state of a DaemonSet.", {
  currentNumberScheduled: required(1, int32, "The number of nodes that run a daemon Pod and should."),
  numberMisscheduled: required(2, int32, "The number of nodes that run a daemon Pod and should not."),
  desiredNumberScheduled: required(3, int32, "The number of nodes that should run a daemon Pod."),
  numberReady: required(4, int32, "The number of nodes with a ready Pod."),
  observedGeneration: optional(5, int64, "The generation that this status reflects."),
  updatedNumberScheduled: optional(6, int32, "The number of nodes whose Pod has the current template."),
  numberAvailable: optional(7, int32, "The number of nodes with an available Pod."),
  numberUnavailable: optional(8, int32, "The number of nodes without an available Pod."),
  collisionCount: pointer(9, int32, "The number of hash collisions between names of revisions."),
  conditions: optional(10, keyed(DaemonSetCondition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
});
export type DaemonSetStatus = Out<typeof DaemonSetStatus>;

export const DaemonSet = message("DaemonSet", "Runs one Pod on each matching node.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, DaemonSetSpec, "The desired state."),
  status: optional(3, DaemonSetStatus, "The observed state."),
});

export const daemonSets = defineKind(DaemonSet, {
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  namespaced: true,
  shortNames: ["ds"],
  categories: ["all"],
  status: true,
});
export type DaemonSet = ObjectOf<typeof daemonSets>;
