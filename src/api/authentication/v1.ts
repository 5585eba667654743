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

export const UserInfo = message("UserInfo", "A user info.", {
  username: optional(1, string, "The username."),
  uid: optional(2, string, "The uid."),
  groups: optional(3, list(string), "The groups."),
  extra: optional(4, map(list(string)), "The extra."),
});
export type UserInfo = Out<typeof UserInfo>;

export const TokenReviewSpec = message("TokenReviewSpec", "A token review spec.", {
  token: optional(1, string, "The token."),
  audiences: optional(2, list(string), "The audiences."),
});
export type TokenReviewSpec = Out<typeof TokenReviewSpec>;

export const TokenReviewStatus = message("TokenReviewStatus", "A token review status.", {
  authenticated: optional(1, boolean, "The authenticated."),
  user: optional(2, UserInfo, "The user."),
  audiences: optional(4, list(string), "The audiences."),
  error: optional(3, string, "The error."),
});
export type TokenReviewStatus = Out<typeof TokenReviewStatus>;

export const TokenReview = message("TokenReview", "A token review.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: required(2, TokenReviewSpec, "The spec."),
  status: optional(3, TokenReviewStatus, "The status."),
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

export const BoundObjectReference = message("BoundObjectReference", "A bound object reference.", {
  kind: optional(1, string, "The kind."),
  apiVersion: optional(2, string, "The api version."),
  name: optional(3, string, "The name."),
  uid: optional(4, string, "The uid."),
});
export type BoundObjectReference = Out<typeof BoundObjectReference>;

export const TokenRequestSpec = message("TokenRequestSpec", "A token request spec.", {
  audiences: required(1, list(string), "The audiences."),
  expirationSeconds: pointer(4, int64, "The expiration seconds.", { default: 3600 }),
  boundObjectRef: pointer(3, BoundObjectReference, "The bound object ref."),
});
export type TokenRequestSpec = Out<typeof TokenRequestSpec>;

export const TokenRequestStatus = message("TokenRequestStatus", "A token request status.", {
  token: required(1, string, "The token."),
  expirationTimestamp: required(2, time, "The expiration timestamp."),
});
export type TokenRequestStatus = Out<typeof TokenRequestStatus>;

export const TokenRequest = message("TokenRequest", "A token request.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: required(2, TokenRequestSpec, "The spec."),
  status: optional(3, TokenRequestStatus, "The status."),
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

export const SelfSubjectReviewStatus = message("SelfSubjectReviewStatus", "A self subject review status.", {
  userInfo: optional(1, UserInfo, "The user info."),
});
export type SelfSubjectReviewStatus = Out<typeof SelfSubjectReviewStatus>;

export const SelfSubjectReview = message("SelfSubjectReview", "A self subject review.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  status: optional(2, SelfSubjectReviewStatus, "The status."),
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
