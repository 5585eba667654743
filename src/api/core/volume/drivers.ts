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
import { LocalObjectReference } from "../v1/reference.ts";

const message = messages("io.k8s.api.core.v1");

export const AWSElasticBlockStoreVolumeSource = message("AWSElasticBlockStoreVolumeSource", "An AWS disk.", {
  volumeID: required(1, string, "The disk."),
  fsType: optional(2, string, "The file system type; support depends on the host."),
  partition: optional(3, int32, "The partition to mount; 0 for the whole disk."),
  readOnly: optional(4, boolean, "Whether the volume is mounted read-only."),
});
export type AWSElasticBlockStoreVolumeSource = Out<typeof AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = message("AzureDiskVolumeSource", "An Azure data disk.", {
  diskName: required(1, string, "The disk."),
  diskURI: required(2, string, "The disk's URI."),
  cachingMode: pointer(3, oneOf("None", "ReadOnly", "ReadWrite"), "The caching mode on the host.", {
    default: "ReadWrite",
  }),
  fsType: pointer(4, string, "The file system type; support depends on the host.", {
    default: "ext4",
  }),
  readOnly: pointer(5, boolean, "Whether the volume is mounted read-only.", { default: false }),
  kind: pointer(6, oneOf("Dedicated", "Managed", "Shared"), "The kind of management of the disk.", {
    default: "Shared",
  }),
});
export type AzureDiskVolumeSource = Out<typeof AzureDiskVolumeSource>;

export const AzureFileVolumeSource = message("AzureFileVolumeSource", "An Azure file share.", {
  secretName: required(1, string, "The Secret with the account's name and key."),
  shareName: required(2, string, "The share."),
  readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
});
export type AzureFileVolumeSource = Out<typeof AzureFileVolumeSource>;

export const CephFSVolumeSource = message("CephFSVolumeSource", "A directory in CephFS.", {
  monitors: required(1, list(string), "The monitors' addresses."),
  path: optional(2, string, "The directory; the root when empty."),
  user: optional(3, string, "The user; admin when empty."),
  secretFile: optional(4, string, "The key ring's path on the node."),
  secretRef: pointer(5, LocalObjectReference, "The Secret with the key; overrides the file."),
  readOnly: optional(6, boolean, "Whether the volume is mounted read-only."),
});
export type CephFSVolumeSource = Out<typeof CephFSVolumeSource>;

export const CinderVolumeSource = message("CinderVolumeSource", "An OpenStack disk.", {
  volumeID: required(1, string, "The disk."),
  fsType: optional(2, string, "The file system type; support depends on the host."),
  readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
  secretRef: pointer(4, LocalObjectReference, "The Secret with the connection's parameters."),
});
export type CinderVolumeSource = Out<typeof CinderVolumeSource>;

export const FCVolumeSource = message("FCVolumeSource", "A Fibre Channel disk.", {
  targetWWNs: optional(1, list(string), "World-wide names of the targets."),
  lun: pointer(2, int32, "The unit number."),
  fsType: optional(3, string, "The file system type; support depends on the host."),
  readOnly: optional(4, boolean, "Whether the volume is mounted read-only."),
  wwids: optional(5, list(string), "World-wide identifiers; exclude targets and unit."),
});
export type FCVolumeSource = Out<typeof FCVolumeSource>;

export const FlexVolumeSource = message("FlexVolumeSource", "A volume of an exec-based plugin.", {
  driver: required(1, string, "The plugin."),
  fsType: optional(2, string, "The file system type; support depends on the host."),
  secretRef: pointer(3, LocalObjectReference, "The Secret for the plugin."),
  readOnly: optional(4, boolean, "Whether the volume is mounted read-only."),
  options: optional(5, map(string), "Further options for the plugin."),
});
export type FlexVolumeSource = Out<typeof FlexVolumeSource>;

export const FlockerVolumeSource = message("FlockerVolumeSource", "A Flocker dataset.", {
  datasetName: optional(1, string, "The dataset, by name."),
  datasetUUID: optional(2, string, "The dataset, by UUID."),
});
export type FlockerVolumeSource = Out<typeof FlockerVolumeSource>;

export const GCEPersistentDiskVolumeSource = message(
  "GCEPersistentDiskVolumeSource",
  "A Google Compute Engine disk.",
  {
    pdName: required(1, string, "The disk."),
    fsType: optional(2, string, "The file system type; support depends on the host."),
    partition: optional(3, int32, "The partition to mount; 0 for the whole disk."),
    readOnly: optional(4, boolean, "Whether the volume is mounted read-only."),
  },
);
export type GCEPersistentDiskVolumeSource = Out<typeof GCEPersistentDiskVolumeSource>;

export const GlusterfsVolumeSource = message("GlusterfsVolumeSource", "A Gluster volume.", {
  endpoints: required(1, string, "The Endpoints with the servers."),
  path: required(2, string, "The volume."),
  readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
});
export type GlusterfsVolumeSource = Out<typeof GlusterfsVolumeSource>;

