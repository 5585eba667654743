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

export const UserInfo = message("UserInfo", "The identity of a user.", {
  username: optional(1, string, "The name."),
  uid: optional(2, string, "Distinguishes users that had the same name at different times."),
  groups: optional(3, list(string), "The groups."),
  extra: optional(4, map(list(string)), "Further attributes from the authenticator."),
});
export type UserInfo = Out<typeof UserInfo>;

export const TokenReviewSpec = message("TokenReviewSpec", "The request.", {
  token: optional(1, string, "The bearer token."),
  audiences: optional(2, list(string), "The intended audiences; the API server's when empty."),
});
export type TokenReviewSpec = Out<typeof TokenReviewSpec>;

export const TokenReviewStatus = message("TokenReviewStatus", "The result.", {
  authenticated: optional(1, boolean, "Whether the token is valid."),
  user: optional(2, UserInfo, "The token's user."),
  audiences: optional(4, list(string), "The requested audiences that the token is valid for."),
  error: optional(3, string, "The reason why the token could not be checked."),
});
export type TokenReviewStatus = Out<typeof TokenReviewStatus>;

export const TokenReview = message("TokenReview", "Checks a token and returns its user.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, TokenReviewSpec, "The request."),
  status: optional(3, TokenReviewStatus, "The result."),
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

export const BoundObjectReference = message(
  "BoundObjectReference",
  "The object that a token is bound to: with the object, the token becomes invalid.",
  {
    kind: optional(1, string, "The object's kind: Pod, Secret or Node."),
    apiVersion: optional(2, string, "The object's API version."),
    name: optional(3, string, "The object's name."),
    uid: optional(4, string, "The object's UID."),
  },
);
export type BoundObjectReference = Out<typeof BoundObjectReference>;

export const TokenRequestSpec = message("TokenRequestSpec", "The requested token.", {
  audiences: required(1, list(string), "The intended audiences."),
  expirationSeconds: pointer(4, int64, "The requested lifetime in seconds.", { default: 3600 }),
  boundObjectRef: pointer(3, BoundObjectReference, "The object that the token is bound to."),
});
export type TokenRequestSpec = Out<typeof TokenRequestSpec>;

export const TokenRequestStatus = message("TokenRequestStatus", "The token.", {
  token: required(1, string, "The token."),
  expirationTimestamp: required(2, time, "The time when the token expires."),
});
export type TokenRequestStatus = Out<typeof TokenRequestStatus>;

export const TokenRequest = message("TokenRequest", "Asks for a token of a ServiceAccount.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, TokenRequestSpec, "The requested token."),
  status: optional(3, TokenRequestStatus, "The token."),
});

/** The body of the `token` subresource of ServiceAccounts. It has no resource of its own. */
export const tokenRequests = defineKind(TokenRequest, {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "TokenRequest",
  plural: "tokenrequests",
  namespaced: true,
  verbs: [],
});
export type TokenRequest = ObjectOf<typeof tokenRequests>;

export const SelfSubjectReviewStatus = message("SelfSubjectReviewStatus", "The result.", {
  userInfo: optional(1, UserInfo, "The caller's identity."),
});
export type SelfSubjectReviewStatus = Out<typeof SelfSubjectReviewStatus>;

export const SelfSubjectReview = message("SelfSubjectReview", "Returns the caller's identity.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  status: optional(2, SelfSubjectReviewStatus, "The result."),
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
