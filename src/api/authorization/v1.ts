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
    rawSelector: optional(1, string, "As it was written."),
    requirements: optional(2, list(FieldSelectorRequirement), "As it was understood."),
  },
);
export type FieldSelectorAttributes = Out<typeof FieldSelectorAttributes>;

export const LabelSelectorAttributes = message(
  "LabelSelectorAttributes",
  "The label selector of the request.",
  {
    rawSelector: optional(1, string, "As it was written."),
    requirements: optional(2, list(LabelSelectorRequirement), "As it was understood."),
  },
);
export type LabelSelectorAttributes = Out<typeof LabelSelectorAttributes>;

export const ResourceAttributes = message("ResourceAttributes", "An action on resources.", {
  namespace: optional(1, string, "The namespace; empty for none, or all."),
  verb: optional(2, string, "What is done; `*` is all."),
  group: optional(3, string, "The group; `*` is all."),
  version: optional(4, string, "The version; `*` is all."),
  resource: optional(5, string, "The resource; `*` is all."),
  subresource: optional(6, string, "The subresource; empty for none."),
  name: optional(7, string, "The object; empty for all."),
  fieldSelector: pointer(8, FieldSelectorAttributes, "Narrows it down by fields."),
  labelSelector: pointer(9, LabelSelectorAttributes, "Narrows it down by labels."),
});
export type ResourceAttributes = Out<typeof ResourceAttributes>;

export const NonResourceAttributes = message(
  "NonResourceAttributes",
  "An action beside the API's resources.",
  {
    path: optional(1, string, "The URL path."),
    verb: optional(2, string, "The HTTP verb, in lower case."),
  },
);
export type NonResourceAttributes = Out<typeof NonResourceAttributes>;

export const SubjectAccessReviewSpec = message(
  "SubjectAccessReviewSpec",
  "The question; one of the two kinds of attributes is set.",
  {
    resourceAttributes: pointer(1, ResourceAttributes, "The action, on resources."),
    nonResourceAttributes: pointer(2, NonResourceAttributes, "The action, on a path."),
    user: optional(3, string, "The user."),
    groups: optional(4, list(string), "The user's groups."),
    extra: optional(5, map(list(string)), "Whatever else the authenticator knows of the user."),
    uid: optional(6, string, "The user's UID."),
  },
);
export type SubjectAccessReviewSpec = Out<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReviewStatus = message("SubjectAccessReviewStatus", "The answer.", {
  allowed: required(1, boolean, "Whether it is allowed."),
  denied: optional(4, boolean, "Whether it is denied outright; else somebody else may still allow it."),
  reason: optional(2, string, "Why."),
  evaluationError: optional(3, string, "What went wrong while deciding."),
});
export type SubjectAccessReviewStatus = Out<typeof SubjectAccessReviewStatus>;

export const SubjectAccessReview = message("SubjectAccessReview", "Asks whether somebody may do something.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, SubjectAccessReviewSpec, "The question."),
  status: optional(3, SubjectAccessReviewStatus, "The answer."),
});

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
  "Asks whether somebody may do something in one namespace.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, SubjectAccessReviewSpec, "The question."),
    status: optional(3, SubjectAccessReviewStatus, "The answer."),
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
  "The question; one of the two is set.",
  {
    resourceAttributes: pointer(1, ResourceAttributes, "The action, on resources."),
    nonResourceAttributes: pointer(2, NonResourceAttributes, "The action, on a path."),
  },
);
export type SelfSubjectAccessReviewSpec = Out<typeof SelfSubjectAccessReviewSpec>;

export const SelfSubjectAccessReview = message(
  "SelfSubjectAccessReview",
  "Asks whether the caller may do something.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, SelfSubjectAccessReviewSpec, "The question."),
    status: optional(3, SubjectAccessReviewStatus, "The answer."),
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

export const ResourceRule = message("ResourceRule", "What may be done to resources.", {
  verbs: required(1, list(string), "What may be done; `*` is all."),
  apiGroups: optional(2, list(string), "The groups; `*` is all."),
  resources: optional(3, list(string), "The resources; `*` is all."),
  resourceNames: optional(4, list(string), "The objects by name; all when empty."),
});
export type ResourceRule = Out<typeof ResourceRule>;

export const NonResourceRule = message("NonResourceRule", "What may be done to paths.", {
  verbs: required(1, list(string), "What may be done; `*` is all."),
  nonResourceURLs: optional(2, list(string), "The paths; `*` may end one."),
});
export type NonResourceRule = Out<typeof NonResourceRule>;

export const SubjectRulesReviewStatus = message("SubjectRulesReviewStatus", "All that the caller may do.", {
  resourceRules: required(1, list(ResourceRule), "To resources."),
  nonResourceRules: required(2, list(NonResourceRule), "To paths."),
  incomplete: required(3, boolean, "Whether rules may be missing."),
  evaluationError: optional(4, string, "Why rules may be missing."),
});
export type SubjectRulesReviewStatus = Out<typeof SubjectRulesReviewStatus>;

export const SelfSubjectRulesReviewSpec = message("SelfSubjectRulesReviewSpec", "The question.", {
  namespace: optional(1, string, "The namespace that is asked about."),
});
export type SelfSubjectRulesReviewSpec = Out<typeof SelfSubjectRulesReviewSpec>;

export const SelfSubjectRulesReview = message(
  "SelfSubjectRulesReview",
  "Asks what the caller may do in a namespace.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, SelfSubjectRulesReviewSpec, "The question."),
    status: optional(3, SubjectRulesReviewStatus, "The answer."),
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
