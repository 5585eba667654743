import {
  type Out,
  boolean,
  inline,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  quantity,
  required,
  string,
} from "../../../meta/schema.ts";
import { PersistentVolumeClaimTemplate } from "./persistent-volume-claim.ts";
import { LocalObjectReference } from "./reference.ts";
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
} from "./volume-drivers.ts";
import {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
} from "./volume-projection.ts";

const message = messages("io.k8s.api.core.v1");

export const HostPathVolumeSource = message("HostPathVolumeSource", "A host path volume source.", {
  path: required(1, string, "The path."),
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
    "The type.",
    { default: "" },
  ),
});
export type HostPathVolumeSource = Out<typeof HostPathVolumeSource>;

export const EmptyDirVolumeSource = message("EmptyDirVolumeSource", "A empty dir volume source.", {
  medium: optional(1, string, "The medium."),
  sizeLimit: pointer(2, quantity, "The size limit."),
});
export type EmptyDirVolumeSource = Out<typeof EmptyDirVolumeSource>;

export const GitRepoVolumeSource = message("GitRepoVolumeSource", "A git repo volume source.", {
  repository: required(1, string, "The repository."),
  revision: optional(2, string, "The revision."),
  directory: optional(3, string, "The directory."),
});
export type GitRepoVolumeSource = Out<typeof GitRepoVolumeSource>;

export const PersistentVolumeClaimVolumeSource = message(
  "PersistentVolumeClaimVolumeSource",
  "A persistent volume claim volume source.",
  {
    claimName: required(1, string, "The claim name."),
    readOnly: optional(2, boolean, "The read only."),
  },
);
export type PersistentVolumeClaimVolumeSource = Out<typeof PersistentVolumeClaimVolumeSource>;

export const CSIVolumeSource = message("CSIVolumeSource", "A csi volume source.", {
  driver: required(1, string, "The driver."),
  readOnly: pointer(2, boolean, "The read only."),
  fsType: pointer(3, string, "The fs type."),
  volumeAttributes: optional(4, map(string), "The volume attributes."),
  nodePublishSecretRef: pointer(5, LocalObjectReference, "The node publish secret ref."),
});
export type CSIVolumeSource = Out<typeof CSIVolumeSource>;

export const EphemeralVolumeSource = message("EphemeralVolumeSource", "A ephemeral volume source.", {
  volumeClaimTemplate: pointer(1, PersistentVolumeClaimTemplate, "The volume claim template."),
});
export type EphemeralVolumeSource = Out<typeof EphemeralVolumeSource>;

export const ImageVolumeSource = message("ImageVolumeSource", "A image volume source.", {
  reference: optional(1, string, "The reference."),
  pullPolicy: optional(2, oneOf("Always", "IfNotPresent", "Never"), "The pull policy."),
});
export type ImageVolumeSource = Out<typeof ImageVolumeSource>;

export const VolumeSource = message("VolumeSource", "A volume source.", {
  hostPath: pointer(1, HostPathVolumeSource, "The host path."),
  emptyDir: pointer(2, EmptyDirVolumeSource, "The empty dir."),
  gcePersistentDisk: pointer(3, GCEPersistentDiskVolumeSource, "The gce persistent disk."),
  awsElasticBlockStore: pointer(4, AWSElasticBlockStoreVolumeSource, "The aws elastic block store."),
  gitRepo: pointer(5, GitRepoVolumeSource, "The git repo."),
  secret: pointer(6, SecretVolumeSource, "The secret."),
  nfs: pointer(7, NFSVolumeSource, "The nfs."),
  iscsi: pointer(8, ISCSIVolumeSource, "The iscsi."),
  glusterfs: pointer(9, GlusterfsVolumeSource, "The glusterfs."),
  persistentVolumeClaim: pointer(10, PersistentVolumeClaimVolumeSource, "The persistent volume claim."),
  rbd: pointer(11, RBDVolumeSource, "The rbd."),
  flexVolume: pointer(12, FlexVolumeSource, "The flex volume."),
  cinder: pointer(13, CinderVolumeSource, "The cinder."),
  cephfs: pointer(14, CephFSVolumeSource, "The cephfs."),
  flocker: pointer(15, FlockerVolumeSource, "The flocker."),
  downwardAPI: pointer(16, DownwardAPIVolumeSource, "The downward api."),
  fc: pointer(17, FCVolumeSource, "The fc."),
  azureFile: pointer(18, AzureFileVolumeSource, "The azure file."),
  configMap: pointer(19, ConfigMapVolumeSource, "The config map."),
  vsphereVolume: pointer(20, VsphereVirtualDiskVolumeSource, "The vsphere volume."),
  quobyte: pointer(21, QuobyteVolumeSource, "The quobyte."),
  azureDisk: pointer(22, AzureDiskVolumeSource, "The azure disk."),
  photonPersistentDisk: pointer(23, PhotonPersistentDiskVolumeSource, "The photon persistent disk."),
  projected: pointer(26, ProjectedVolumeSource, "The projected."),
  portworxVolume: pointer(24, PortworxVolumeSource, "The portworx volume."),
  scaleIO: pointer(25, ScaleIOVolumeSource, "The scale io."),
  storageos: pointer(27, StorageOSVolumeSource, "The storageos."),
  csi: pointer(28, CSIVolumeSource, "The csi."),
  ephemeral: pointer(29, EphemeralVolumeSource, "The ephemeral."),
  image: pointer(30, ImageVolumeSource, "The image."),
});
export type VolumeSource = Out<typeof VolumeSource>;

export const Volume = message("Volume", "A volume.", {
  name: required(1, string, "The name."),
  volumeSource: inline(2, VolumeSource, "The volume source."),
});
export type Volume = Out<typeof Volume>;
