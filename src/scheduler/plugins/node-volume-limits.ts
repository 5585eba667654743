import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { classOf } from "../../api/core/persistent-volume/class-of.ts";
import { driverInsteadOf } from "../../api/core/persistent-volume/provisioners.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { notMadeFor } from "../../api/core/pod/claims.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { type CSINode, csiNodes } from "../../api/storage/csi-node/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { type VolumeAttachment, volumeAttachments } from "../../api/storage/volume-attachment/schema.ts";
import { defineIndex } from "../../client/indexer.ts";
import { claimsOf, isOwnClaim, notFound } from "../claims.ts";
import { changeOf } from "../cluster-event.ts";
import { type Handle, type Plugin, rejected, type Rejection, unschedulable } from "../framework.ts";
import { ListNumbers } from "../list-numbers.ts";
import type { NodeInfo } from "../node-info.ts";

const exceeded = unschedulable("node(s) exceed max volume count");

/** The driver of each volume, by the volume's name, which is unique in the cluster. */
type Volumes = ReadonlyMap<string, string>;

const attachmentsOn = defineIndex<VolumeAttachment>("node", ({ spec }) => [spec.nodeName]);

/** Rejects nodes that would have more volumes of a CSI driver than their CSINode allows (KEP-554). */
export function nodeVolumeLimits(handle: Handle): Plugin {
  const { cache } = handle;
  const numbers = new ListNumbers();
  return {
    name: "NodeVolumeLimits",
    reads: [csiNodes, volumeAttachments, persistentVolumes, persistentVolumeClaims, storageClasses],
    keyOf(pod) {
      const wanted = limitedVolumes(pod, handle);
      if ("type" in wanted) return wanted.reason;
      if (wanted.size === 0) return undefined;
      // The volumes of the other Pods count too, and their drivers depend on these objects.
      const kinds = [csiNodes, volumeAttachments, persistentVolumes, persistentVolumeClaims, storageClasses];
      return JSON.stringify([
        ...wanted.keys(),
        ...kinds.map((kind) => numbers.of(kind.plural, cache.list(kind))),
      ]);
    },
    preFilter(pod) {
      const wanted = limitedVolumes(pod, handle);
      if ("type" in wanted) return wanted;
      if (wanted.size === 0) return undefined;
      return {
        type: "filtering",
        filter: (node) => (hasRoom(wanted, node, handle) ? undefined : exceeded),
      };
    },
    helps(pod, event) {
      if (isOwnClaim(pod, event, "added")) return true;
      if (event.type === "podRemoved")
        return (event.pod.spec.volumes ?? []).some(
          ({ persistentVolumeClaim, ephemeral }) => (persistentVolumeClaim ?? ephemeral) !== undefined,
        );
      const csiNode = changeOf(csiNodes, event);
      if (csiNode !== undefined) return csiNode.object !== undefined && isRaised(csiNode.old, csiNode.object);
      const attachment = changeOf(volumeAttachments, event);
      return (
        attachment !== undefined &&
        attachment.object === undefined &&
        (pod.spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
      );
    },
  };
}

/** Reports whether a CSINode is new, or allows more volumes of some driver. */
function isRaised(old: CSINode | undefined, now: CSINode): boolean {
  if (old === undefined) return true;
  const before = new Map(old.spec.drivers.map((one) => [one.name, one.allocatable?.count ?? 0]));
  return now.spec.drivers.some(
    ({ name, allocatable }) => (allocatable?.count ?? 0) > (before.get(name) ?? 0),
  );
}

/** The Pod's volumes of the drivers that some node limits. */
function limitedVolumes(pod: Pod, handle: Handle): Volumes | Rejection {
  const { cache } = handle;
  const used = claimsOf(pod, cache);
  if (used.length === 0) return new Map();
  const missing = used.find(({ claim }) => claim === undefined);
  if (missing !== undefined) {
    const key = `${pod.metadata.namespace}/${missing.name}`;
    const reason = `looking up PVC ${key}: ${notFound(persistentVolumeClaims, missing.name)}`;
    return rejected(reason);
  }
  const limited = new Set(cache.list(csiNodes).flatMap((one) => [...limitsOf(one).keys()]));
  return new Map([...volumesOf(pod, handle)].filter(([, driver]) => limited.has(driver)));
}

function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  const drivers = csiNode?.spec.drivers ?? [];
  return new Map(
    drivers.flatMap(({ name, allocatable }) =>
      allocatable?.count === undefined ? [] : [[name, allocatable.count] as const],
    ),
  );
}

/** The volumes of a Pod's claims. A volume that does not exist yet counts as one of its class's provisioner. */
function volumesOf(pod: Pod, handle: Handle): Volumes {
  return new Map(
    claimsOf(pod, handle.cache).flatMap(({ claim, isEphemeral }) => {
      if (claim === undefined || (isEphemeral && notMadeFor(pod, claim) !== undefined)) return [];
      return volumeOf(claim, handle);
    }),
  );
}

function volumeOf(claim: PersistentVolumeClaim, { cache }: Handle): readonly (readonly [string, string])[] {
  const { volumeName = "" } = claim.spec;
  const volume = volumeName === "" ? undefined : cache.get(persistentVolumes, undefined, volumeName);
  if (volume !== undefined) {
    const { csi } = volume.spec;
    return csi === undefined ? [] : [[uniqueName(csi.driver, csi.volumeHandle), csi.driver]];
  }
  const className = classOf(claim);
  const found = className === "" ? undefined : cache.get(storageClasses, undefined, className);
  if (found === undefined) return [];
  const driver = driverInsteadOf(found.provisioner) ?? found.provisioner;
  // No handle of a driver is a list.
  const handle = JSON.stringify([claim.metadata.namespace, claim.metadata.name]);
  return [[uniqueName(driver, handle), driver]];
}

function uniqueName(driver: string, handle: string): string {
  return `${driver}/${handle}`;
}

function hasRoom(wanted: Volumes, node: NodeInfo, handle: Handle): boolean {
  const limits = limitsOf(handle.cache.get(csiNodes, undefined, node.name));
  if (limits.size === 0) return true;
  const used = new Map<string, string>();
  for (const pod of node.pods.values())
    for (const [name, driver] of volumesOf(pod, handle)) used.set(name, driver);
  const added = [...wanted].filter(([name]) => !used.has(name)).map(([, driver]) => driver);
  const counts = new Map<string, number>();
  const present = new Map([...used, ...attachedTo(node, handle)]);
  for (const driver of [...present.values(), ...added]) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return added.every((driver) => (counts.get(driver) ?? 0) <= (limits.get(driver) ?? Infinity));
}

/** The volumes that are attached to a node, even if no Pod uses them any more. */
function attachedTo({ name }: NodeInfo, { cache }: Handle): Volumes {
  return new Map(
    cache
      .list(volumeAttachments, { index: attachmentsOn(name) })
      .flatMap(({ spec: { attacher, source } }) => {
        const { persistentVolumeName } = source;
        if (attacher === "" || persistentVolumeName === undefined) return [];
        const csi = cache.get(persistentVolumes, undefined, persistentVolumeName)?.spec.csi;
        return csi === undefined ? [] : [[uniqueName(attacher, csi.volumeHandle), attacher] as const];
      }),
  );
}
