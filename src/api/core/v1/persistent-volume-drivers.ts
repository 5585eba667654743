import {
  type Out,
  boolean,
  int32,
  list,
  map,
  messages,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { ObjectReference, SecretReference } from "./reference.ts";

const message = messages("io.k8s.api.core.v1");

export const AzureFilePersistentVolumeSource = message(
  "AzureFilePersistentVolumeSource",
  "A azure file persistent volume source.",
  {
    secretName: required(1, string, "The secret name."),
    shareName: required(2, string, "The share name."),
    readOnly: optional(3, boolean, "The read only."),
    secretNamespace: pointer(4, string, "The secret namespace."),
  },
);
export type AzureFilePersistentVolumeSource = Out<typeof AzureFilePersistentVolumeSource>;

export const CephFSPersistentVolumeSource = message(
  "CephFSPersistentVolumeSource",
  "A ceph fs persistent volume source.",
  {
    monitors: required(1, list(string), "The monitors."),
    path: optional(2, string, "The path."),
    user: optional(3, string, "The user."),
    secretFile: optional(4, string, "The secret file."),
    secretRef: pointer(5, SecretReference, "The secret ref."),
    readOnly: optional(6, boolean, "The read only."),
  },
);
export type CephFSPersistentVolumeSource = Out<typeof CephFSPersistentVolumeSource>;

export const CinderPersistentVolumeSource = message(
  "CinderPersistentVolumeSource",
  "A cinder persistent volume source.",
  {
    volumeID: required(1, string, "The volume id."),
    fsType: optional(2, string, "The fs type."),
    readOnly: optional(3, boolean, "The read only."),
    secretRef: pointer(4, SecretReference, "The secret ref."),
  },
);
export type CinderPersistentVolumeSource = Out<typeof CinderPersistentVolumeSource>;

export const CSIPersistentVolumeSource = message(
  "CSIPersistentVolumeSource",
  "A csi persistent volume source.",
  {
    driver: required(1, string, "The driver."),
    volumeHandle: required(2, string, "The volume handle."),
    readOnly: optional(3, boolean, "The read only."),
    fsType: optional(4, string, "The fs type."),
    volumeAttributes: optional(5, map(string), "The volume attributes."),
    controllerPublishSecretRef: pointer(6, SecretReference, "The controller publish secret ref."),
    nodeStageSecretRef: pointer(7, SecretReference, "The node stage secret ref."),
    nodePublishSecretRef: pointer(8, SecretReference, "The node publish secret ref."),
    controllerExpandSecretRef: pointer(9, SecretReference, "The controller expand secret ref."),
    nodeExpandSecretRef: pointer(10, SecretReference, "The node expand secret ref."),
  },
);
export type CSIPersistentVolumeSource = Out<typeof CSIPersistentVolumeSource>;

export const FlexPersistentVolumeSource = message(
  "FlexPersistentVolumeSource",
  "A flex persistent volume source.",
  {
    driver: required(1, string, "The driver."),
    fsType: optional(2, string, "The fs type."),
    secretRef: pointer(3, SecretReference, "The secret ref."),
    readOnly: optional(4, boolean, "The read only."),
    options: optional(5, map(string), "The options."),
  },
);
export type FlexPersistentVolumeSource = Out<typeof FlexPersistentVolumeSource>;

export const GlusterfsPersistentVolumeSource = message(
  "GlusterfsPersistentVolumeSource",
  "A glusterfs persistent volume source.",
  {
    endpoints: required(1, string, "The endpoints."),
    path: required(2, string, "The path."),
    readOnly: optional(3, boolean, "The read only."),
    endpointsNamespace: pointer(4, string, "The endpoints namespace."),
  },
);
export type GlusterfsPersistentVolumeSource = Out<typeof GlusterfsPersistentVolumeSource>;

export const ISCSIPersistentVolumeSource = message(
  "ISCSIPersistentVolumeSource",
  "A iscsi persistent volume source.",
  {
    targetPortal: required(1, string, "The target portal."),
    iqn: required(2, string, "The iqn."),
    lun: required(3, int32, "The lun."),
    iscsiInterface: optional(4, string, "The iscsi interface.", { default: "default" }),
    fsType: optional(5, string, "The fs type."),
    readOnly: optional(6, boolean, "The read only."),
    portals: optional(7, list(string), "The portals."),
    chapAuthDiscovery: optional(8, boolean, "The chap auth discovery."),
    chapAuthSession: optional(11, boolean, "The chap auth session."),
    secretRef: pointer(10, SecretReference, "The secret ref."),
    initiatorName: pointer(12, string, "The initiator name."),
  },
);
export type ISCSIPersistentVolumeSource = Out<typeof ISCSIPersistentVolumeSource>;

export const LocalVolumeSource = message("LocalVolumeSource", "A local volume source.", {
  path: required(1, string, "The path."),
  fsType: pointer(2, string, "The fs type."),
});
export type LocalVolumeSource = Out<typeof LocalVolumeSource>;

export const RBDPersistentVolumeSource = message(
  "RBDPersistentVolumeSource",
  "A rbd persistent volume source.",
  {
    monitors: required(1, list(string), "The monitors."),
    image: required(2, string, "The image."),
    fsType: optional(3, string, "The fs type."),
    pool: optional(4, string, "The pool.", { default: "rbd" }),
    user: optional(5, string, "The user.", { default: "admin" }),
    keyring: optional(6, string, "The keyring.", { default: "/etc/ceph/keyring" }),
    secretRef: pointer(7, SecretReference, "The secret ref."),
    readOnly: optional(8, boolean, "The read only."),
  },
);
export type RBDPersistentVolumeSource = Out<typeof RBDPersistentVolumeSource>;

export const ScaleIOPersistentVolumeSource = message(
  "ScaleIOPersistentVolumeSource",
  "A scale io persistent volume source.",
  {
    gateway: required(1, string, "The gateway."),
    system: required(2, string, "The system."),
    secretRef: pointer(3, SecretReference, "The secret ref."),
    sslEnabled: optional(4, boolean, "The ssl enabled."),
    protectionDomain: optional(5, string, "The protection domain."),
    storagePool: optional(6, string, "The storage pool."),
    storageMode: optional(7, string, "The storage mode.", { default: "ThinProvisioned" }),
    volumeName: optional(8, string, "The volume name."),
    fsType: optional(9, string, "The fs type.", { default: "xfs" }),
    readOnly: optional(10, boolean, "The read only."),
  },
);
export type ScaleIOPersistentVolumeSource = Out<typeof ScaleIOPersistentVolumeSource>;

export const StorageOSPersistentVolumeSource = message(
  "StorageOSPersistentVolumeSource",
  "A storage os persistent volume source.",
  {
    volumeName: optional(1, string, "The volume name."),
    volumeNamespace: optional(2, string, "The volume namespace."),
    fsType: optional(3, string, "The fs type."),
    readOnly: optional(4, boolean, "The read only."),
    secretRef: pointer(5, ObjectReference, "The secret ref."),
  },
);
export type StorageOSPersistentVolumeSource = Out<typeof StorageOSPersistentVolumeSource>;
