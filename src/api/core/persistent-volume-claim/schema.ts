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

export const PersistentVolumeClaimSpec = message("PersistentVolumeClaimSpec", "The requested storage.", {
  accessModes: optional(
    1,
    list(oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
    "The requested access modes.",
  ),
  selector: pointer(4, LabelSelector, "The label selector of volumes."),
  resources: optional(2, VolumeResourceRequirements, "The requested amount of storage."),
  volumeName: optional(3, string, "The volume bound to the claim."),
  storageClassName: pointer(5, string, "The StorageClass; absent takes the default, empty takes none."),
  volumeMode: pointer(6, oneOf("Block", "Filesystem"), "The requested volume mode: Filesystem or Block.", {
    default: "Filesystem",
  }),
  dataSource: pointer(
    7,
    TypedLocalObjectReference,
    "The object that the volume is filled from, in the same namespace.",
  ),
  dataSourceRef: pointer(
    8,
    TypedObjectReference,
    "The object that the volume is filled from, of any kind and in any namespace.",
  ),
  volumeAttributesClassName: pointer(9, string, "The VolumeAttributesClass."),
});
export type PersistentVolumeClaimSpec = Out<typeof PersistentVolumeClaimSpec>;

export const ModifyVolumeStatus = message(
  "ModifyVolumeStatus",
  "The status of a change of the VolumeAttributesClass.",
  {
    targetVolumeAttributesClassName: optional(1, string, "The target class."),
    status: required(2, oneOf("InProgress", "Infeasible", "Pending"), "The status of the change."),
  },
);
export type ModifyVolumeStatus = Out<typeof ModifyVolumeStatus>;

export const PersistentVolumeClaimCondition = message(
  "PersistentVolumeClaimCondition",
  "A condition of a claim.",
  {
    type: required(1, string, "The condition's type."),
    status: required(2, string, "The condition's status: True, False or Unknown."),
    lastProbeTime: optional(3, time, "The time of the last check."),
    lastTransitionTime: optional(4, time, "The time when the condition's status last changed."),
    reason: optional(5, string, "A machine-readable reason, as one CamelCase word."),
    message: optional(6, string, "A human-readable explanation."),
  },
);
export type PersistentVolumeClaimCondition = Out<typeof PersistentVolumeClaimCondition>;

export const PersistentVolumeClaimStatus = message(
  "PersistentVolumeClaimStatus",
  "The observed state of a claim.",
  {
    phase: optional(1, oneOf("Bound", "Lost", "Pending"), "The claim's phase: Pending, Bound or Lost.", {
      default: "Pending",
    }),
    accessModes: optional(
      2,
      list(oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
      "The access modes of the volume.",
    ),
    capacity: optional(3, map(amount), "The resources of the volume."),
    conditions: optional(
      4,
      keyed(PersistentVolumeClaimCondition, "type"),
      "The conditions, one for each type.",
      { merge: "type" },
    ),
    allocatedResources: optional(
      5,
      map(amount),
      "The resources that are allocated to the claim, including those of an ongoing expansion.",
    ),
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
      "The status of a resize, by resource.",
    ),
    currentVolumeAttributesClassName: pointer(8, string, "The current class."),
    modifyVolumeStatus: pointer(
      9,
      ModifyVolumeStatus,
      "The status of a change of the VolumeAttributesClass.",
    ),
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
  "The template of a Pod's own claim.",
  {
    metadata: optional(1, ObjectMeta, "Labels and annotations of the claim."),
    spec: required(2, PersistentVolumeClaimSpec, "The requested storage."),
  },
);
export type PersistentVolumeClaimTemplate = Out<typeof PersistentVolumeClaimTemplate>;
