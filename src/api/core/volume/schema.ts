import {
  boolean,
  type In,
  inline,
  map,
  messages,
  type MessageType,
  oneOf,
  optional,
  type Out,
  pointer,
  quantity,
  required,
  string,
} from "../../../meta/schema.ts";
import { PersistentVolumeClaimTemplate } from "../persistent-volume-claim/schema.ts";
import { LocalObjectReference } from "../v1/reference.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GlusterfsVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./drivers.ts";
import {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
} from "./projection.ts";

const message = messages("io.k8s.api.core.v1");

export const HostPathVolumeSource = message("HostPathVolumeSource", "A file or directory of the host.", {
  path: required(1, string, "The path on the host."),
  type: pointer(
    2,
    oneOf(
      "",
      "BlockDevice",
      "CharDevice",
      "Directory",
      "DirectoryOrCreate",
      "File",
      "FileOrCreate",
      "Socket",
    ),
    "The required or created type of file; empty checks nothing.",
    { default: "" },
  ),
});
export type HostPathVolumeSource = Out<typeof HostPathVolumeSource>;

export const EmptyDirVolumeSource = message(
  "EmptyDirVolumeSource",
  "An empty directory with the lifetime of the Pod.",
  {
    medium: optional(1, string, "The storage medium: empty for the node's default, Memory, or HugePages."),
    sizeLimit: pointer(2, quantity, "The maximum size."),
  },
);
export type EmptyDirVolumeSource = Out<typeof EmptyDirVolumeSource>;

export const GitRepoVolumeSource = message(
  "GitRepoVolumeSource",
  "A git checkout; no longer supported by the kubelet.",
  {
    repository: required(1, string, "The URL."),
    revision: optional(2, string, "The commit."),
    directory: optional(3, string, "The directory to check out into."),
  },
);
export type GitRepoVolumeSource = Out<typeof GitRepoVolumeSource>;

export const PersistentVolumeClaimVolumeSource = message(
  "PersistentVolumeClaimVolumeSource",
  "The volume behind a claim.",
  {
    claimName: required(1, string, "The claim, in the Pod's namespace."),
    readOnly: optional(2, boolean, "Whether the volume is mounted read-only."),
  },
);
export type PersistentVolumeClaimVolumeSource = Out<typeof PersistentVolumeClaimVolumeSource>;

export const CSIVolumeSource = message(
  "CSIVolumeSource",
  "A volume of a CSI driver with the lifetime of the Pod.",
  {
    driver: required(1, string, "The driver."),
    readOnly: pointer(2, boolean, "Whether the volume is mounted read-only."),
    fsType: pointer(3, string, "The file system type; support depends on the host."),
    volumeAttributes: optional(4, map(string), "Attributes for the driver."),
    nodePublishSecretRef: pointer(5, LocalObjectReference, "The Secret for the driver."),
  },
);
export type CSIVolumeSource = Out<typeof CSIVolumeSource>;

export const EphemeralVolumeSource = message(
  "EphemeralVolumeSource",
  "A claim that is created with the Pod and deleted with it.",
  {
    volumeClaimTemplate: pointer(1, PersistentVolumeClaimTemplate, "The template of the claim."),
  },
);
export type EphemeralVolumeSource = Out<typeof EphemeralVolumeSource>;

export const ImageVolumeSource = message(
  "ImageVolumeSource",
  "The files of an OCI image or artifact, read-only.",
  {
    reference: optional(1, string, "The image's reference."),
    pullPolicy: optional(2, oneOf("Always", "IfNotPresent", "Never"), "The policy for pulling the image."),
  },
);
export type ImageVolumeSource = Out<typeof ImageVolumeSource>;

const volumeSource = message("VolumeSource", "The source of a volume; exactly one is set.", {
  hostPath: pointer(1, HostPathVolumeSource, "A path on the host."),
  emptyDir: pointer(2, EmptyDirVolumeSource, "An empty directory."),
  gcePersistentDisk: pointer(3, GCEPersistentDiskVolumeSource, "A Google disk."),
  awsElasticBlockStore: pointer(4, AWSElasticBlockStoreVolumeSource, "An AWS disk."),
  gitRepo: pointer(5, GitRepoVolumeSource, "A git checkout."),
  secret: pointer(6, SecretVolumeSource, "A Secret."),
  nfs: pointer(7, NFSVolumeSource, "An NFS export."),
  iscsi: pointer(8, ISCSIVolumeSource, "An iSCSI disk."),
  glusterfs: pointer(9, GlusterfsVolumeSource, "A Gluster volume."),
  persistentVolumeClaim: pointer(10, PersistentVolumeClaimVolumeSource, "A claim."),
  rbd: pointer(11, RBDVolumeSource, "A Ceph block device."),
  flexVolume: pointer(12, FlexVolumeSource, "A volume of an exec-based plugin."),
  cinder: pointer(13, CinderVolumeSource, "An OpenStack disk."),
  cephfs: pointer(14, CephFSVolumeSource, "A directory in CephFS."),
  flocker: pointer(15, FlockerVolumeSource, "A Flocker dataset."),
  downwardAPI: pointer(16, DownwardAPIVolumeSource, "Information about the Pod."),
  fc: pointer(17, FCVolumeSource, "A Fibre Channel disk."),
  azureFile: pointer(18, AzureFileVolumeSource, "An Azure file share."),
  configMap: pointer(19, ConfigMapVolumeSource, "A ConfigMap."),
  vsphereVolume: pointer(20, VsphereVirtualDiskVolumeSource, "A vSphere disk."),
  quobyte: pointer(21, QuobyteVolumeSource, "A Quobyte volume."),
  azureDisk: pointer(22, AzureDiskVolumeSource, "An Azure disk."),
  photonPersistentDisk: pointer(23, PhotonPersistentDiskVolumeSource, "A Photon disk."),
  projected: pointer(26, ProjectedVolumeSource, "Several sources in one."),
  portworxVolume: pointer(24, PortworxVolumeSource, "A Portworx volume."),
  scaleIO: pointer(25, ScaleIOVolumeSource, "A ScaleIO volume."),
  storageos: pointer(27, StorageOSVolumeSource, "A StorageOS volume."),
  csi: pointer(28, CSIVolumeSource, "A volume of a CSI driver."),
  ephemeral: pointer(29, EphemeralVolumeSource, "A claim made for the Pod."),
  image: pointer(30, ImageVolumeSource, "An image's files."),
});
export interface VolumeSource extends Out<typeof volumeSource> {}
export interface VolumeSourceInput extends In<typeof volumeSource> {}
export const VolumeSource: MessageType<VolumeSource, VolumeSourceInput> = volumeSource;

const volume = message("Volume", "A named directory or device that a Pod's containers can mount.", {
  name: required(1, string, "The name, unique in the Pod."),
  volumeSource: inline(2, VolumeSource, "The source; an empty directory when none is set."),
});
export interface Volume extends Out<typeof volume> {}
export interface VolumeInput extends In<typeof volume> {}
export const Volume: MessageType<Volume, VolumeInput> = volume;
