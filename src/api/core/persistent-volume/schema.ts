import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  amount,
  inline,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
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
} from "./drivers.ts";
import { ObjectReference } from "../v1/reference.ts";
import { NodeSelector } from "../v1/scheduling.ts";
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
} from "../volume/drivers.ts";
import { HostPathVolumeSource } from "../volume/schema.ts";

const message = messages("io.k8s.api.core.v1");

export const PersistentVolumeSource = message(
  "PersistentVolumeSource",
  "The storage behind a volume; exactly one source is set.",
  {
    gcePersistentDisk: pointer(1, GCEPersistentDiskVolumeSource, "A Google disk."),
    awsElasticBlockStore: pointer(2, AWSElasticBlockStoreVolumeSource, "An AWS disk."),
    hostPath: pointer(3, HostPathVolumeSource, "A path on the host, for single-node tests."),
    glusterfs: pointer(4, GlusterfsPersistentVolumeSource, "A Gluster volume."),
    nfs: pointer(5, NFSVolumeSource, "An NFS export."),
    rbd: pointer(6, RBDPersistentVolumeSource, "A Ceph block device."),
    iscsi: pointer(7, ISCSIPersistentVolumeSource, "An iSCSI disk."),
    cinder: pointer(8, CinderPersistentVolumeSource, "An OpenStack disk."),
    cephfs: pointer(9, CephFSPersistentVolumeSource, "A directory in CephFS."),
    fc: pointer(10, FCVolumeSource, "A Fibre Channel disk."),
    flocker: pointer(11, FlockerVolumeSource, "A Flocker dataset."),
    flexVolume: pointer(12, FlexPersistentVolumeSource, "A volume of an exec-based plugin."),
    azureFile: pointer(13, AzureFilePersistentVolumeSource, "An Azure file share."),
    vsphereVolume: pointer(14, VsphereVirtualDiskVolumeSource, "A vSphere disk."),
    quobyte: pointer(15, QuobyteVolumeSource, "A Quobyte volume."),
    azureDisk: pointer(16, AzureDiskVolumeSource, "An Azure disk."),
    photonPersistentDisk: pointer(17, PhotonPersistentDiskVolumeSource, "A Photon disk."),
    portworxVolume: pointer(18, PortworxVolumeSource, "A Portworx volume."),
    scaleIO: pointer(19, ScaleIOPersistentVolumeSource, "A ScaleIO volume."),
    local: pointer(20, LocalVolumeSource, "A directory or device of one node."),
    storageos: pointer(21, StorageOSPersistentVolumeSource, "A StorageOS volume."),
    csi: pointer(22, CSIPersistentVolumeSource, "A volume of a CSI driver."),
  },
);
export type PersistentVolumeSource = Out<typeof PersistentVolumeSource>;

export const VolumeNodeAffinity = message("VolumeNodeAffinity", "The nodes that can access a volume.", {
  required: pointer(1, NodeSelector, "Conditions that a node must fulfil."),
});
export type VolumeNodeAffinity = Out<typeof VolumeNodeAffinity>;

export const PersistentVolumeSpec = message("PersistentVolumeSpec", "The properties of a volume.", {
  capacity: optional(1, map(amount), "The volume's resources."),
  persistentVolumeSource: inline(2, PersistentVolumeSource, "The storage behind the volume."),
  accessModes: optional(
    3,
    list(oneOf("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
    "The supported access modes.",
  ),
  claimRef: pointer(4, { ...ObjectReference, atomic: false }, "The claim that the volume is bound to."),
  persistentVolumeReclaimPolicy: optional(
    5,
    oneOf("Delete", "Recycle", "Retain"),
    "The policy for the volume when its claim is deleted.",
  ),
  storageClassName: optional(6, string, "The volume's StorageClass; empty for none."),
  mountOptions: optional(7, list(string), "Mount options; not validated."),
  volumeMode: pointer(8, oneOf("Block", "Filesystem"), "The volume mode: Filesystem or Block."),
  nodeAffinity: pointer(9, VolumeNodeAffinity, "The nodes that can access the volume."),
  volumeAttributesClassName: pointer(10, string, "The volume's VolumeAttributesClass."),
});
export type PersistentVolumeSpec = Out<typeof PersistentVolumeSpec>;

export const PersistentVolumeStatus = message("PersistentVolumeStatus", "The observed state of a volume.", {
  phase: optional(
    1,
    oneOf("Available", "Bound", "Failed", "Pending", "Released"),
    "The volume's phase: Available, Bound, Released, Failed or Pending.",
    { default: "Pending" },
  ),
  message: optional(2, string, "A human-readable explanation of the phase."),
  reason: optional(3, string, "The machine-readable reason of a failure, as one CamelCase word."),
  lastPhaseTransitionTime: pointer(4, time, "The time when the phase last changed."),
});
export type PersistentVolumeStatus = Out<typeof PersistentVolumeStatus>;

export const PersistentVolume = message("PersistentVolume", "A storage volume in the cluster.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, PersistentVolumeSpec, "The desired state."),
  status: optional(3, PersistentVolumeStatus, "The observed state."),
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
