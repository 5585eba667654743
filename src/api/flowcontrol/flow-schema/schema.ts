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
  namespace: required(1, string, "Its namespace."),
  name: required(2, string, "Its name; `*` is all."),
});
export type ServiceAccountSubject = Out<typeof ServiceAccountSubject>;

export const Subject = message("Subject", "Whose requests are meant.", {
  kind: required(1, stringOf<"Group" | "ServiceAccount" | "User">(), "Which of the other fields is set."),
  user: pointer(2, UserSubject, "The user."),
  group: pointer(3, GroupSubject, "The group."),
  serviceAccount: pointer(4, ServiceAccountSubject, "The ServiceAccount."),
});
export type Subject = Out<typeof Subject>;

export const ResourcePolicyRule = message("ResourcePolicyRule", "What is done to which resources.", {
  verbs: required(1, set(string), "What is done; `*` alone is all."),
  apiGroups: required(2, set(string), "The groups; `*` alone is all."),
  resources: required(3, set(string), "The resources, with subresources after a slash; `*` alone is all."),
  clusterScope: optional(4, boolean, "Whether requests outside of namespaces are meant, too."),
  namespaces: required(5, set(string), "The namespaces; `*` alone is all."),
});
export type ResourcePolicyRule = Out<typeof ResourcePolicyRule>;

export const NonResourcePolicyRule = message("NonResourcePolicyRule", "What is done to which paths.", {
  verbs: required(1, set(string), "What is done; `*` alone is all."),
  nonResourceURLs: required(6, set(string), "Paths beside the API; `/*` may end one, `*` alone is all."),
});
export type NonResourcePolicyRule = Out<typeof NonResourcePolicyRule>;

export const PolicyRulesWithSubjects = message("PolicyRulesWithSubjects", "Who does what.", {
  subjects: required(1, list(Subject), "Who; any of them may match."),
  resourceRules: optional(2, list(ResourcePolicyRule), "What, to resources; any of them may match."),
  nonResourceRules: optional(3, list(NonResourcePolicyRule), "What, to paths; any of them may match."),
});
export type PolicyRulesWithSubjects = Out<typeof PolicyRulesWithSubjects>;

export const FlowDistinguisherMethod = message("FlowDistinguisherMethod", "What makes a flow of its own.", {
  type: required(1, stringOf<"ByNamespace" | "ByUser">(), "By whom, or where."),
});

export const PriorityLevelConfigurationReference = message(
  "PriorityLevelConfigurationReference",
  "Names a priority level.",
  { name: required(1, string, "The level.") },
);

export const FlowSchemaSpec = message("FlowSchemaSpec", "Which requests are of which priority.", {
  priorityLevelConfiguration: required(1, PriorityLevelConfigurationReference, "The priority level."),
  matchingPrecedence: required(2, int32, "Its rank among schemas, 1 to 10000; lower comes first.", {
    default: 1000,
  }),
  distinguisherMethod: pointer(
    3,
    FlowDistinguisherMethod,
    "What makes a flow of its own; all are one when absent.",
  ),
  rules: optional(4, list(PolicyRulesWithSubjects), "The requests; any of them may match."),
});

export const FlowSchemaCondition = message("FlowSchemaCondition", "One aspect of a schema's state.", {
  type: optional(1, string, "The aspect."),
  status: optional(2, string, "Whether it holds: True, False or Unknown."),
  lastTransitionTime: optional(3, time, "When the status last changed."),
  reason: optional(4, string, "Why, as one CamelCase word for programs."),
  message: optional(5, string, "Why, for people."),
});

export const FlowSchemaStatus = message("FlowSchemaStatus", "What is known about a schema.", {
  conditions: optional(
    1,
    keyed(FlowSchemaCondition, "type"),
    "Aspects of the state, one entry for each type.",
    {
      merge: "type",
    },
  ),
});

export const FlowSchema = message("FlowSchema", "Sorts requests into flows and gives them a priority.", {
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
