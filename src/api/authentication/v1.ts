import { defineKind, type ObjectOf } from "../../meta/kind.ts";
import {
  type Out,
  boolean,
  int64,
  list,
  map,
  messages,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../meta/schema.ts";
import { ObjectMeta } from "../../meta/v1.ts";

const message = messages("io.k8s.api.authentication.v1");

export const UserInfo = message("UserInfo", "Who somebody is.", {
  username: optional(1, string, "The name."),
  uid: optional(2, string, "Tells apart users who had the same name at different times."),
  groups: optional(3, list(string), "The groups."),
  extra: optional(4, map(list(string)), "Whatever else the authenticator knows."),
});
export type UserInfo = Out<typeof UserInfo>;

export const TokenReviewSpec = message("TokenReviewSpec", "The question.", {
  token: optional(1, string, "The bearer token."),
  audiences: optional(2, list(string), "For whom it should be; the API server when empty."),
});
export type TokenReviewSpec = Out<typeof TokenReviewSpec>;

export const TokenReviewStatus = message("TokenReviewStatus", "The answer.", {
  authenticated: optional(1, boolean, "Whether the token is known."),
  user: optional(2, UserInfo, "Whose it is."),
  audiences: optional(4, list(string), "The asked audiences for which it is valid."),
  error: optional(3, string, "Why it could not be checked."),
});
export type TokenReviewStatus = Out<typeof TokenReviewStatus>;

export const TokenReview = message("TokenReview", "Asks whose a token is.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, TokenReviewSpec, "The question."),
  status: optional(3, TokenReviewStatus, "The answer."),
});

export const tokenReviews = defineKind(TokenReview, {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  namespaced: false,
  verbs: ["create"],
});
export type TokenReview = ObjectOf<typeof tokenReviews>;

export const BoundObjectReference = message("BoundObjectReference", "The object that a token lives with.", {
  kind: optional(1, string, "The object's kind: Pod, Secret or Node."),
  apiVersion: optional(2, string, "The object's API version."),
  name: optional(3, string, "The object's name."),
  uid: optional(4, string, "The object's UID."),
});
export type BoundObjectReference = Out<typeof BoundObjectReference>;

export const TokenRequestSpec = message("TokenRequestSpec", "What token is wanted.", {
  audiences: required(1, list(string), "For whom it is."),
  expirationSeconds: pointer(4, int64, "How long it should be valid.", { default: 3600 }),
  boundObjectRef: pointer(3, BoundObjectReference, "The object that it lives with."),
});
export type TokenRequestSpec = Out<typeof TokenRequestSpec>;

export const TokenRequestStatus = message("TokenRequestStatus", "The token.", {
  token: required(1, string, "The token."),
  expirationTimestamp: required(2, time, "Until when it is valid."),
});
export type TokenRequestStatus = Out<typeof TokenRequestStatus>;

export const TokenRequest = message("TokenRequest", "Asks for a token of a ServiceAccount.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, TokenRequestSpec, "What token is wanted."),
  status: optional(3, TokenRequestStatus, "The token."),
});

/** The body of the `token` subresource of ServiceAccounts; there is no resource of its own. */
export const tokenRequests = defineKind(TokenRequest, {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  plural: "tokenrequests",
  namespaced: true,
  verbs: [],
});
export type TokenRequest = ObjectOf<typeof tokenRequests>;

export const SelfSubjectReviewStatus = message("SelfSubjectReviewStatus", "The answer.", {
  userInfo: optional(1, UserInfo, "Who the caller is."),
});
export type SelfSubjectReviewStatus = Out<typeof SelfSubjectReviewStatus>;

export const SelfSubjectReview = message("SelfSubjectReview", "Asks who the caller is.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  status: optional(2, SelfSubjectReviewStatus, "The answer."),
});

export const selfSubjectReviews = defineKind(SelfSubjectReview, {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  namespaced: false,
  verbs: ["create"],
});
export type SelfSubjectReview = ObjectOf<typeof selfSubjectReviews>;
