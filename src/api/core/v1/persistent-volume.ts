import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  inline,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  quantity,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import {
  AzureFilePersistentVolumeSource,
  CSIPersistentVolumeSource,
  CephFSPersistentVolumeSource,
  CinderPersistentVolumeSource,
  FlexPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  RBDPersistentVolumeSource,
  ScaleIOPersistentVolumeSource,
  StorageOSPersistentVolumeSource,
} from "./persistent-volume-drivers.ts";
import { ObjectReference } from "./reference.ts";
import { NodeSelector } from "./scheduling.ts";
import {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  NFSVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "./volume-drivers.ts";
import { HostPathVolumeSource } from "./volume.ts";

const message = messages("io.k8s.api.core.v1");

export const PersistentVolumeSource = message("PersistentVolumeSource", "A persistent volume source.", {
  gcePersistentDisk: pointer(1, GCEPersistentDiskVolumeSource, "The gce persistent disk."),
  awsElasticBlockStore: pointer(2, AWSElasticBlockStoreVolumeSource, "The aws elastic block store."),
  hostPath: pointer(3, HostPathVolumeSource, "The host path."),
  glusterfs: pointer(4, GlusterfsPersistentVolumeSource, "The glusterfs."),
  nfs: pointer(5, NFSVolumeSource, "The nfs."),
  rbd: pointer(6, RBDPersistentVolumeSource, "The rbd."),
  iscsi: pointer(7, ISCSIPersistentVolumeSource, "The iscsi."),
  cinder: pointer(8, CinderPersistentVolumeSource, "The cinder."),
  cephfs: pointer(9, CephFSPersistentVolumeSource, "The cephfs."),
  fc: pointer(10, FCVolumeSource, "The fc."),
  flocker: pointer(11, FlockerVolumeSource, "The flocker."),
  flexVolume: pointer(12, FlexPersistentVolumeSource, "The flex volume."),
  azureFile: pointer(13, AzureFilePersistentVolumeSource, "The azure file."),
  vsphereVolume: pointer(14, VsphereVirtualDiskVolumeSource, "The vsphere volume."),
  quobyte: pointer(15, QuobyteVolumeSource, "The quobyte."),
  azureDisk: pointer(16, AzureDiskVolumeSource, "The azure disk."),
  photonPersistentDisk: pointer(17, PhotonPersistentDiskVolumeSource, "The photon persistent disk."),
  portworxVolume: pointer(18, PortworxVolumeSource, "The portworx volume."),
  scaleIO: pointer(19, ScaleIOPersistentVolumeSource, "The scale io."),
  local: pointer(20, LocalVolumeSource, "The local."),
  storageos: pointer(21, StorageOSPersistentVolumeSource, "The storageos."),
  csi: pointer(22, CSIPersistentVolumeSource, "The csi."),
});
export type PersistentVolumeSource = Out<typeof PersistentVolumeSource>;

export const VolumeNodeAffinity = message("VolumeNodeAffinity", "A volume node affinity.", {
  required: pointer(1, NodeSelector, "The required."),
});
export type VolumeNodeAffinity = Out<typeof VolumeNodeAffinity>;

export const PersistentVolumeSpec = message("PersistentVolumeSpec", "A persistent volume spec.", {
  capacity: optional(1, map(quantity), "The capacity."),
  persistentVolumeSource: inline(2, PersistentVolumeSource, "The persistent volume source."),
  accessModes: optional(
    3,
    list(oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
    "The access modes.",
  ),
  claimRef: pointer(4, { ...ObjectReference, atomic: false }, "The claim ref."),
  persistentVolumeReclaimPolicy: optional(
    5,
    oneOf("Delete", "Recycle", "Retain"),
    "The persistent volume reclaim policy.",
    { default: "Retain" },
  ),
  storageClassName: optional(6, string, "The storage class name."),
  mountOptions: optional(7, list(string), "The mount options."),
  volumeMode: pointer(8, oneOf("Block", "Filesystem"), "The volume mode.", { default: "Filesystem" }),
  nodeAffinity: pointer(9, VolumeNodeAffinity, "The node affinity."),
  volumeAttributesClassName: pointer(10, string, "The volume attributes class name."),
});
export type PersistentVolumeSpec = Out<typeof PersistentVolumeSpec>;

export const PersistentVolumeStatus = message("PersistentVolumeStatus", "A persistent volume status.", {
  phase: optional(1, oneOf("Available", "Bound", "Failed", "Pending", "Released"), "The phase.", {
    default: "Pending",
  }),
  message: optional(2, string, "The message."),
  reason: optional(3, string, "The reason."),
  lastPhaseTransitionTime: pointer(4, time, "The last phase transition time."),
});
export type PersistentVolumeStatus = Out<typeof PersistentVolumeStatus>;

export const PersistentVolume = message("PersistentVolume", "A persistent volume.", {
  metadata: optional(1, ObjectMeta, "The metadata."),
  spec: optional(2, PersistentVolumeSpec, "The spec."),
  status: optional(3, PersistentVolumeStatus, "The status."),
});

export const persistentVolumes = defineKind(PersistentVolume, {
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  namespaced: false,
  shortNames: ["pv"],
  status: true,
});
export type PersistentVolume = ObjectOf<typeof persistentVolumes>;
