import {
  type Out,
  boolean,
  int32,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
} from "../../../meta/schema.ts";
import { LocalObjectReference } from "./reference.ts";

const message = messages("io.k8s.api.core.v1");

export const AWSElasticBlockStoreVolumeSource = message(
  "AWSElasticBlockStoreVolumeSource",
  "A aws elastic block store volume source.",
  {
    volumeID: required(1, string, "The volume id."),
    fsType: optional(2, string, "The fs type."),
    partition: optional(3, int32, "The partition."),
    readOnly: optional(4, boolean, "The read only."),
  },
);
export type AWSElasticBlockStoreVolumeSource = Out<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = message("AzureDiskVolumeSource", "A azure disk volume source.", {
  diskName: required(1, string, "The disk name."),
  diskURI: required(2, string, "The disk uri."),
  cachingMode: pointer(3, oneOf("None", "ReadOnly", "ReadWrite"), "The caching mode.", {
    default: "ReadWrite",
  }),
  fsType: pointer(4, string, "The fs type.", { default: "ext4" }),
  readOnly: pointer(5, boolean, "The read only.", { default: false }),
  kind: pointer(6, oneOf("Dedicated", "Managed", "Shared"), "The kind.", { default: "Shared" }),
});
export type AzureDiskVolumeSource = Out<typeof AzureDiskVolumeSource>;

export const AzureFileVolumeSource = message("AzureFileVolumeSource", "A azure file volume source.", {
  secretName: required(1, string, "The secret name."),
  shareName: required(2, string, "The share name."),
  readOnly: optional(3, boolean, "The read only."),
});
export type AzureFileVolumeSource = Out<typeof AzureFileVolumeSource>;

export const CephFSVolumeSource = message("CephFSVolumeSource", "A ceph fs volume source.", {
  monitors: required(1, list(string), "The monitors."),
  path: optional(2, string, "The path."),
  user: optional(3, string, "The user."),
  secretFile: optional(4, string, "The secret file."),
  secretRef: pointer(5, LocalObjectReference, "The secret ref."),
  readOnly: optional(6, boolean, "The read only."),
});
export type CephFSVolumeSource = Out<typeof CephFSVolumeSource>;

export const CinderVolumeSource = message("CinderVolumeSource", "A cinder volume source.", {
  volumeID: required(1, string, "The volume id."),
  fsType: optional(2, string, "The fs type."),
  readOnly: optional(3, boolean, "The read only."),
  secretRef: pointer(4, LocalObjectReference, "The secret ref."),
});
export type CinderVolumeSource = Out<typeof CinderVolumeSource>;

export const FCVolumeSource = message("FCVolumeSource", "A fc volume source.", {
  targetWWNs: optional(1, list(string), "The target ww ns."),
  lun: pointer(2, int32, "The lun."),
  fsType: optional(3, string, "The fs type."),
  readOnly: optional(4, boolean, "The read only."),
  wwids: optional(5, list(string), "The wwids."),
});
export type FCVolumeSource = Out<typeof FCVolumeSource>;

export const FlexVolumeSource = message("FlexVolumeSource", "A flex volume source.", {
  driver: required(1, string, "The driver."),
  fsType: optional(2, string, "The fs type."),
  secretRef: pointer(3, LocalObjectReference, "The secret ref."),
  readOnly: optional(4, boolean, "The read only."),
  options: optional(5, map(string), "The options."),
});
export type FlexVolumeSource = Out<typeof FlexVolumeSource>;

export const FlockerVolumeSource = message("FlockerVolumeSource", "A flocker volume source.", {
  datasetName: optional(1, string, "The dataset name."),
  datasetUUID: optional(2, string, "The dataset uuid."),
});
export type FlockerVolumeSource = Out<typeof FlockerVolumeSource>;

export const GCEPersistentDiskVolumeSource = message(
  "GCEPersistentDiskVolumeSource",
  "A gce persistent disk volume source.",
  {
    pdName: required(1, string, "The pd name."),
    fsType: optional(2, string, "The fs type."),
    partition: optional(3, int32, "The partition."),
    readOnly: optional(4, boolean, "The read only."),
  },
);
export type GCEPersistentDiskVolumeSource = Out<typeof GCEPersistentDiskVolumeSource>;

export const GlusterfsVolumeSource = message("GlusterfsVolumeSource", "A glusterfs volume source.", {
  endpoints: required(1, string, "The endpoints."),
  path: required(2, string, "The path."),
  readOnly: optional(3, boolean, "The read only."),
});
export type GlusterfsVolumeSource = Out<typeof GlusterfsVolumeSource>;

