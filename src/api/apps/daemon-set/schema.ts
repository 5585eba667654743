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

export const RollingUpdateDaemonSet = message("RollingUpdateDaemonSet", "The pace of a rolling update.", {
  maxUnavailable: pointer(
    1,
    intOrString,
    "On how many nodes the Pod may be missing, as a number or a percentage.",
    { default: 1 },
  ),
  maxSurge: pointer(2, intOrString, "On how many nodes there may be two, as a number or a percentage.", {
    default: 0,
  }),
});
export type RollingUpdateDaemonSet = Out<typeof RollingUpdateDaemonSet>;

export const DaemonSetUpdateStrategy = message("DaemonSetUpdateStrategy", "How Pods are replaced.", {
  type: optional(1, oneOf("OnDelete", "RollingUpdate"), "By the controller, or as they are deleted.", {
    default: "RollingUpdate",
  }),
  rollingUpdate: pointer(2, RollingUpdateDaemonSet, "The pace; only for RollingUpdate."),
});
export type DaemonSetUpdateStrategy = Out<typeof DaemonSetUpdateStrategy>;

export const DaemonSetSpec = message("DaemonSetSpec", "What a DaemonSet shall be.", {
  selector: pointer(1, LabelSelector, "Selects its Pods; it cannot be changed."),
  template: required(2, PodTemplateSpec, "What Pods are made from; its node rules select the nodes."),
  updateStrategy: optional(3, DaemonSetUpdateStrategy, "How Pods are replaced."),
  minReadySeconds: optional(4, int32, "How long a Pod must be ready to count as available."),
  revisionHistoryLimit: pointer(6, int32, "How many old revisions are kept.", { default: 10 }),
});
export type DaemonSetSpec = Out<typeof DaemonSetSpec>;

export const DaemonSetCondition = message("DaemonSetCondition", "One aspect of a DaemonSet's state.", {
  type: required(1, string, "The aspect."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "When the status last changed."),
  reason: optional(4, string, "Why, as one CamelCase word for programs."),
  message: optional(5, string, "Why, for people."),
});
export type DaemonSetCondition = Out<typeof DaemonSetCondition>;

export const DaemonSetStatus = message("DaemonSetStatus", "What is known about a DaemonSet.", {
  currentNumberScheduled: required(1, int32, "On how many of the right nodes a Pod is."),
  numberMisscheduled: required(2, int32, "On how many of the wrong nodes a Pod is."),
  desiredNumberScheduled: required(3, int32, "On how many nodes a Pod should be."),
  numberReady: required(4, int32, "On how many nodes a Pod is ready."),
  observedGeneration: optional(5, int64, "The generation that this status was made from."),
  updatedNumberScheduled: optional(6, int32, "On how many nodes the Pod is of the present template."),
  numberAvailable: optional(7, int32, "On how many nodes a Pod has been ready for long enough."),
  numberUnavailable: optional(8, int32, "On how many nodes a Pod is missing."),
  collisionCount: pointer(9, int32, "How often the hash in a revision's name was taken already."),
  conditions: optional(
    10,
    keyed(DaemonSetCondition, "type"),
    "Aspects of the state, one entry for each type.",
    { merge: "type" },
  ),
});
export type DaemonSetStatus = Out<typeof DaemonSetStatus>;

export const DaemonSet = message("DaemonSet", "Keeps one Pod on each node that fits.", {
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
