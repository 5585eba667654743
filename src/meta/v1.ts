import {
  boolean,
  fieldsV1,
  type In,
  int64,
  keyed,
  list,
  map,
  messages,
  type MessageType,
  optional,
  type Out,
  pointer,
  required,
  set,
  string,
  stringOf,
  time,
} from "./schema.ts";

const message = messages("io.k8s.apimachinery.pkg.apis.meta.v1");

export const ManagedFieldsEntry = message("ManagedFieldsEntry", "What one manager owns in an object.", {
  manager: optional(1, string, "Who manages the fields."),
  operation: optional(2, stringOf<"Apply" | "Update">(), "How the manager wrote them."),
  apiVersion: optional(3, string, "The version of the resource that the field set refers to."),
  time: pointer(4, time, "When the field set last changed."),
  fieldsType: optional(6, string, "The format of the field set; `FieldsV1` is the only one."),
  fieldsV1: pointer(7, fieldsV1, "The field set."),
  subresource: optional(8, string, "The subresource that was written; empty for the object itself."),
});
export type ManagedFieldsEntry = Out<typeof ManagedFieldsEntry>;

export const OwnerReference = message(
  "OwnerReference",
  "Names an object that this one depends on, in the same namespace or cluster-wide.",
  {
    apiVersion: required(5, string, "The owner's API version."),
    kind: required(1, string, "The owner's kind."),
    name: required(3, string, "The owner's name."),
    uid: required(4, string, "The owner's UID."),
    controller: pointer(6, boolean, "Whether the owner is the managing controller."),
    blockOwnerDeletion: pointer(
      7,
      boolean,
      "Whether foreground deletion of the owner waits for this object.",
    ),
  },
  { atomic: true },
);
export type OwnerReference = Out<typeof OwnerReference>;

const objectMeta = message(
  "ObjectMeta",
  "What every stored object has: its identity, its history and its labels.",
  {
    name: optional(1, string, "The name, unique among objects of this resource in the namespace."),
    generateName: optional(
      2,
      string,
      "A prefix for which the server makes up a unique name when none is given.",
    ),
    namespace: optional(
      3,
      string,
      "The namespace that the name is unique in; empty for cluster-wide resources.",
    ),
    selfLink: optional(4, string, "No longer filled in."),
    uid: optional(
      5,
      string,
      "Identifies this one object for all time, also from a later one of the same name.",
    ),
    resourceVersion: optional(6, string, "Changes with each write: for optimistic concurrency and watches."),
    generation: optional(7, int64, "Counts the changes of the desired state."),
    creationTimestamp: optional(
      8,
      time,
      "CreationTimestamp is a timestamp of when the server created the object.",
    ),
    deletionTimestamp: pointer(
      9,
      time,
      "When the object is to be gone; set by the server on a graceful delete.",
    ),
    deletionGracePeriodSeconds: pointer(10, int64, "How many seconds the object has to end by itself."),
    labels: optional(11, map(string), "Keys and values to select objects by."),
    annotations: optional(12, map(string), "Keys and values that tools keep with the object."),
    ownerReferences: optional(13, keyed(OwnerReference, "uid"), "The objects that this one depends on.", {
      merge: "uid",
    }),
    finalizers: optional(14, set(string), "Who has work to do before the object may go.", { merge: true }),
    managedFields: optional(17, list(ManagedFieldsEntry), "Who owns which fields."),
  },
);
export interface ObjectMeta extends Out<typeof objectMeta> {}
export interface ObjectMetaInput extends In<typeof objectMeta> {}
export const ObjectMeta: MessageType<ObjectMeta, ObjectMetaInput> = objectMeta;

export const ListMeta = message("ListMeta", "What every list has.", {
  selfLink: optional(1, string, "No longer filled in."),
  resourceVersion: optional(2, string, "The state that the list shows; watches start from it."),
  continue: optional(3, string, "Where the next page starts; empty on the last one."),
  remainingItemCount: pointer(4, int64, "How many items follow, where the server knows."),
});
export type ListMeta = Out<typeof ListMeta>;

export const LabelSelectorRequirement = message("LabelSelectorRequirement", "One condition on a label.", {
  key: required(1, string, "The label's key."),
  operator: required(2, string, "How the key relates to the values: In, NotIn, Exists or DoesNotExist."),
  values: optional(3, list(string), "The values; none for Exists and DoesNotExist."),
});
export type LabelSelectorRequirement = Out<typeof LabelSelectorRequirement>;

export const FieldSelectorRequirement = message("FieldSelectorRequirement", "One condition on a field.", {
  key: required(1, string, "The field's path."),
  operator: required(2, string, "How the field relates to the values: In, NotIn, Exists or DoesNotExist."),
  values: optional(3, list(string), "The values; none for Exists and DoesNotExist."),
});
export type FieldSelectorRequirement = Out<typeof FieldSelectorRequirement>;

const labelSelector = message(
  "LabelSelector",
  "Selects objects by label; all conditions must hold. An empty one selects all, an absent one none.",
  {
    matchLabels: optional(1, map(string), "Labels that must be there with exactly these values."),
    matchExpressions: optional(2, list(LabelSelectorRequirement), "Further conditions."),
  },
  { atomic: true },
);
export interface LabelSelector extends Out<typeof labelSelector> {}
export interface LabelSelectorInput extends In<typeof labelSelector> {}
export const LabelSelector: MessageType<LabelSelector, LabelSelectorInput> = labelSelector;

export const Condition = message("Condition", "One aspect of an object's state.", {
  type: required(1, string, "The aspect, in CamelCase."),
  status: required(2, stringOf<"False" | "True" | "Unknown">(), "Whether it holds."),
  observedGeneration: optional(3, int64, "The generation that the condition was judged by."),
  lastTransitionTime: required(4, time, "When the status last changed."),
  reason: required(5, string, "Why, as one CamelCase word for programs."),
  message: required(6, string, "Why, for people."),
});
export type Condition = Out<typeof Condition>;
