import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  int32,
  keyed,
  messages,
  optional,
  pointer,
  required,
  string,
  stringOf,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.flowcontrol.v1");

export const QueuingConfiguration = message("QueuingConfiguration", "How requests wait.", {
  queues: required(1, int32, "How many queues.", { default: 64 }),
  handSize: required(2, int32, "How many of them one flow uses.", { default: 8 }),
  queueLengthLimit: required(3, int32, "How many requests may wait in a queue.", { default: 50 }),
});
export type QueuingConfiguration = Out<typeof QueuingConfiguration>;

export const LimitResponse = message("LimitResponse", "What happens to requests that are too many.", {
  type: required(1, stringOf<"Queue" | "Reject">(), "Whether they wait."),
  queuing: pointer(2, QueuingConfiguration, "How they wait, for that type."),
});
export type LimitResponse = Out<typeof LimitResponse>;

export const LimitedPriorityLevelConfiguration = message(
  "LimitedPriorityLevelConfiguration",
  "The share of a level.",
  {
    nominalConcurrencyShares: pointer(1, int32, "Its share of the server's seats, in proportion to others.", {
      default: 30,
    }),
    limitResponse: optional(2, LimitResponse, "What happens to requests that are too many."),
    lendablePercent: pointer(3, int32, "How much of its seats others may borrow.", { default: 0 }),
    borrowingLimitPercent: pointer(4, int32, "How much it may borrow; without limit when absent."),
  },
);
export type LimitedPriorityLevelConfiguration = Out<typeof LimitedPriorityLevelConfiguration>;

export const ExemptPriorityLevelConfiguration = message(
  "ExemptPriorityLevelConfiguration",
  "The share of a level without limit.",
  {
    nominalConcurrencyShares: pointer(1, int32, "What is set aside for it.", { default: 0 }),
    lendablePercent: pointer(2, int32, "How much of that others may borrow.", { default: 0 }),
  },
);
export type ExemptPriorityLevelConfiguration = Out<typeof ExemptPriorityLevelConfiguration>;

export const PriorityLevelConfigurationSpec = message(
  "PriorityLevelConfigurationSpec",
  "What a priority level shall be.",
  {
    type: required(1, stringOf<"Exempt" | "Limited">(), "Whether its requests are limited."),
    limited: pointer(2, LimitedPriorityLevelConfiguration, "Its share, for that type."),
    exempt: pointer(3, ExemptPriorityLevelConfiguration, "Its share, for that type."),
  },
);
export type PriorityLevelConfigurationSpec = Out<typeof PriorityLevelConfigurationSpec>;

export const PriorityLevelConfigurationCondition = message(
  "PriorityLevelConfigurationCondition",
  "One aspect of a level's state.",
  {
    type: optional(1, string, "The aspect."),
    status: optional(2, string, "Whether it holds: True, False or Unknown."),
    lastTransitionTime: optional(3, time, "When the status last changed."),
    reason: optional(4, string, "Why, as one CamelCase word for programs."),
    message: optional(5, string, "Why, for people."),
  },
);

export const PriorityLevelConfigurationStatus = message(
  "PriorityLevelConfigurationStatus",
  "What is known about a level.",
  {
    conditions: optional(
      1,
      keyed(PriorityLevelConfigurationCondition, "type"),
      "Aspects of the state, one entry for each type.",
      { merge: "type" },
    ),
  },
);

export const PriorityLevelConfiguration = message(
  "PriorityLevelConfiguration",
  "A share of the server's capacity.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, PriorityLevelConfigurationSpec, "The desired state."),
    status: optional(3, PriorityLevelConfigurationStatus, "The observed state."),
  },
);

export const priorityLevelConfigurations = defineKind(PriorityLevelConfiguration, {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  namespaced: false,
  status: true,
});
export type PriorityLevelConfiguration = ObjectOf<typeof priorityLevelConfigurations>;
