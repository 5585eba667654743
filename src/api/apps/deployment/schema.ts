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

export const RollingUpdateDeployment = message(
  "RollingUpdateDeployment",
  "The parameters of a rolling update.",
  {
    maxUnavailable: pointer(
      1,
      intOrString,
      "The maximum number of unavailable Pods during an update, as a number or a percentage.",
      {
        default: "25%",
      },
    ),
    maxSurge: pointer(
      2,
      intOrString,
      "The maximum number of Pods beyond `replicas` during an update, as a number or a percentage.",
      {
        default: "25%",
      },
    ),
  },
);
export type RollingUpdateDeployment = Out<typeof RollingUpdateDeployment>;

export const DeploymentStrategy = message("DeploymentStrategy", "The update strategy of Pods.", {
  type: optional(
    1,
    oneOf("Recreate", "RollingUpdate"),
    "Recreate deletes all old Pods first; RollingUpdate replaces Pods gradually.",
    {
      default: "RollingUpdate",
    },
  ),
  rollingUpdate: pointer(2, RollingUpdateDeployment, "The parameters; only for RollingUpdate."),
});
export type DeploymentStrategy = Out<typeof DeploymentStrategy>;

export const DeploymentSpec = message("DeploymentSpec", "The desired state of a Deployment.", {
  replicas: pointer(1, int32, "The desired number of Pods.", { default: 1 }),
  selector: pointer(2, LabelSelector, "The label selector of the Pods; immutable."),
  template: required(3, PodTemplateSpec, "The template of the Pods."),
  strategy: optional(4, DeploymentStrategy, "The update strategy of Pods.", { retainKeys: true }),
  minReadySeconds: optional(
    5,
    int32,
    "The minimum number of seconds for which a Pod must be ready to be available.",
  ),
  revisionHistoryLimit: pointer(6, int32, "The number of old ReplicaSets to keep.", { default: 10 }),
  paused: optional(7, boolean, "Whether the rollout is paused."),
  progressDeadlineSeconds: pointer(
    9,
    int32,
    "The number of seconds without progress after which the rollout has failed.",
    { default: 600 },
  ),
});
export type DeploymentSpec = Out<typeof DeploymentSpec>;

export const DeploymentCondition = message("DeploymentCondition", "A condition of a Deployment.", {
  type: required(1, string, "The condition's type."),
  status: required(2, string, "The condition's status: True, False or Unknown."),
  lastUpdateTime: optional(6, time, "The time when the condition was last updated."),
  lastTransitionTime: optional(7, time, "The time when the condition's status last changed."),
  reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(5, string, "A human-readable explanation."),
});
export type DeploymentCondition = Out<typeof DeploymentCondition>;

export const DeploymentStatus = message("DeploymentStatus", "The observed state of a Deployment.", {
  observedGeneration: optional(1, int64, "The generation that this status reflects."),
  replicas: optional(2, int32, "The number of Pods."),
  updatedReplicas: optional(3, int32, "The number of Pods of the current template."),
  readyReplicas: optional(7, int32, "The number of ready Pods."),
  availableReplicas: optional(4, int32, "The number of available Pods."),
  unavailableReplicas: optional(5, int32, "The number of Pods that are still missing or not available."),
  terminatingReplicas: pointer(9, int32, "The number of terminating Pods."),
  conditions: optional(6, keyed(DeploymentCondition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
  collisionCount: pointer(8, int32, "The number of hash collisions between names of ReplicaSets."),
});
export type DeploymentStatus = Out<typeof DeploymentStatus>;

export const Deployment = message("Deployment", "Pods whose updates are rolled out gradually.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, DeploymentSpec, "The desired state."),
  status: optional(3, DeploymentStatus, "The observed state."),
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
