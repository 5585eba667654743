import { defineKind, type ObjectOf } from "../../meta/kind.ts";
import {
  type Out,
  boolean,
  list,
  map,
  messages,
  optional,
  pointer,
  required,
  string,
} from "../../meta/schema.ts";
import { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from "../../meta/v1.ts";

const message = messages("io.k8s.api.authorization.v1");

export const FieldSelectorAttributes = message(
  "FieldSelectorAttributes",
  "The field selector of the request.",
  {
    rawSelector: optional(1, string, "The selector as the client wrote it."),
    requirements: optional(2, list(FieldSelectorRequirement), "The selector's parsed requirements."),
  },
);
export type FieldSelectorAttributes = Out<typeof FieldSelectorAttributes>;

export const LabelSelectorAttributes = message(
  "LabelSelectorAttributes",
  "The label selector of the request.",
  {
    rawSelector: optional(1, string, "The selector as the client wrote it."),
    requirements: optional(2, list(LabelSelectorRequirement), "The selector's parsed requirements."),
  },
);
export type LabelSelectorAttributes = Out<typeof LabelSelectorAttributes>;

export const ResourceAttributes = message("ResourceAttributes", "An action on resources.", {
  namespace: optional(1, string, "The namespace; empty for none, or all."),
  verb: optional(2, string, "The verb; `*` is all."),
  group: optional(3, string, "The group; `*` is all."),
  version: optional(4, string, "The version; `*` is all."),
  resource: optional(5, string, "The resource; `*` is all."),
  subresource: optional(6, string, "The subresource; empty for none."),
  name: optional(7, string, "The object; empty for all."),
  fieldSelector: pointer(8, FieldSelectorAttributes, "Restricts the action by a field selector."),
  labelSelector: pointer(9, LabelSelectorAttributes, "Restricts the action by a label selector."),
});
export type ResourceAttributes = Out<typeof ResourceAttributes>;

export const NonResourceAttributes = message("NonResourceAttributes", "An action on a non-resource URL.", {
  path: optional(1, string, "The URL path."),
  verb: optional(2, string, "The HTTP verb, in lower case."),
});
export type NonResourceAttributes = Out<typeof NonResourceAttributes>;

export const SubjectAccessReviewSpec = message(
  "SubjectAccessReviewSpec",
  "The action to check; one of the two kinds of attributes is set.",
  {
    resourceAttributes: pointer(1, ResourceAttributes, "The action, on resources."),
    nonResourceAttributes: pointer(2, NonResourceAttributes, "The action, on a path."),
    user: optional(3, string, "The user."),
    groups: optional(4, list(string), "The user's groups."),
    extra: optional(5, map(list(string)), "The user's further attributes."),
    uid: optional(6, string, "The user's UID."),
  },
);
export type SubjectAccessReviewSpec = Out<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReviewStatus = message("SubjectAccessReviewStatus", "The result.", {
  allowed: required(1, boolean, "Whether the action is allowed."),
  denied: optional(
    4,
    boolean,
    "Whether the action is denied; if neither allowed nor denied, another authorizer may allow it.",
  ),
  reason: optional(2, string, "The reason of the decision."),
  evaluationError: optional(3, string, "An error of the evaluation."),
});
export type SubjectAccessReviewStatus = Out<typeof SubjectAccessReviewStatus>;

export const SubjectAccessReview = message(
  "SubjectAccessReview",
  "Asks whether a user may perform an action.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, SubjectAccessReviewSpec, "The request."),
    status: optional(3, SubjectAccessReviewStatus, "The result."),
  },
);

export const subjectAccessReviews = defineKind(SubjectAccessReview, {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  namespaced: false,
  verbs: ["create"],
});
export type SubjectAccessReview = ObjectOf<typeof subjectAccessReviews>;

export const LocalSubjectAccessReview = message(
  "LocalSubjectAccessReview",
  "Asks whether a user may perform an action in one namespace.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, SubjectAccessReviewSpec, "The request."),
    status: optional(3, SubjectAccessReviewStatus, "The result."),
  },
);

export const localSubjectAccessReviews = defineKind(LocalSubjectAccessReview, {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "LocalSubjectAccessReview",
  plural: "localsubjectaccessreviews",
  namespaced: true,
  verbs: ["create"],
});
export type LocalSubjectAccessReview = ObjectOf<typeof localSubjectAccessReviews>;

export const SelfSubjectAccessReviewSpec = message(
  "SelfSubjectAccessReviewSpec",
  "The action to check; one of the two is set.",
  {
    resourceAttributes: pointer(1, ResourceAttributes, "The action, on resources."),
    nonResourceAttributes: pointer(2, NonResourceAttributes, "The action, on a path."),
  },
);
export type SelfSubjectAccessReviewSpec = Out<typeof SelfSubjectAccessReviewSpec>;

export const SelfSubjectAccessReview = message(
  "SelfSubjectAccessReview",
  "Asks whether the caller may perform an action.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, SelfSubjectAccessReviewSpec, "The request."),
    status: optional(3, SubjectAccessReviewStatus, "The result."),
  },
);

export const selfSubjectAccessReviews = defineKind(SelfSubjectAccessReview, {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
  verbs: ["create"],
});
export type SelfSubjectAccessReview = ObjectOf<typeof selfSubjectAccessReviews>;

export const ResourceRule = message("ResourceRule", "Allowed verbs on resources.", {
  verbs: required(1, list(string), "The verbs; `*` is all."),
  apiGroups: optional(2, list(string), "The groups; `*` is all."),
  resources: optional(3, list(string), "The resources; `*` is all."),
  resourceNames: optional(4, list(string), "The names of objects; all when empty."),
});
export type ResourceRule = Out<typeof ResourceRule>;

export const NonResourceRule = message("NonResourceRule", "Allowed verbs on non-resource URLs.", {
  verbs: required(1, list(string), "The verbs; `*` is all."),
  nonResourceURLs: optional(2, list(string), "The paths; `*` is allowed at the end."),
});
export type NonResourceRule = Out<typeof NonResourceRule>;

export const SubjectRulesReviewStatus = message("SubjectRulesReviewStatus", "The caller's permissions.", {
  resourceRules: required(1, list(ResourceRule), "The rules for resources."),
  nonResourceRules: required(2, list(NonResourceRule), "The rules for non-resource URLs."),
  incomplete: required(3, boolean, "Whether the rules may be incomplete."),
  evaluationError: optional(4, string, "The reason why rules may be missing."),
});
export type SubjectRulesReviewStatus = Out<typeof SubjectRulesReviewStatus>;

export const SelfSubjectRulesReviewSpec = message("SelfSubjectRulesReviewSpec", "The request.", {
  namespace: optional(1, string, "The namespace."),
});
export type SelfSubjectRulesReviewSpec = Out<typeof SelfSubjectRulesReviewSpec>;

export const SelfSubjectRulesReview = message(
  "SelfSubjectRulesReview",
  "Lists the caller's permissions in a namespace.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, SelfSubjectRulesReviewSpec, "The request."),
    status: optional(3, SubjectRulesReviewStatus, "The result."),
  },
);

export const selfSubjectRulesReviews = defineKind(SelfSubjectRulesReview, {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  namespaced: false,
  verbs: ["create"],
});
export type SelfSubjectRulesReview = ObjectOf<typeof selfSubjectRulesReviews>;
