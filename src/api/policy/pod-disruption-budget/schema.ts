import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  int64,
  intOrString,
  keyed,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  time,
} from "../../../meta/schema.ts";
import { Condition, LabelSelector, ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.policy.v1");

export const PodDisruptionBudgetSpec = message(
  "PodDisruptionBudgetSpec",
  "The limit on evictions: one of `minAvailable` and `maxUnavailable`.",
  {
    minAvailable: pointer(
      1,
      intOrString,
      "The minimum number of available Pods after an eviction, as a number or a percentage.",
    ),
    selector: pointer(2, LabelSelector, "Selects the Pods; an empty one selects all, an absent one none.", {
      replace: true,
    }),
    maxUnavailable: pointer(
      3,
      intOrString,
      "The maximum number of unavailable Pods after an eviction, as a number or a percentage.",
    ),
    unhealthyPodEvictionPolicy: pointer(
      4,
      oneOf("AlwaysAllow", "IfHealthyBudget"),
      "The policy for running Pods that are not ready: always evictable, or only while enough Pods are healthy.",
    ),
  },
);
export type PodDisruptionBudgetSpec = Out<typeof PodDisruptionBudgetSpec>;

export const PodDisruptionBudgetStatus = message(
  "PodDisruptionBudgetStatus",
  "The observed state of a PodDisruptionBudget.",
  {
    observedGeneration: optional(1, int64, "The generation that this status reflects."),
    disruptedPods: optional(
      2,
      map(time),
      "Pods whose eviction was allowed but is not observed yet, with the time of the eviction.",
    ),
    disruptionsAllowed: required(3, int32, "The number of evictions that are currently allowed."),
    currentHealthy: required(4, int32, "The number of healthy Pods."),
    desiredHealthy: required(5, int32, "The minimum number of healthy Pods."),
    expectedPods: required(6, int32, "The number of Pods that the budget counts."),
    conditions: optional(7, keyed(Condition, "type"), "The conditions, one for each type.", {
      merge: "type",
    }),
  },
);
export type PodDisruptionBudgetStatus = Out<typeof PodDisruptionBudgetStatus>;

export const PodDisruptionBudget = message(
  "PodDisruptionBudget",
  "A limit on the evictions of matching Pods.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, PodDisruptionBudgetSpec, "The desired state."),
    status: optional(3, PodDisruptionBudgetStatus, "The observed state."),
  },
);

export const podDisruptionBudgets = defineKind(PodDisruptionBudget, {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
  shortNames: ["pdb"],
  status: true,
});
export type PodDisruptionBudget = ObjectOf<typeof podDisruptionBudgets>;
