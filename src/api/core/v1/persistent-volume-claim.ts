import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  keyed,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  quantity,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";
import { TypedLocalObjectReference, TypedObjectReference } from "./reference.ts";
import { VolumeResourceRequirements } from "./resources.ts";

const message = messages("io.k8s.api.core.v1");

export const PersistentVolumeClaimSpec = message(
  "PersistentVolumeClaimSpec",
  "A persistent volume claim spec.",
  {
    accessModes: optional(
      1,
      list(oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
      "The access modes.",
    ),
    selector: pointer(4, LabelSelector, "The selector."),
    resources: optional(2, VolumeResourceRequirements, "The resources."),
    volumeName: optional(3, string, "The volume name."),
    storageClassName: pointer(5, string, "The storage class name."),
    volumeMode: pointer(6, oneOf("Block", "Filesystem"), "The volume mode.", { default: "Filesystem" }),
    dataSource: pointer(7, TypedLocalObjectReference, "The data source."),
    dataSourceRef: pointer(8, TypedObjectReference, "The data source ref."),
    volumeAttributesClassName: pointer(9, string, "The volume attributes class name."),
  },
);
export type PersistentVolumeClaimSpec = Out<typeof PersistentVolumeClaimSpec>;

export const ModifyVolumeStatus = message("ModifyVolumeStatus", "A modify volume status.", {
  targetVolumeAttributesClassName: optional(1, string, "The target volume attributes class name."),
  status: required(2, oneOf("InProgress", "Infeasible", "Pending"), "The status."),
});
export type ModifyVolumeStatus = Out<typeof ModifyVolumeStatus>;

export const PersistentVolumeClaimCondition = message(
  "PersistentVolumeClaimCondition",
  "A persistent volume claim condition.",
  {
    type: required(1, string, "The type."),
    status: required(2, string, "The status."),
    lastProbeTime: optional(3, time, "The last probe time."),
    lastTransitionTime: optional(4, time, "The last transition time."),
    reason: optional(5, string, "The reason."),
    message: optional(6, string, "The message."),
  },
);
export type PersistentVolumeClaimCondition = Out<typeof PersistentVolumeClaimCondition>;

export const PersistentVolumeClaimStatus = message(
  "PersistentVolumeClaimStatus",
  "A persistent volume claim status.",
  {
    phase: optional(1, oneOf("Bound", "Lost", "Pending"), "The phase.", { default: "Pending" }),
    accessModes: optional(
      2,
      list(oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
      "The access modes.",
    ),
    capacity: optional(3, map(quantity), "The capacity."),
    conditions: optional(4, keyed(PersistentVolumeClaimCondition, "type"), "The conditions.", {
      merge: "type",
    }),
    allocatedResources: optional(5, map(quantity), "The allocated resources."),
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
      "The allocated resource statuses.",
    ),
    currentVolumeAttributesClassName: pointer(8, string, "The current volume attributes class name."),
    modifyVolumeStatus: pointer(9, ModifyVolumeStatus, "The modify volume status."),
  },
);
export type PersistentVolumeClaimStatus = Out<typeof PersistentVolumeClaimStatus>;

export const PersistentVolumeClaim = message("PersistentVolumeClaim", "A persistent volume claim.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, PersistentVolumeClaimSpec, "The spec."),
  status: optional(3, PersistentVolumeClaimStatus, "The status."),
});

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
  "A persistent volume claim template.",
  {
    metadata: optional(1, ObjectMeta, "The metadata."),
    spec: required(2, PersistentVolumeClaimSpec, "The spec."),
  },
);
export type PersistentVolumeClaimTemplate = Out<typeof PersistentVolumeClaimTemplate>;
