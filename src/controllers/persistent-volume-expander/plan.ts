import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import { requestOf } from "../../api/core/persistent-volume/matching.ts";
import { driverInsteadOf } from "../../api/core/persistent-volume/provisioners.ts";
import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";
import { compareQuantities, parseQuantity } from "../../meta/quantity.ts";

/** The expansion that is left to an external resizer. */
export interface Expansion {
  /** The text of the Event for the claim. */
  readonly message: string;
  /** The driver for the claim's annotation, in place of an in-tree plugin. */
  readonly resizer?: string;
}

/** The expansion that the claim waits for; undefined when it has the size that it asks for. */
export function planExpansion(claim: PersistentVolumeClaim, volume: PersistentVolume): Expansion | undefined {
  const capacity = parseQuantity(claim.status.capacity?.["storage"] ?? "0");
  if (compareQuantities(requestOf(claim), capacity) <= 0) return undefined;
  const plugin = inTreePlugin(volume);
  const resizer = plugin === undefined ? undefined : driverInsteadOf(plugin);
  if (resizer === undefined) return { message: "waiting for an external controller to expand this PVC" };
  const message = `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`;
  return { message, resizer };
}

const plugins = [
  ["awsElasticBlockStore", "kubernetes.io/aws-ebs"],
  ["azureDisk", "kubernetes.io/azure-disk"],
  ["azureFile", "kubernetes.io/azure-file"],
  ["cinder", "kubernetes.io/cinder"],
  ["gcePersistentDisk", "kubernetes.io/gce-pd"],
  ["portworxVolume", "kubernetes.io/portworx-volume"],
  ["vsphereVolume", "kubernetes.io/vsphere-volume"],
] as const;

/** The in-tree plugin of a volume, of those that CSI drivers have replaced. */
function inTreePlugin({ spec }: PersistentVolume): string | undefined {
  return plugins.find(([source]) => spec[source] !== undefined)?.[1];
}
