import { type Out, messages, optional, pointer, required, string } from "../../../meta/schema.ts";

const message = messages("io.k8s.api.core.v1");

export const ObjectReference = message(
  "ObjectReference",
  "A object reference.",
  {
    kind: optional(1, string, "The kind."),
    namespace: optional(2, string, "The namespace."),
    name: optional(3, string, "The name."),
    uid: optional(4, string, "The uid."),
    apiVersion: optional(5, string, "The api version."),
    resourceVersion: optional(6, string, "The resource version."),
    fieldPath: optional(7, string, "The field path."),
  },
  { atomic: true },
);
export type ObjectReference = Out<typeof ObjectReference>;

export const LocalObjectReference = message(
  "LocalObjectReference",
  "A local object reference.",
  {
    name: optional(1, string, "The name."),
  },
  { atomic: true },
);
export type LocalObjectReference = Out<typeof LocalObjectReference>;

export const SecretReference = message(
  "SecretReference",
  "A secret reference.",
  {
    name: optional(1, string, "The name."),
    namespace: optional(2, string, "The namespace."),
  },
  { atomic: true },
);
export type SecretReference = Out<typeof SecretReference>;

export const TypedLocalObjectReference = message(
  "TypedLocalObjectReference",
  "A typed local object reference.",
  {
    apiGroup: pointer(1, string, "The api group."),
    kind: required(2, string, "The kind."),
    name: required(3, string, "The name."),
  },
  { atomic: true },
);
export type TypedLocalObjectReference = Out<typeof TypedLocalObjectReference>;

export const TypedObjectReference = message("TypedObjectReference", "A typed object reference.", {
  apiGroup: pointer(1, string, "The api group."),
  kind: required(2, string, "The kind."),
  name: required(3, string, "The name."),
  namespace: pointer(4, string, "The namespace."),
});
export type TypedObjectReference = Out<typeof TypedObjectReference>;
