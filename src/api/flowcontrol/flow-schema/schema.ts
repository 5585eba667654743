import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  boolean,
  int32,
  keyed,
  list,
  messages,
  optional,
  pointer,
  required,
  set,
  string,
  stringOf,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.flowcontrol.v1");

export const UserSubject = message("UserSubject", "One user.", {
  name: required(1, string, "The user's name; `*` is all."),
});

export const GroupSubject = message("GroupSubject", "One group.", {
  name: required(1, string, "The group's name; `*` is all."),
});

export const ServiceAccountSubject = message("ServiceAccountSubject", "One ServiceAccount.", {
  namespace: required(1, string, "The ServiceAccount's namespace."),
  name: required(2, string, "The ServiceAccount's name; `*` is all."),
});
export type ServiceAccountSubject = Out<typeof ServiceAccountSubject>;

export const Subject = message("Subject", "The subject of a request.", {
  kind: required(1, stringOf<"Group" | "ServiceAccount" | "User">(), "The kind of subject."),
  user: pointer(2, UserSubject, "The user."),
  group: pointer(3, GroupSubject, "The group."),
  serviceAccount: pointer(4, ServiceAccountSubject, "The ServiceAccount."),
});
export type Subject = Out<typeof Subject>;

export const ResourcePolicyRule = message("ResourcePolicyRule", "Operations on resources.", {
  verbs: required(1, set(string), "The operations; `*` alone is all."),
  apiGroups: required(2, set(string), "The groups; `*` alone is all."),
  resources: required(3, set(string), "The resources, with subresources after a slash; `*` alone is all."),
  clusterScope: optional(4, boolean, "Whether requests for cluster-scoped resources match, too."),
  namespaces: required(5, set(string), "The namespaces; `*` alone is all."),
});
export type ResourcePolicyRule = Out<typeof ResourcePolicyRule>;

export const NonResourcePolicyRule = message("NonResourcePolicyRule", "Verbs on non-resource URLs.", {
  verbs: required(1, set(string), "The operations; `*` alone is all."),
  nonResourceURLs: required(6, set(string), "The URL paths; `/*` is allowed at the end, `*` alone is all."),
});
export type NonResourcePolicyRule = Out<typeof NonResourcePolicyRule>;

export const PolicyRulesWithSubjects = message(
  "PolicyRulesWithSubjects",
  "Requests by subject and by action.",
  {
    subjects: required(1, list(Subject), "The subjects; one must match."),
    resourceRules: optional(2, list(ResourcePolicyRule), "The rules for resources; one rule must match."),
    nonResourceRules: optional(
      3,
      list(NonResourcePolicyRule),
      "The rules for non-resource URLs; one rule must match.",
    ),
  },
);
export type PolicyRulesWithSubjects = Out<typeof PolicyRulesWithSubjects>;

export const FlowDistinguisherMethod = message(
  "FlowDistinguisherMethod",
  "The method that distinguishes flows.",
  {
    type: required(
      1,
      stringOf<"ByNamespace" | "ByUser">(),
      "The attribute that distinguishes flows: ByUser or ByNamespace.",
    ),
  },
);

export const PriorityLevelConfigurationReference = message(
  "PriorityLevelConfigurationReference",
  "A reference to a priority level.",
  { name: required(1, string, "The level.") },
);

export const FlowSchemaSpec = message("FlowSchemaSpec", "The matching requests and their priority level.", {
  priorityLevelConfiguration: required(1, PriorityLevelConfigurationReference, "The priority level."),
  matchingPrecedence: required(2, int32, "The order of evaluation, 1 to 10000; lower numbers come first.", {
    default: 1000,
  }),
  distinguisherMethod: pointer(
    3,
    FlowDistinguisherMethod,
    "The method that distinguishes flows; without it, all requests are one flow.",
  ),
  rules: optional(4, list(PolicyRulesWithSubjects), "The requests; any of them may match."),
});

export const FlowSchemaCondition = message("FlowSchemaCondition", "A condition of a schema.", {
  type: optional(1, string, "The condition's type."),
  status: optional(2, string, "The condition's status: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "The time when the condition's status last changed."),
  reason: optional(4, string, "A machine-readable reason, as one CamelCase word."),
  message: optional(5, string, "A human-readable explanation."),
});

export const FlowSchemaStatus = message("FlowSchemaStatus", "The observed state of a schema.", {
  conditions: optional(1, keyed(FlowSchemaCondition, "type"), "The conditions, one for each type.", {
    merge: "type",
  }),
});

export const FlowSchema = message("FlowSchema", "Classifies requests into flows of a priority level.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, FlowSchemaSpec, "The desired state."),
  status: optional(3, FlowSchemaStatus, "The observed state."),
});

export const flowSchemas = defineKind(FlowSchema, {
  group: "flowcontrol.apiserver.k8s.io",
  version: "v1",
  kind: "FlowSchema",
  plural: "flowschemas",
  namespaced: false,
  status: true,
});
export type FlowSchema = ObjectOf<typeof flowSchemas>;
