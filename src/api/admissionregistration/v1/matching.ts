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

/** The requests that webhooks and policies match. */

const message = messages("io.k8s.api.admissionregistration.v1");

export const Rule = message("Rule", "Resources by group, version and name.", {
  apiGroups: optional(1, list(string), "The groups; `*` alone is all."),
  apiVersions: optional(2, list(string), "The versions; `*` alone is all."),
  resources: optional(3, list(string), "The resources, with subresources after a slash; `*` is any part."),
  scope: pointer(4, oneOf("*", "Cluster", "Namespaced"), "Whether the resources are namespaced.", {
    default: "*",
  }),
});

export const RuleWithOperations = message("RuleWithOperations", "Operations on resources.", {
  operations: optional(
    1,
    list(oneOf("*", "CONNECT", "CREATE", "DELETE", "UPDATE")),
    "The operations; `*` alone is all.",
  ),
  rule: inline(2, Rule, "The resources."),
});
export type RuleWithOperations = Out<typeof RuleWithOperations>;

export const NamedRuleWithOperations = message(
  "NamedRuleWithOperations",
  "Operations on resources and on objects by name.",
  {
    resourceNames: optional(1, list(string), "The names of objects; all when empty."),
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
  "The requests that match; all parts must match.",
  {
    namespaceSelector: pointer(1, LabelSelector, "The label selector of the object's namespace.", {
      default: () => ({}),
    }),
    objectSelector: pointer(2, LabelSelector, "The label selector of the object, old or new.", {
      default: () => ({}),
    }),
    resourceRules: optional(3, list(NamedRuleWithOperations), "Rules, one of which must match."),
    excludeResourceRules: optional(4, list(NamedRuleWithOperations), "Rules that exclude requests."),
    matchPolicy: pointer(7, matchPolicies, "Whether requests for other versions of a resource match, too.", {
      default: "Equivalent",
    }),
  },
  { atomic: true },
);
export type MatchResources = Out<typeof MatchResources>;

export const MatchCondition = message("MatchCondition", "A CEL condition that requests must fulfil.", {
  name: required(1, string, "The condition's name, for logs and patches."),
  expression: required(2, string, "The expression."),
});
export type MatchCondition = Out<typeof MatchCondition>;
