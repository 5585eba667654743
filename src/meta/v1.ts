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

export const ManagedFieldsEntry = message(
  "ManagedFieldsEntry",
  "The fields of an object that one manager owns.",
  {
    manager: optional(1, string, "The manager's name."),
    operation: optional(2, stringOf<"Apply" | "Update">(), "The manager's operation: Apply or Update."),
    apiVersion: optional(3, string, "The version of the resource that the field set refers to."),
    time: pointer(4, time, "The time when the field set last changed."),
    fieldsType: optional(6, string, "The format of the field set; `FieldsV1` is the only one."),
    fieldsV1: pointer(7, fieldsV1, "The field set."),
    subresource: optional(8, string, "The subresource that was written; empty for the object itself."),
  },
);
export type ManagedFieldsEntry = Out<typeof ManagedFieldsEntry>;

export const OwnerReference = message(
  "OwnerReference",
  "A reference to an owner, in the same namespace or cluster-scoped.",
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

const objectMeta = message("ObjectMeta", "Metadata of a stored object: identity, history and labels.", {
  name: optional(1, string, "The name, unique among objects of this resource in the namespace."),
  generateName: optional(
    2,
    string,
    "A prefix from which the server generates a unique name, if `name` is empty.",
  ),
  namespace: optional(3, string, "The namespace; empty for cluster-scoped resources."),
  selfLink: optional(4, string, "Deprecated; no longer set."),
  uid: optional(
    5,
    string,
    "The unique ID of the object, which distinguishes it from earlier and later objects of the same name.",
  ),
  resourceVersion: optional(
    6,
    string,
    "A version that changes with each write, for optimistic concurrency and watches.",
  ),
  generation: optional(7, int64, "The number of changes of the desired state."),
  // The conformance suite looks for these words in `kubectl explain`.
  creationTimestamp: optional(
    8,
    time,
    "CreationTimestamp is a timestamp of the server: the time when it created the object.",
  ),
  deletionTimestamp: pointer(
    9,
    time,
    "The time when the object will be deleted; set by the server on graceful deletion.",
  ),
  deletionGracePeriodSeconds: pointer(10, int64, "The grace period in seconds before the object is deleted."),
  labels: optional(11, map(string), "Keys and values for selecting objects."),
  annotations: optional(12, map(string), "Keys and values that tools store with the object."),
  ownerReferences: optional(13, keyed(OwnerReference, "uid"), "The owners of the object.", {
    merge: "uid",
  }),
  finalizers: optional(14, set(string), "Finalizers that block the removal of the object.", { merge: true }),
  managedFields: optional(17, list(ManagedFieldsEntry), "The owners of the fields."),
});
export interface ObjectMeta extends Out<typeof objectMeta> {}
export interface ObjectMetaInput extends In<typeof objectMeta> {}
export const ObjectMeta: MessageType<ObjectMeta, ObjectMetaInput> = objectMeta;

export const ListMeta = message("ListMeta", "Metadata of a list.", {
  selfLink: optional(1, string, "Deprecated; no longer set."),
  resourceVersion: optional(2, string, "The revision of the list, from which a watch can start."),
  continue: optional(3, string, "The token for the next page; empty on the last page."),
  remainingItemCount: pointer(4, int64, "The number of remaining items, if known."),
});
export type ListMeta = Out<typeof ListMeta>;

export const LabelSelectorRequirement = message("LabelSelectorRequirement", "One condition on a label.", {
  key: required(1, string, "The label's key."),
  operator: required(
    2,
    string,
    "The relation between the key and the values: In, NotIn, Exists or DoesNotExist.",
  ),
  values: optional(3, list(string), "The values; none for Exists and DoesNotExist."),
});
export type LabelSelectorRequirement = Out<typeof LabelSelectorRequirement>;

export const FieldSelectorRequirement = message("FieldSelectorRequirement", "One condition on a field.", {
  key: required(1, string, "The field's path."),
  operator: required(
    2,
    string,
    "The relation between the field and the values: In, NotIn, Exists or DoesNotExist.",
  ),
  values: optional(3, list(string), "The values; none for Exists and DoesNotExist."),
});
export type FieldSelectorRequirement = Out<typeof FieldSelectorRequirement>;

const labelSelector = message(
  "LabelSelector",
  "A label selector; all conditions must match. An empty selector matches all objects, an absent one none.",
  {
    matchLabels: optional(1, map(string), "Labels that the object must have with exactly these values."),
    matchExpressions: optional(2, list(LabelSelectorRequirement), "Further conditions."),
  },
  { atomic: true },
);
export interface LabelSelector extends Out<typeof labelSelector> {}
export interface LabelSelectorInput extends In<typeof labelSelector> {}
export const LabelSelector: MessageType<LabelSelector, LabelSelectorInput> = labelSelector;

export const Condition = message("Condition", "A condition of an object.", {
  type: required(1, string, "The condition's type, in CamelCase."),
  status: required(2, stringOf<"False" | "True" | "Unknown">(), "The condition's status."),
  observedGeneration: optional(3, int64, "The generation that the condition reflects."),
  lastTransitionTime: required(4, time, "The time when the condition's status last changed."),
  reason: required(5, string, "A machine-readable reason, as one CamelCase word."),
  message: required(6, string, "A human-readable explanation."),
});
export type Condition = Out<typeof Condition>;
