import {
  type Out,
  int32,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  set,
  string,
} from "../../../meta/schema.ts";

const message = messages("io.k8s.api.batch.v1");

export const PodFailurePolicyOnExitCodesRequirement = message(
  "PodFailurePolicyOnExitCodesRequirement",
  "Matches a failed Pod by how its containers ended.",
  {
    containerName: pointer(1, string, "The container; any of them when absent."),
    operator: required(2, oneOf("In", "NotIn"), "How an exit code relates to the values."),
    values: required(3, set(int32), "Exit codes in ascending order."),
  },
);
export type PodFailurePolicyOnExitCodesRequirement = Out<typeof PodFailurePolicyOnExitCodesRequirement>;

export const PodFailurePolicyOnPodConditionsPattern = message(
  "PodFailurePolicyOnPodConditionsPattern",
  "Matches a failed Pod by one of its conditions.",
  {
    type: required(1, string, "The condition's type."),
    status: required(2, string, "The condition's status; True when left out."),
  },
);
export type PodFailurePolicyOnPodConditionsPattern = Out<typeof PodFailurePolicyOnPodConditionsPattern>;

export const PodFailurePolicyRule = message(
  "PodFailurePolicyRule",
  "What to do when a Pod fails in a certain way; it has exactly one kind of condition.",
  {
    action: required(1, oneOf("Count", "FailIndex", "FailJob", "Ignore"), "What to do."),
    onExitCodes: pointer(2, PodFailurePolicyOnExitCodesRequirement, "Matches by exit codes."),
    onPodConditions: optional(
      3,
      list(PodFailurePolicyOnPodConditionsPattern),
      "Matches by conditions of the Pod; one of them is enough, and there are at most 20.",
    ),
  },
);
export type PodFailurePolicyRule = Out<typeof PodFailurePolicyRule>;

export const PodFailurePolicy = message("PodFailurePolicy", "What failed Pods mean for their Job.", {
  rules: required(1, list(PodFailurePolicyRule), "The first rule that matches counts; at most 20."),
});
export type PodFailurePolicy = Out<typeof PodFailurePolicy>;

export const SuccessPolicyRule = message("SuccessPolicyRule", "When an Indexed Job has done enough.", {
  succeededIndexes: pointer(1, string, "Indexes that count, such as `1,3-5,7`; all when absent."),
  succeededCount: pointer(2, int32, "How many of them must have succeeded; all when absent."),
});
export type SuccessPolicyRule = Out<typeof SuccessPolicyRule>;

export const SuccessPolicy = message("SuccessPolicy", "When an Indexed Job has succeeded early.", {
  rules: required(1, list(SuccessPolicyRule), "Any of them is enough; at most 20."),
});
export type SuccessPolicy = Out<typeof SuccessPolicy>;
