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
import { PodTemplateSpec } from "../../core/v1/pod-spec.ts";

const message = messages("io.k8s.api.apps.v1");

export const RollingUpdateDeployment = message("RollingUpdateDeployment", "A rolling update deployment.", {
  maxUnavailable: pointer(1, intOrString, "The max unavailable.", { default: "25%" }),
  maxSurge: pointer(2, intOrString, "The max surge.", { default: "25%" }),
});
export type RollingUpdateDeployment = Out<typeof RollingUpdateDeployment>;

export const DeploymentStrategy = message("DeploymentStrategy", "A deployment strategy.", {
  type: optional(1, oneOf("Recreate", "RollingUpdate"), "The type.", { default: "RollingUpdate" }),
  rollingUpdate: pointer(2, RollingUpdateDeployment, "The rolling update."),
});
export type DeploymentStrategy = Out<typeof DeploymentStrategy>;

export const DeploymentSpec = message("DeploymentSpec", "A deployment spec.", {
  replicas: pointer(1, int32, "The replicas.", { default: 1 }),
  selector: pointer(2, LabelSelector, "The selector."),
  template: required(3, PodTemplateSpec, "The template."),
  strategy: optional(4, DeploymentStrategy, "The strategy.", { retainKeys: true }),
  minReadySeconds: optional(5, int32, "The min ready seconds."),
  revisionHistoryLimit: pointer(6, int32, "The revision history limit.", { default: 10 }),
  paused: optional(7, boolean, "The paused."),
  progressDeadlineSeconds: pointer(9, int32, "The progress deadline seconds.", { default: 600 }),
});
export type DeploymentSpec = Out<typeof DeploymentSpec>;

export const DeploymentCondition = message("DeploymentCondition", "A deployment condition.", {
  type: required(1, string, "The type."),
  status: required(2, string, "The status."),
  lastUpdateTime: optional(6, time, "The last update time."),
  lastTransitionTime: optional(7, time, "The last transition time."),
  reason: optional(4, string, "The reason."),
  message: optional(5, string, "The message."),
});
export type DeploymentCondition = Out<typeof DeploymentCondition>;

export const DeploymentStatus = message("DeploymentStatus", "A deployment status.", {
  observedGeneration: optional(1, int64, "The observed generation."),
  replicas: optional(2, int32, "The replicas."),
  updatedReplicas: optional(3, int32, "The updated replicas."),
  readyReplicas: optional(7, int32, "The ready replicas."),
  availableReplicas: optional(4, int32, "The available replicas."),
  unavailableReplicas: optional(5, int32, "The unavailable replicas."),
  terminatingReplicas: pointer(9, int32, "The terminating replicas."),
  conditions: optional(6, keyed(DeploymentCondition, "type"), "The conditions.", { merge: "type" }),
  collisionCount: pointer(8, int32, "The collision count."),
});
export type DeploymentStatus = Out<typeof DeploymentStatus>;

export const Deployment = message("Deployment", "A deployment.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, DeploymentSpec, "The spec."),
  status: optional(3, DeploymentStatus, "The status."),
});

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
