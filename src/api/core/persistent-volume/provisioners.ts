/** The annotations of provisioning, and the drivers that replace upstream's in-tree plugins (`csi-translation-lib`). */

/** On a claim: the provisioner that is to make its volume. */
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner";
export const betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner";

/** On a volume: the provisioner that has made it. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** On a volume or a claim of an in-tree plugin: the CSI driver that acts instead. */
export const migratedTo = "pv.kubernetes.io/migrated-to";

const drivers: ReadonlyMap<string, string> = new Map([
  ["kubernetes.io/aws-ebs", "ebs.csi.aws.com"],
  ["kubernetes.io/azure-disk", "disk.csi.azure.com"],
  ["kubernetes.io/azure-file", "file.csi.azure.com"],
  ["kubernetes.io/cinder", "cinder.csi.openstack.org"],
  ["kubernetes.io/gce-pd", "pd.csi.storage.gke.io"],
  ["kubernetes.io/portworx-volume", "pxd.portworx.com"],
  ["kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com"],
]);

/** The CSI driver in place of an in-tree plugin; undefined for any other provisioner. */
export function driverInsteadOf(provisioner: string): string | undefined {
  return drivers.get(provisioner);
}

/** Reports whether the provisioner would be a part of Kubernetes. No such part is left. */
export function isInTree(provisioner: string): boolean {
  return provisioner.startsWith("kubernetes.io/");
}