export const ISCSIVolumeSource = message("ISCSIVolumeSource", "A iscsi volume source.", {
  targetPortal: required(1, string, "The target portal."),
  iqn: required(2, string, "The iqn."),
  lun: required(3, int32, "The lun."),
  iscsiInterface: optional(4, string, "The iscsi interface.", { default: "default" }),
  fsType: optional(5, string, "The fs type."),
  readOnly: optional(6, boolean, "The read only."),
  portals: optional(7, list(string), "The portals."),
  chapAuthDiscovery: optional(8, boolean, "The chap auth discovery."),
  chapAuthSession: optional(11, boolean, "The chap auth session."),
  secretRef: pointer(10, LocalObjectReference, "The secret ref."),
  initiatorName: pointer(12, string, "The initiator name."),
});
export type ISCSIVolumeSource = Out<typeof ISCSIVolumeSource>;

export const NFSVolumeSource = message("NFSVolumeSource", "A nfs volume source.", {
  server: required(1, string, "The server."),
  path: required(2, string, "The path."),
  readOnly: optional(3, boolean, "The read only."),
});
export type NFSVolumeSource = Out<typeof NFSVolumeSource>;

export const PhotonPersistentDiskVolumeSource = message(
  "PhotonPersistentDiskVolumeSource",
  "A photon persistent disk volume source.",
  {
    pdID: required(1, string, "The pd id."),
    fsType: optional(2, string, "The fs type."),
  },
);
export type PhotonPersistentDiskVolumeSource = Out<typeof PhotonPersistentDiskVolumeSource>;

export const PortworxVolumeSource = message("PortworxVolumeSource", "A portworx volume source.", {
  volumeID: required(1, string, "The volume id."),
  fsType: optional(2, string, "The fs type."),
  readOnly: optional(3, boolean, "The read only."),
});
export type PortworxVolumeSource = Out<typeof PortworxVolumeSource>;

export const QuobyteVolumeSource = message("QuobyteVolumeSource", "A quobyte volume source.", {
  registry: required(1, string, "The registry."),
  volume: required(2, string, "The volume."),
  readOnly: optional(3, boolean, "The read only."),
  user: optional(4, string, "The user."),
  group: optional(5, string, "The group."),
  tenant: optional(6, string, "The tenant."),
});
export type QuobyteVolumeSource = Out<typeof QuobyteVolumeSource>;

export const RBDVolumeSource = message("RBDVolumeSource", "A rbd volume source.", {
  monitors: required(1, list(string), "The monitors."),
  image: required(2, string, "The image."),
  fsType: optional(3, string, "The fs type."),
  pool: optional(4, string, "The pool.", { default: "rbd" }),
  user: optional(5, string, "The user.", { default: "admin" }),
  keyring: optional(6, string, "The keyring.", { default: "/etc/ceph/keyring" }),
  secretRef: pointer(7, LocalObjectReference, "The secret ref."),
  readOnly: optional(8, boolean, "The read only."),
});
export type RBDVolumeSource = Out<typeof RBDVolumeSource>;

export const ScaleIOVolumeSource = message("ScaleIOVolumeSource", "A scale io volume source.", {
  gateway: required(1, string, "The gateway."),
  system: required(2, string, "The system."),
  secretRef: pointer(3, LocalObjectReference, "The secret ref."),
  sslEnabled: optional(4, boolean, "The ssl enabled."),
  protectionDomain: optional(5, string, "The protection domain."),
  storagePool: optional(6, string, "The storage pool."),
  storageMode: optional(7, string, "The storage mode.", { default: "ThinProvisioned" }),
  volumeName: optional(8, string, "The volume name."),
  fsType: optional(9, string, "The fs type.", { default: "xfs" }),
  readOnly: optional(10, boolean, "The read only."),
});
export type ScaleIOVolumeSource = Out<typeof ScaleIOVolumeSource>;

export const StorageOSVolumeSource = message("StorageOSVolumeSource", "A storage os volume source.", {
  volumeName: optional(1, string, "The volume name."),
  volumeNamespace: optional(2, string, "The volume namespace."),
  fsType: optional(3, string, "The fs type."),
  readOnly: optional(4, boolean, "The read only."),
  secretRef: pointer(5, LocalObjectReference, "The secret ref."),
});
export type StorageOSVolumeSource = Out<typeof StorageOSVolumeSource>;

export const VsphereVirtualDiskVolumeSource = message(
  "VsphereVirtualDiskVolumeSource",
  "A vsphere virtual disk volume source.",
  {
    volumePath: required(1, string, "The volume path."),
    fsType: optional(2, string, "The fs type."),
    storagePolicyName: optional(3, string, "The storage policy name."),
    storagePolicyID: optional(4, string, "The storage policy id."),
  },
);
export type VsphereVirtualDiskVolumeSource = Out<typeof VsphereVirtualDiskVolumeSource>;
