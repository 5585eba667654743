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

export const QueuingConfiguration = message("QueuingConfiguration", "The queueing of requests.", {
  queues: required(1, int32, "The number of queues.", { default: 64 }),
  handSize: required(2, int32, "The number of queues of one flow.", { default: 8 }),
  queueLengthLimit: required(3, int32, "The maximum number of waiting requests in a queue.", { default: 50 }),
});
export type QueuingConfiguration = Out<typeof QueuingConfiguration>;

export const LimitResponse = message(
  "LimitResponse",
  "The treatment of requests that cannot be executed right away.",
  {
    type: required(1, stringOf<"Queue" | "Reject">(), "Whether such requests are queued or rejected."),
    queuing: pointer(2, QueuingConfiguration, "The queues; only for type Queue."),
  },
);
export type LimitResponse = Out<typeof LimitResponse>;

export const LimitedPriorityLevelConfiguration = message(
  "LimitedPriorityLevelConfiguration",
  "The share of a limited level.",
  {
    nominalConcurrencyShares: pointer(
      1,
      int32,
      "The level's share of the server's concurrency, in proportion to other levels.",
      {
        default: 30,
      },
    ),
    limitResponse: optional(
      2,
      LimitResponse,
      "The treatment of requests that cannot be executed right away.",
    ),
    lendablePercent: pointer(3, int32, "The percentage of the level's seats that other levels may borrow.", {
      default: 0,
    }),
    borrowingLimitPercent: pointer(
      4,
      int32,
      "The seats that the level may borrow, as a percentage; unlimited when absent.",
    ),
  },
);
export type LimitedPriorityLevelConfiguration = Out<typeof LimitedPriorityLevelConfiguration>;

export const ExemptPriorityLevelConfiguration = message(
  "ExemptPriorityLevelConfiguration",
  "The share of an exempt level.",
  {
    nominalConcurrencyShares: pointer(
      1,
      int32,
      "The share of the server's concurrency that is reserved for the level.",
      { default: 0 },
    ),
    lendablePercent: pointer(2, int32, "The percentage of the reserved seats that other levels may borrow.", {
      default: 0,
    }),
  },
);
export type ExemptPriorityLevelConfiguration = Out<typeof ExemptPriorityLevelConfiguration>;

export const PriorityLevelConfigurationSpec = message(
  "PriorityLevelConfigurationSpec",
  "The desired state of a priority level.",
  {
    type: required(1, stringOf<"Exempt" | "Limited">(), "Whether the level is limited."),
    limited: pointer(2, LimitedPriorityLevelConfiguration, "The configuration; only for type Limited."),
    exempt: pointer(3, ExemptPriorityLevelConfiguration, "The configuration; only for type Exempt."),
  },
);
export type PriorityLevelConfigurationSpec = Out<typeof PriorityLevelConfigurationSpec>;

export const PriorityLevelConfigurationCondition = message(
  "PriorityLevelConfigurationCondition",
  "A condition of a level.",
  {
    type: optional(1, string, "The condition's type."),
    status: optional(2, string, "The condition's status: True, False or Unknown."),
    lastTransitionTime: optional(3, time, "The time when the condition's status last changed."),
    reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
    message: optional(5, string, "A human-readable explanation."),
  },
);

export const PriorityLevelConfigurationStatus = message(
  "PriorityLevelConfigurationStatus",
  "The observed state of a level.",
  {
    conditions: optional(
      1,
      keyed(PriorityLevelConfigurationCondition, "type"),
      "The conditions, one for each type.",
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
