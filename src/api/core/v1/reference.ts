import { type Out, messages, optional, pointer, required, string } from "../../../meta/schema.ts";

const message = messages("io.k8s.api.core.v1");

export const ObjectReference = message(
  "ObjectReference",
  "A reference to an object or a part of an object.",
  {
    kind: optional(1, string, "The object's kind."),
    namespace: optional(2, string, "The object's namespace; empty for cluster-wide resources."),
    name: optional(3, string, "The object's name."),
    uid: optional(4, string, "The object's UID."),
    apiVersion: optional(5, string, "The object's API version."),
    resourceVersion: optional(6, string, "The object's resource version."),
    fieldPath: optional(7, string, "A part of the object, such as `spec.containers{name}`."),
  },
  { atomic: true },
);
export type ObjectReference = Out<typeof ObjectReference>;

export const LocalObjectReference = message(
  "LocalObjectReference",
  "A reference to an object in the same namespace.",
  {
    name: optional(1, string, "The object's name."),
  },
  { atomic: true },
);
export type LocalObjectReference = Out<typeof LocalObjectReference>;

export const SecretReference = message(
  "SecretReference",
  "A reference to a Secret in any namespace.",
  {
    name: optional(1, string, "The Secret's name."),
    namespace: optional(2, string, "The Secret's namespace."),
  },
  { atomic: true },
);
export type SecretReference = Out<typeof SecretReference>;

export const TypedLocalObjectReference = message(
  "TypedLocalObjectReference",
  "A reference to an object of any kind in the same namespace.",
  {
    apiGroup: pointer(1, string, "The group of the kind; absent for the core group."),
    kind: required(2, string, "The object's kind."),
    name: required(3, string, "The object's name."),
  },
  { atomic: true },
);
export type TypedLocalObjectReference = Out<typeof TypedLocalObjectReference>;

export const TypedObjectReference = message(
  "TypedObjectReference",
  "A reference to an object of any kind in any namespace.",
  {
    apiGroup: pointer(1, string, "The group of the kind; absent for the core group."),
    kind: required(2, string, "The object's kind."),
    name: required(3, string, "The object's name."),
    namespace: pointer(
      4,
      string,
      "The object's namespace; another namespace requires a ReferenceGrant there.",
    ),
  },
);
export type TypedObjectReference = Out<typeof TypedObjectReference>;
