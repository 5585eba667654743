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
import { PodTemplateSpec } from "../../core/v1/pod-spec.ts";

const message = messages("io.k8s.api.apps.v1");

export const RollingUpdateDaemonSet = message("RollingUpdateDaemonSet", "A rolling update daemon set.", {
  maxUnavailable: pointer(1, intOrString, "The max unavailable.", { default: 1 }),
  maxSurge: pointer(2, intOrString, "The max surge.", { default: 0 }),
});
export type RollingUpdateDaemonSet = Out<typeof RollingUpdateDaemonSet>;

export const DaemonSetUpdateStrategy = message("DaemonSetUpdateStrategy", "A daemon set update strategy.", {
  type: optional(1, oneOf("OnDelete", "RollingUpdate"), "The type.", { default: "RollingUpdate" }),
  rollingUpdate: pointer(2, RollingUpdateDaemonSet, "The rolling update."),
});
export type DaemonSetUpdateStrategy = Out<typeof DaemonSetUpdateStrategy>;

export const DaemonSetSpec = message("DaemonSetSpec", "A daemon set spec.", {
  selector: pointer(1, LabelSelector, "The selector."),
  template: required(2, PodTemplateSpec, "The template."),
  updateStrategy: optional(3, DaemonSetUpdateStrategy, "The update strategy."),
  minReadySeconds: optional(4, int32, "The min ready seconds."),
  revisionHistoryLimit: pointer(6, int32, "The revision history limit.", { default: 10 }),
});
export type DaemonSetSpec = Out<typeof DaemonSetSpec>;

export const DaemonSetCondition = message("DaemonSetCondition", "A daemon set condition.", {
  type: required(1, string, "The type."),
  status: required(2, string, "The status."),
  lastTransitionTime: optional(3, time, "The last transition time."),
  reason: optional(4, string, "The reason."),
  message: optional(5, string, "The message."),
});
export type DaemonSetCondition = Out<typeof DaemonSetCondition>;

export const DaemonSetStatus = message("DaemonSetStatus", "A daemon set status.", {
  currentNumberScheduled: required(1, int32, "The current number scheduled."),
  numberMisscheduled: required(2, int32, "The number misscheduled."),
  desiredNumberScheduled: required(3, int32, "The desired number scheduled."),
  numberReady: required(4, int32, "The number ready."),
  observedGeneration: optional(5, int64, "The observed generation."),
  updatedNumberScheduled: optional(6, int32, "The updated number scheduled."),
  numberAvailable: optional(7, int32, "The number available."),
  numberUnavailable: optional(8, int32, "The number unavailable."),
  collisionCount: pointer(9, int32, "The collision count."),
  conditions: optional(10, keyed(DaemonSetCondition, "type"), "The conditions.", { merge: "type" }),
});
export type DaemonSetStatus = Out<typeof DaemonSetStatus>;

export const DaemonSet = message("DaemonSet", "A daemon set.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, DaemonSetSpec, "The spec."),
  status: optional(3, DaemonSetStatus, "The status."),
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
