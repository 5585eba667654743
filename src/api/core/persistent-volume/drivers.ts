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
import { ObjectReference, SecretReference } from "../v1/reference.ts";

const message = messages("io.k8s.api.core.v1");

export const AzureFilePersistentVolumeSource = message(
  "AzureFilePersistentVolumeSource",
  "An Azure file share.",
  {
    secretName: required(1, string, "The Secret with the account's name and key."),
    shareName: required(2, string, "The share."),
    readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
    secretNamespace: pointer(4, string, "The Secret's namespace; the claim's when absent."),
  },
);
export type AzureFilePersistentVolumeSource = Out<typeof AzureFilePersistentVolumeSource>;

export const CephFSPersistentVolumeSource = message(
  "CephFSPersistentVolumeSource",
  "A directory in CephFS.",
  {
    monitors: required(1, list(string), "The monitors' addresses."),
    path: optional(2, string, "The directory; the root when empty."),
    user: optional(3, string, "The user; admin when empty."),
    secretFile: optional(4, string, "The key ring's path on the node."),
    secretRef: pointer(5, SecretReference, "The Secret with the key; overrides the file."),
    readOnly: optional(6, boolean, "Whether the volume is mounted read-only."),
  },
);
export type CephFSPersistentVolumeSource = Out<typeof CephFSPersistentVolumeSource>;

export const CinderPersistentVolumeSource = message("CinderPersistentVolumeSource", "An OpenStack disk.", {
  volumeID: required(1, string, "The disk."),
  fsType: optional(2, string, "The file system type; support depends on the host."),
  readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
  secretRef: pointer(4, SecretReference, "The Secret with the connection's parameters."),
});
export type CinderPersistentVolumeSource = Out<typeof CinderPersistentVolumeSource>;

export const CSIPersistentVolumeSource = message("CSIPersistentVolumeSource", "A volume of a CSI driver.", {
  driver: required(1, string, "The driver."),
  volumeHandle: required(2, string, "The volume, as the driver names it."),
  readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
  fsType: optional(4, string, "The file system type; support depends on the host."),
  volumeAttributes: optional(5, map(string), "Attributes for the driver."),
  controllerPublishSecretRef: pointer(6, SecretReference, "The Secret for attaching."),
  nodeStageSecretRef: pointer(7, SecretReference, "The Secret for staging."),
  nodePublishSecretRef: pointer(8, SecretReference, "The Secret for mounting."),
  controllerExpandSecretRef: pointer(9, SecretReference, "The Secret for growing the volume."),
  nodeExpandSecretRef: pointer(10, SecretReference, "The Secret for growing the file system."),
});
export type CSIPersistentVolumeSource = Out<typeof CSIPersistentVolumeSource>;

export const FlexPersistentVolumeSource = message(
  "FlexPersistentVolumeSource",
  "A volume of an exec-based plugin.",
  {
    driver: required(1, string, "The plugin."),
    fsType: optional(2, string, "The file system type; support depends on the host."),
    secretRef: pointer(3, SecretReference, "The Secret for the plugin."),
    readOnly: optional(4, boolean, "Whether the volume is mounted read-only."),
    options: optional(5, map(string), "Further options for the plugin."),
  },
);
export type FlexPersistentVolumeSource = Out<typeof FlexPersistentVolumeSource>;

export const GlusterfsPersistentVolumeSource = message(
  "GlusterfsPersistentVolumeSource",
  "A Gluster volume.",
  {
    endpoints: required(1, string, "The Endpoints with the servers."),
    path: required(2, string, "The volume."),
    readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
    endpointsNamespace: pointer(4, string, "The namespace of the Endpoints; the claim's when absent."),
  },
);
export type GlusterfsPersistentVolumeSource = Out<typeof GlusterfsPersistentVolumeSource>;

export const ISCSIPersistentVolumeSource = message("ISCSIPersistentVolumeSource", "An iSCSI disk.", {
  targetPortal: required(1, string, "The target's address."),
  iqn: required(2, string, "The target's qualified name."),
  lun: required(3, int32, "The unit number."),
  iscsiInterface: optional(4, string, "The iSCSI interface.", { default: "default" }),
  fsType: optional(5, string, "The file system type; support depends on the host."),
  readOnly: optional(6, boolean, "Whether the volume is mounted read-only."),
  portals: optional(7, list(string), "Further addresses of the target."),
  chapAuthDiscovery: optional(8, boolean, "Whether discovery authenticates by CHAP."),
  chapAuthSession: optional(11, boolean, "Whether sessions authenticate by CHAP."),
  secretRef: pointer(10, SecretReference, "The Secret for CHAP."),
  initiatorName: pointer(12, string, "The initiator's name; the node's own when absent."),
});
export type ISCSIPersistentVolumeSource = Out<typeof ISCSIPersistentVolumeSource>;

export const LocalVolumeSource = message("LocalVolumeSource", "A directory or device of one node.", {
  path: required(1, string, "The path on the node."),
  fsType: pointer(2, string, "The file system; only for devices."),
});
export type LocalVolumeSource = Out<typeof LocalVolumeSource>;

export const RBDPersistentVolumeSource = message("RBDPersistentVolumeSource", "A Ceph block device.", {
  monitors: required(1, list(string), "The monitors' addresses."),
  image: required(2, string, "The image."),
  fsType: optional(3, string, "The file system type; support depends on the host."),
  pool: optional(4, string, "The pool.", { default: "rbd" }),
  user: optional(5, string, "The user.", { default: "admin" }),
  keyring: optional(6, string, "The key ring's path on the node.", { default: "/etc/ceph/keyring" }),
  secretRef: pointer(7, SecretReference, "The Secret with the key; overrides the key ring."),
  readOnly: optional(8, boolean, "Whether the volume is mounted read-only."),
});
export type RBDPersistentVolumeSource = Out<typeof RBDPersistentVolumeSource>;

export const ScaleIOPersistentVolumeSource = message("ScaleIOPersistentVolumeSource", "A ScaleIO volume.", {
  gateway: required(1, string, "The gateway's address."),
  system: required(2, string, "The storage system."),
  secretRef: pointer(3, SecretReference, "The Secret with the login."),
  sslEnabled: optional(4, boolean, "Whether the connection to the gateway uses TLS."),
  protectionDomain: optional(5, string, "The protection domain."),
  storagePool: optional(6, string, "The pool."),
  storageMode: optional(7, string, "ThickProvisioned or ThinProvisioned.", { default: "ThinProvisioned" }),
  volumeName: optional(8, string, "The volume."),
  fsType: optional(9, string, "The file system type; support depends on the host.", {
    default: "xfs",
  }),
  readOnly: optional(10, boolean, "Whether the volume is mounted read-only."),
});
export type ScaleIOPersistentVolumeSource = Out<typeof ScaleIOPersistentVolumeSource>;

export const StorageOSPersistentVolumeSource = message(
  "StorageOSPersistentVolumeSource",
  "A StorageOS volume.",
  {
    volumeName: optional(1, string, "The volume, unique in its namespace."),
    volumeNamespace: optional(2, string, "The namespace within StorageOS; the claim's when empty."),
    fsType: optional(3, string, "The file system type; support depends on the host."),
    readOnly: optional(4, boolean, "Whether the volume is mounted read-only."),
    secretRef: pointer(5, ObjectReference, "The Secret with the login."),
  },
);
export type StorageOSPersistentVolumeSource = Out<typeof StorageOSPersistentVolumeSource>;