export const ISCSIVolumeSource = message("ISCSIVolumeSource", "An iSCSI disk.", {
  targetPortal: required(1, string, "The target's address."),
  iqn: required(2, string, "The target's qualified name."),
  lun: required(3, int32, "The unit number."),
  iscsiInterface: optional(4, string, "The iSCSI interface.", { default: "default" }),
  fsType: optional(5, string, "The file system type; support depends on the host."),
  readOnly: optional(6, boolean, "Whether the volume is mounted read-only."),
  portals: optional(7, list(string), "Further addresses of the target."),
  chapAuthDiscovery: optional(8, boolean, "Whether discovery authenticates by CHAP."),
  chapAuthSession: optional(11, boolean, "Whether sessions authenticate by CHAP."),
  secretRef: pointer(10, LocalObjectReference, "The Secret for CHAP."),
  initiatorName: pointer(12, string, "The initiator's name; the node's own when absent."),
});
export type ISCSIVolumeSource = Out<typeof ISCSIVolumeSource>;

export const NFSVolumeSource = message("NFSVolumeSource", "An NFS export.", {
  server: required(1, string, "The server."),
  path: required(2, string, "The exported path."),
  readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
});
export type NFSVolumeSource = Out<typeof NFSVolumeSource>;

export const PhotonPersistentDiskVolumeSource = message(
  "PhotonPersistentDiskVolumeSource",
  "A Photon Controller disk.",
  {
    pdID: required(1, string, "The disk."),
    fsType: optional(2, string, "The file system type; support depends on the host."),
  },
);
export type PhotonPersistentDiskVolumeSource = Out<typeof PhotonPersistentDiskVolumeSource>;

export const PortworxVolumeSource = message("PortworxVolumeSource", "A Portworx volume.", {
  volumeID: required(1, string, "The volume."),
  fsType: optional(2, string, "The file system type; support depends on the host."),
  readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
});
export type PortworxVolumeSource = Out<typeof PortworxVolumeSource>;

export const QuobyteVolumeSource = message("QuobyteVolumeSource", "A Quobyte volume.", {
  registry: required(1, string, "The registries, as host:port, separated by commas."),
  volume: required(2, string, "The volume."),
  readOnly: optional(3, boolean, "Whether the volume is mounted read-only."),
  user: optional(4, string, "The user that access is mapped to."),
  group: optional(5, string, "The group that access is mapped to."),
  tenant: optional(6, string, "The tenant that owns the volume."),
});
export type QuobyteVolumeSource = Out<typeof QuobyteVolumeSource>;

export const RBDVolumeSource = message("RBDVolumeSource", "A Ceph block device.", {
  monitors: required(1, list(string), "The monitors' addresses."),
  image: required(2, string, "The image."),
  fsType: optional(3, string, "The file system type; support depends on the host."),
  pool: optional(4, string, "The pool.", { default: "rbd" }),
  user: optional(5, string, "The user.", { default: "admin" }),
  keyring: optional(6, string, "The key ring's path on the node.", { default: "/etc/ceph/keyring" }),
  secretRef: pointer(7, LocalObjectReference, "The Secret with the key; overrides the key ring."),
  readOnly: optional(8, boolean, "Whether the volume is mounted read-only."),
});
export type RBDVolumeSource = Out<typeof RBDVolumeSource>;

export const ScaleIOVolumeSource = message("ScaleIOVolumeSource", "A ScaleIO volume.", {
  gateway: required(1, string, "The gateway's address."),
  system: required(2, string, "The storage system."),
  secretRef: pointer(3, LocalObjectReference, "The Secret with the login."),
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
export type ScaleIOVolumeSource = Out<typeof ScaleIOVolumeSource>;

export const StorageOSVolumeSource = message("StorageOSVolumeSource", "A StorageOS volume.", {
  volumeName: optional(1, string, "The volume, unique in its namespace."),
  volumeNamespace: optional(2, string, "The namespace within StorageOS; the Pod's when empty."),
  fsType: optional(3, string, "The file system type; support depends on the host."),
  readOnly: optional(4, boolean, "Whether the volume is mounted read-only."),
  secretRef: pointer(5, LocalObjectReference, "The Secret with the login."),
});
export type StorageOSVolumeSource = Out<typeof StorageOSVolumeSource>;

export const VsphereVirtualDiskVolumeSource = message("VsphereVirtualDiskVolumeSource", "A vSphere disk.", {
  volumePath: required(1, string, "The disk's path."),
  fsType: optional(2, string, "The file system type; support depends on the host."),
  storagePolicyName: optional(3, string, "The storage policy, by name."),
  storagePolicyID: optional(4, string, "The storage policy, by ID."),
});
export type VsphereVirtualDiskVolumeSource = Out<typeof VsphereVirtualDiskVolumeSource>;
