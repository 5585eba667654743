import {
  type Out,
  inline,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { LabelSelector } from "../../../meta/v1.ts";

/** Which requests a webhook or a policy is asked about. */

const message = messages("io.k8s.api.admissionregistration.v1");

export const Rule = message("Rule", "Resources by group, version and name.", {
  apiGroups: optional(1, list(string), "The groups; `*` alone is all."),
  apiVersions: optional(2, list(string), "The versions; `*` alone is all."),
  resources: optional(3, list(string), "The resources, with subresources after a slash; `*` is any part."),
  scope: pointer(4, oneOf("*", "Cluster", "Namespaced"), "Whether objects live in namespaces.", {
    default: "*",
  }),
});

export const RuleWithOperations = message("RuleWithOperations", "What is done to which resources.", {
  operations: optional(
    1,
    list(oneOf("*", "CONNECT", "CREATE", "DELETE", "UPDATE")),
    "What is done; `*` alone is all.",
  ),
  rule: inline(2, Rule, "The resources."),
});
export type RuleWithOperations = Out<typeof RuleWithOperations>;

export const NamedRuleWithOperations = message(
  "NamedRuleWithOperations",
  "What is done to which resources and objects.",
  {
    resourceNames: optional(1, list(string), "The objects by name; all when empty."),
    ruleWithOperations: inline(2, RuleWithOperations, "The resources."),
  },
  { atomic: true },
);
export type NamedRuleWithOperations = Out<typeof NamedRuleWithOperations>;

export const matchPolicies = oneOf("Equivalent", "Exact");
export const failurePolicies = oneOf("Fail", "Ignore");
export const reinvocationPolicies = oneOf("IfNeeded", "Never");

export const MatchResources = message(
  "MatchResources",
  "Which requests are meant; all parts must match.",
  {
    namespaceSelector: pointer(1, LabelSelector, "Selects the object's namespace.", { default: () => ({}) }),
    objectSelector: pointer(2, LabelSelector, "Selects the object, old or new.", { default: () => ({}) }),
    resourceRules: optional(3, list(NamedRuleWithOperations), "What is meant; any of them may match."),
    excludeResourceRules: optional(4, list(NamedRuleWithOperations), "What is not meant after all."),
    matchPolicy: pointer(7, matchPolicies, "Whether a resource is also meant under its other versions.", {
      default: "Equivalent",
    }),
  },
  { atomic: true },
);
export type MatchResources = Out<typeof MatchResources>;

export const MatchCondition = message("MatchCondition", "A condition in CEL that requests must fulfil.", {
  name: required(1, string, "Names the condition, for logs and for patches."),
  expression: required(2, string, "The expression."),
});
export type MatchCondition = Out<typeof MatchCondition>;
