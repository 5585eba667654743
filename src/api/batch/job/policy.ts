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
  "Matches a failed Pod by the exit codes of its containers.",
  {
    containerName: pointer(1, string, "The container; any of them when absent."),
    operator: required(2, oneOf("In", "NotIn"), "The relation between an exit code and the values."),
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
  "The action for Pods that fail in a certain way; the rule has one kind of requirement.",
  {
    action: required(1, oneOf("Count", "FailIndex", "FailJob", "Ignore"), "The action."),
    onExitCodes: pointer(2, PodFailurePolicyOnExitCodesRequirement, "Matches by exit codes."),
    onPodConditions: optional(
      3,
      list(PodFailurePolicyOnPodConditionsPattern),
      "Matches by conditions of the Pod, at most 20; one must match.",
    ),
  },
);
export type PodFailurePolicyRule = Out<typeof PodFailurePolicyRule>;

export const PodFailurePolicy = message(
  "PodFailurePolicy",
  "The consequences of failed Pods for their Job.",
  {
    rules: required(1, list(PodFailurePolicyRule), "The rules, at most 20; the first match applies."),
  },
);
export type PodFailurePolicy = Out<typeof PodFailurePolicy>;

export const SuccessPolicyRule = message("SuccessPolicyRule", "A rule about succeeded indexes.", {
  succeededIndexes: pointer(1, string, "Indexes that count, such as `1,3-5,7`; all when absent."),
  succeededCount: pointer(2, int32, "The number of these indexes that must have succeeded; all when absent."),
});
export type SuccessPolicyRule = Out<typeof SuccessPolicyRule>;

export const SuccessPolicy = message(
  "SuccessPolicy",
  "Rules by which an Indexed Job succeeds before all indexes have succeeded.",
  {
    rules: required(1, list(SuccessPolicyRule), "The rules, at most 20; one must be met."),
  },
);
export type SuccessPolicy = Out<typeof SuccessPolicy>;
