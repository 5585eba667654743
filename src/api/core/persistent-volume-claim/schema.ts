import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  amount,
  keyed,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";
import { TypedLocalObjectReference, TypedObjectReference } from "../v1/reference.ts";
import { VolumeResourceRequirements } from "../v1/resources.ts";

const message = messages("io.k8s.api.core.v1");

export const PersistentVolumeClaimSpec = message("PersistentVolumeClaimSpec", "What storage is wanted.", {
  accessModes: optional(
    1,
    list(oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
    "How the volume must be mountable.",
  ),
  selector: pointer(4, LabelSelector, "Selects among existing volumes."),
  resources: optional(2, VolumeResourceRequirements, "How much storage."),
  volumeName: optional(3, string, "The volume bound to the claim."),
  storageClassName: pointer(5, string, "The StorageClass; absent takes the default, empty takes none."),
  volumeMode: pointer(6, oneOf("Block", "Filesystem"), "Whether a file system or a raw device is wanted.", {
    default: "Filesystem",
  }),
  dataSource: pointer(7, TypedLocalObjectReference, "What the volume is filled from, in the same namespace."),
  dataSourceRef: pointer(
    8,
    TypedObjectReference,
    "What the volume is filled from; of any kind and namespace.",
  ),
  volumeAttributesClassName: pointer(9, string, "The VolumeAttributesClass."),
});
export type PersistentVolumeClaimSpec = Out<typeof PersistentVolumeClaimSpec>;

export const ModifyVolumeStatus = message(
  "ModifyVolumeStatus",
  "How far a change of the volume's attributes is.",
  {
    targetVolumeAttributesClassName: optional(1, string, "The class that is aimed at."),
    status: required(2, oneOf("InProgress", "Infeasible", "Pending"), "How far it is."),
  },
);
export type ModifyVolumeStatus = Out<typeof ModifyVolumeStatus>;

export const PersistentVolumeClaimCondition = message(
  "PersistentVolumeClaimCondition",
  "One aspect of a claim's state.",
  {
    type: required(1, string, "The aspect."),
    status: required(2, string, "Whether it holds: True, False or Unknown."),
    lastProbeTime: optional(3, time, "When it was last checked."),
    lastTransitionTime: optional(4, time, "When the status last changed."),
    reason: optional(5, string, "Why, as one CamelCase word for programs."),
    message: optional(6, string, "Why, for people."),
  },
);
export type PersistentVolumeClaimCondition = Out<typeof PersistentVolumeClaimCondition>;

export const PersistentVolumeClaimStatus = message(
  "PersistentVolumeClaimStatus",
  "What is known about a claim.",
  {
    phase: optional(1, oneOf("Bound", "Lost", "Pending"), "Whether the claim has its volume.", {
      default: "Pending",
    }),
    accessModes: optional(
      2,
      list(oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
      "How the volume can be mounted.",
    ),
    capacity: optional(3, map(amount), "What the volume holds."),
    conditions: optional(
      4,
      keyed(PersistentVolumeClaimCondition, "type"),
      "Aspects of the state, one entry for each type.",
      { merge: "type" },
    ),
    allocatedResources: optional(5, map(amount), "What is set aside, also while it grows."),
    allocatedResourceStatuses: optional(
      7,
      map(
        oneOf(
          "ControllerResizeInProgress",
          "ControllerResizeInfeasible",
          "NodeResizeInProgress",
          "NodeResizeInfeasible",
          "NodeResizePending",
        ),
      ),
      "How far a resize is, by resource.",
    ),
    currentVolumeAttributesClassName: pointer(8, string, "The class in force."),
    modifyVolumeStatus: pointer(9, ModifyVolumeStatus, "How far a change of class is."),
  },
);
export type PersistentVolumeClaimStatus = Out<typeof PersistentVolumeClaimStatus>;

export const PersistentVolumeClaim = message(
  "PersistentVolumeClaim",
  "A request for storage in a namespace.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: optional(2, PersistentVolumeClaimSpec, "The desired state."),
    status: optional(3, PersistentVolumeClaimStatus, "The observed state."),
  },
  { typed: true },
);

export const persistentVolumeClaims = defineKind(PersistentVolumeClaim, {
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  namespaced: true,
  shortNames: ["pvc"],
  status: true,
});
export type PersistentVolumeClaim = ObjectOf<typeof persistentVolumeClaims>;

export const PersistentVolumeClaimTemplate = message(
  "PersistentVolumeClaimTemplate",
  "What a Pod's own claim is made from.",
  {
    metadata: optional(1, ObjectMeta, "Labels and annotations of the claim."),
    spec: required(2, PersistentVolumeClaimSpec, "What storage is wanted."),
  },
);
export type PersistentVolumeClaimTemplate = Out<typeof PersistentVolumeClaimTemplate>;
