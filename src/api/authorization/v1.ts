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

export const FieldSelectorAttributes = message("FieldSelectorAttributes", "A field selector attributes.", {
  rawSelector: optional(1, string, "The raw selector."),
  requirements: optional(2, list(FieldSelectorRequirement), "The requirements."),
});
export type FieldSelectorAttributes = Out<typeof FieldSelectorAttributes>;

export const LabelSelectorAttributes = message("LabelSelectorAttributes", "A label selector attributes.", {
  rawSelector: optional(1, string, "The raw selector."),
  requirements: optional(2, list(LabelSelectorRequirement), "The requirements."),
});
export type LabelSelectorAttributes = Out<typeof LabelSelectorAttributes>;

export const ResourceAttributes = message("ResourceAttributes", "A resource attributes.", {
  namespace: optional(1, string, "The namespace."),
  verb: optional(2, string, "The verb."),
  group: optional(3, string, "The group."),
  version: optional(4, string, "The version."),
  resource: optional(5, string, "The resource."),
  subresource: optional(6, string, "The subresource."),
  name: optional(7, string, "The name."),
  fieldSelector: pointer(8, FieldSelectorAttributes, "The field selector."),
  labelSelector: pointer(9, LabelSelectorAttributes, "The label selector."),
});
export type ResourceAttributes = Out<typeof ResourceAttributes>;

export const NonResourceAttributes = message("NonResourceAttributes", "A non resource attributes.", {
  path: optional(1, string, "The path."),
  verb: optional(2, string, "The verb."),
});
export type NonResourceAttributes = Out<typeof NonResourceAttributes>;

export const SubjectAccessReviewSpec = message("SubjectAccessReviewSpec", "A subject access review spec.", {
  resourceAttributes: pointer(1, ResourceAttributes, "The resource attributes."),
  nonResourceAttributes: pointer(2, NonResourceAttributes, "The non resource attributes."),
  user: optional(3, string, "The user."),
  groups: optional(4, list(string), "The groups."),
  extra: optional(5, map(list(string)), "The extra."),
  uid: optional(6, string, "The uid."),
});
export type SubjectAccessReviewSpec = Out<typeof SubjectAccessReviewSpec>;

export const SubjectAccessReviewStatus = message(
  "SubjectAccessReviewStatus",
  "A subject access review status.",
  {
    allowed: required(1, boolean, "The allowed."),
    denied: optional(4, boolean, "The denied."),
    reason: optional(2, string, "The reason."),
    evaluationError: optional(3, string, "The evaluation error."),
  },
);
export type SubjectAccessReviewStatus = Out<typeof SubjectAccessReviewStatus>;

export const SubjectAccessReview = message("SubjectAccessReview", "A subject access review.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: required(2, SubjectAccessReviewSpec, "The spec."),
  status: optional(3, SubjectAccessReviewStatus, "The status."),
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
  "A local subject access review.",
  {
    metadata: optional(1, ObjectMeta, "The metadata."),
    spec: required(2, SubjectAccessReviewSpec, "The spec."),
    status: optional(3, SubjectAccessReviewStatus, "The status."),
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
  "A self subject access review spec.",
  {
    resourceAttributes: pointer(1, ResourceAttributes, "The resource attributes."),
    nonResourceAttributes: pointer(2, NonResourceAttributes, "The non resource attributes."),
  },
);
export type SelfSubjectAccessReviewSpec = Out<typeof SelfSubjectAccessReviewSpec>;

export const SelfSubjectAccessReview = message("SelfSubjectAccessReview", "A self subject access review.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: required(2, SelfSubjectAccessReviewSpec, "The spec."),
  status: optional(3, SubjectAccessReviewStatus, "The status."),
});

export const selfSubjectAccessReviews = defineKind(SelfSubjectAccessReview, {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
  verbs: ["create"],
});
export type SelfSubjectAccessReview = ObjectOf<typeof selfSubjectAccessReviews>;

export const ResourceRule = message("ResourceRule", "A resource rule.", {
  verbs: required(1, list(string), "The verbs."),
  apiGroups: optional(2, list(string), "The api groups."),
  resources: optional(3, list(string), "The resources."),
  resourceNames: optional(4, list(string), "The resource names."),
});
export type ResourceRule = Out<typeof ResourceRule>;

export const NonResourceRule = message("NonResourceRule", "A non resource rule.", {
  verbs: required(1, list(string), "The verbs."),
  nonResourceURLs: optional(2, list(string), "The non resource ur ls."),
});
export type NonResourceRule = Out<typeof NonResourceRule>;

export const SubjectRulesReviewStatus = message(
  "SubjectRulesReviewStatus",
  "A subject rules review status.",
  {
    resourceRules: required(1, list(ResourceRule), "The resource rules."),
    nonResourceRules: required(2, list(NonResourceRule), "The non resource rules."),
    incomplete: required(3, boolean, "The incomplete."),
    evaluationError: optional(4, string, "The evaluation error."),
  },
);
export type SubjectRulesReviewStatus = Out<typeof SubjectRulesReviewStatus>;

export const SelfSubjectRulesReviewSpec = message(
  "SelfSubjectRulesReviewSpec",
  "A self subject rules review spec.",
  {
    namespace: optional(1, string, "The namespace."),
  },
);
export type SelfSubjectRulesReviewSpec = Out<typeof SelfSubjectRulesReviewSpec>;

export const SelfSubjectRulesReview = message("SelfSubjectRulesReview", "A self subject rules review.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: required(2, SelfSubjectRulesReviewSpec, "The spec."),
  status: optional(3, SubjectRulesReviewStatus, "The status."),
});

export const selfSubjectRulesReviews = defineKind(SelfSubjectRulesReview, {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  namespaced: false,
  verbs: ["create"],
});
export type SelfSubjectRulesReview = ObjectOf<typeof selfSubjectRulesReviews>;
