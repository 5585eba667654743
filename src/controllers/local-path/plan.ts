import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import { selectedNode } from "../../api/core/persistent-volume/binding.ts";
import { classOf } from "../../api/core/persistent-volume/class-of.ts";
import { provisionedBy, storageProvisioner } from "../../api/core/persistent-volume/provisioners.ts";
import type { PersistentVolume, persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import type { StorageClass } from "../../api/storage/storage-class/schema.ts";
import type { In } from "../../meta/schema.ts";

/** The provisioner's name in StorageClasses. */
export const localPathProvisioner = "knarr.dev/local-path";
/** Keeps a volume until its directory is removed (`sig-storage-lib-external-provisioner`). */
export const directoryFinalizer = "external-provisioner.volume.kubernetes.io/finalizer";

const hostnameLabel = "kubernetes.io/hostname";

export type ClaimPlan =
  /** The claim is another provisioner's, or has its volume. */
  | { readonly type: "none" }
  | {
      readonly type: "provision";
      readonly node: string;
      readonly volume: In<typeof persistentVolumes.schema>;
    }
  /** `isNodes`: another node may serve the claim, so that the scheduler chooses again. */
  | { readonly type: "refuse"; readonly why: string; readonly isNodes: boolean };

const none: ClaimPlan = { type: "none" };

/** Decides about a claim. `rootOf` returns the directory that holds a node's volumes. */
export function planClaim(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  rootOf: (node: string) => string | undefined,
): ClaimPlan {
  const { annotations = {}, deletionTimestamp } = claim.metadata;
  if (annotations[storageProvisioner] !== localPathProvisioner) return none;
  if ((claim.spec.volumeName ?? "") !== "" || deletionTimestamp !== undefined) return none;
  if (storageClass?.provisioner !== localPathProvisioner) return none;
  const complaint = complaintOf(claim);
  if (complaint !== undefined) return { type: "refuse", why: complaint, isNodes: false };
  const node = annotations[selectedNode];
  if (node === undefined) {
    const why = "no node was specified: only volumeBindingMode WaitForFirstConsumer is supported";
    return { type: "refuse", why, isNodes: false };
  }
  const root = rootOf(node);
  if (root === undefined)
    return { type: "refuse", why: `node ${node} has no directories for local volumes`, isNodes: true };
  return { type: "provision", node, volume: volumeFor(claim, storageClass, node, root) };
}

function complaintOf({ spec }: PersistentVolumeClaim): string | undefined {
  if (spec.selector !== undefined) return "claim.Spec.Selector is not supported";
  if (spec.volumeMode === "Block") return "only volumeMode Filesystem is supported";
  if (spec.dataSource !== undefined || spec.dataSourceRef !== undefined)
    return "a data source is not supported";
  const isShared = (spec.accessModes ?? []).some(
    (mode) => mode !== "ReadWriteOnce" && mode !== "ReadWriteOncePod",
  );
  return isShared ? "only the access modes ReadWriteOnce and ReadWriteOncePod are supported" : undefined;
}

function volumeFor(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: string,
  root: string,
): In<typeof persistentVolumes.schema> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const volume = volumeName(claim);
  const { mountOptions, reclaimPolicy = "Delete" } = storageClass;
  return {
    metadata: {
      name: volume,
      annotations: { [provisionedBy]: localPathProvisioner },
      finalizers: [directoryFinalizer],
    },
    spec: {
      capacity: { storage: claim.spec.resources?.requests?.["storage"] ?? "0" },
      ...(claim.spec.accessModes !== undefined && { accessModes: claim.spec.accessModes }),
      claimRef: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        ...(name !== undefined && { name }),
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: classOf(claim),
      volumeMode: "Filesystem",
      ...(mountOptions !== undefined && { mountOptions }),
      local: { path: `${root}/${volume}` },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: hostnameLabel, operator: "In", values: [node] }] }],
        },
      },
    },
  };
}

export function volumeName({ metadata: { uid } }: PersistentVolumeClaim): string {
  return `pvc-${uid}`;
}

export type VolumePlan =
  | { readonly type: "none" }
  /** The volume stays when its directory does. */
  | { readonly type: "keep"; readonly volume: PersistentVolume }
  | { readonly type: "reclaim"; readonly node: string; readonly volume: PersistentVolume }
  | { readonly type: "refuse"; readonly why: string };

/**
 * Decides about a volume. `reclaim` and `keep` have the volume without its finalizer. A volume whose path is not the one
 * that the provisioner gives is refused, because anyone who may create volumes chooses their paths.
 */
export function planVolume(
  volume: PersistentVolume,
  rootOf: (node: string) => string | undefined,
): VolumePlan {
  const { metadata, spec, status } = volume;
  if (metadata.annotations?.[provisionedBy] !== localPathProvisioner) return { type: "none" };
  const { finalizers = [] } = metadata;
  const freed = {
    ...volume,
    metadata: { ...metadata, finalizers: finalizers.filter((one) => one !== directoryFinalizer) },
  };
  if (spec.persistentVolumeReclaimPolicy !== "Delete")
    return finalizers.includes(directoryFinalizer) ? { type: "keep", volume: freed } : { type: "none" };
  if (status.phase !== "Released") return { type: "none" };
  const node = nodeOf(volume);
  const root = node === undefined ? undefined : rootOf(node);
  if (node === undefined || root === undefined)
    return { type: "refuse", why: `node ${node ?? ""} has no directories for local volumes` };
  if (spec.local?.path !== `${root}/${metadata.name}`)
    return { type: "refuse", why: "its path is not one of this provisioner's" };
  return { type: "reclaim", node, volume: freed };
}

/** Returns the node of a volume that this provisioner has made. */
function nodeOf({ spec: { nodeAffinity } }: PersistentVolume): string | undefined {
  const [term] = nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const expression = term?.matchExpressions?.find(({ key }) => key === hostnameLabel);
  return expression?.values?.length === 1 ? expression.values[0] : undefined;
}
