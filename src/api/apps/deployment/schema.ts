import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  boolean,
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

export const RollingUpdateDeployment = message("RollingUpdateDeployment", "The pace of a rolling update.", {
  maxUnavailable: pointer(1, intOrString, "How many Pods may be missing, as a number or a percentage.", {
    default: "25%",
  }),
  maxSurge: pointer(2, intOrString, "How many Pods there may be in excess, as a number or a percentage.", {
    default: "25%",
  }),
});
export type RollingUpdateDeployment = Out<typeof RollingUpdateDeployment>;

export const DeploymentStrategy = message("DeploymentStrategy", "How Pods are replaced.", {
  type: optional(1, oneOf("Recreate", "RollingUpdate"), "At once or one after the other.", {
    default: "RollingUpdate",
  }),
  rollingUpdate: pointer(2, RollingUpdateDeployment, "The pace; only for RollingUpdate."),
});
export type DeploymentStrategy = Out<typeof DeploymentStrategy>;

export const DeploymentSpec = message("DeploymentSpec", "What a Deployment shall be.", {
  replicas: pointer(1, int32, "How many Pods.", { default: 1 }),
  selector: pointer(2, LabelSelector, "Selects its Pods; it cannot be changed."),
  template: required(3, PodTemplateSpec, "What Pods are made from."),
  strategy: optional(4, DeploymentStrategy, "How Pods are replaced.", { retainKeys: true }),
  minReadySeconds: optional(5, int32, "How long a Pod must be ready to count as available."),
  revisionHistoryLimit: pointer(6, int32, "How many old ReplicaSets are kept.", { default: 10 }),
  paused: optional(7, boolean, "Whether changes wait."),
  progressDeadlineSeconds: pointer(
    9,
    int32,
    "After how long without progress the rollout counts as failed.",
    { default: 600 },
  ),
});
export type DeploymentSpec = Out<typeof DeploymentSpec>;

export const DeploymentCondition = message("DeploymentCondition", "One aspect of a Deployment's state.", {
  type: required(1, string, "The aspect."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  lastUpdateTime: optional(6, time, "When the condition was last written."),
  lastTransitionTime: optional(7, time, "When the status last changed."),
  reason: optional(4, string, "Why, as one CamelCase word for programs."),
  message: optional(5, string, "Why, for people."),
});
export type DeploymentCondition = Out<typeof DeploymentCondition>;

export const DeploymentStatus = message("DeploymentStatus", "What is known about a Deployment.", {
  observedGeneration: optional(1, int64, "The generation that this status was made from."),
  replicas: optional(2, int32, "How many Pods there are."),
  updatedReplicas: optional(3, int32, "How many are of the present template."),
  readyReplicas: optional(7, int32, "How many are ready."),
  availableReplicas: optional(4, int32, "How many have been ready for long enough."),
  unavailableReplicas: optional(5, int32, "How many are missing."),
  terminatingReplicas: pointer(9, int32, "How many are ending."),
  conditions: optional(
    6,
    keyed(DeploymentCondition, "type"),
    "Aspects of the state, one entry for each type.",
    { merge: "type" },
  ),
  collisionCount: pointer(8, int32, "How often the hash in a ReplicaSet's name was taken already."),
});
export type DeploymentStatus = Out<typeof DeploymentStatus>;

export const Deployment = message(
  "Deployment",
  "Pods that are replaced step by step when their template changes.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, DeploymentSpec, "The desired state."),
    status: optional(3, DeploymentStatus, "The observed state."),
  },
);

export const deployments = defineKind(Deployment, {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
  shortNames: ["deploy"],
  categories: ["all"],
  status: true,
  scale: { specReplicas: "spec.replicas", statusReplicas: "status.replicas", selector: "spec.selector" },
});
export type Deployment = ObjectOf<typeof deployments>;
