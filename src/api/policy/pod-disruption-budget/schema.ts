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
  "How many Pods must stay, or may go: one of the two.",
  {
    minAvailable: pointer(1, intOrString, "How many must stay, as a number or a percentage."),
    selector: pointer(2, LabelSelector, "Selects the Pods; an empty one selects all, an absent one none.", {
      replace: true,
    }),
    maxUnavailable: pointer(3, intOrString, "How many may go, as a number or a percentage."),
    unhealthyPodEvictionPolicy: pointer(
      4,
      oneOf("AlwaysAllow", "IfHealthyBudget"),
      "Whether running Pods that are not ready may always go, or only when enough others are ready.",
    ),
  },
);
export type PodDisruptionBudgetSpec = Out<typeof PodDisruptionBudgetSpec>;

export const PodDisruptionBudgetStatus = message(
  "PodDisruptionBudgetStatus",
  "What is known about a PodDisruptionBudget.",
  {
    observedGeneration: optional(1, int64, "The generation that this status was made from."),
    disruptedPods: optional(
      2,
      map(time),
      "Pods whose eviction was granted but not seen yet, and when it was.",
    ),
    disruptionsAllowed: required(3, int32, "How many Pods may go now."),
    currentHealthy: required(4, int32, "How many are healthy."),
    desiredHealthy: required(5, int32, "How many must be healthy."),
    expectedPods: required(6, int32, "How many there are in all."),
    conditions: optional(7, keyed(Condition, "type"), "Aspects of the state, one entry for each type.", {
      merge: "type",
    }),
  },
);
export type PodDisruptionBudgetStatus = Out<typeof PodDisruptionBudgetStatus>;

export const PodDisruptionBudget = message(
  "PodDisruptionBudget",
  "How many Pods of a kind may be evicted at a time.",
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
