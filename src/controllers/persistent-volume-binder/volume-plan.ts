import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import { hasAnnotation } from "../../api/core/persistent-volume/binding.ts";
import { hasOtherMode } from "../../api/core/persistent-volume/matching.ts";
import { isInTree, migratedTo, provisionedBy } from "../../api/core/persistent-volume/provisioners.ts";
import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";
import { unbind, withPhase } from "./bind.ts";
import { migratedVolume } from "./migration.ts";
import { type Outcome, told } from "./outcome.ts";

/** All that the decision about a volume depends on. */
export interface VolumeView {
  /** The claim of the volume's `claimRef`, with its UID; undefined when it does not exist. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** Reports whether another claim has taken the name of the volume's claim. */
  readonly isNameTaken: boolean;
  /** The Pods, as `namespace/name`, that use the claim of the volume and run. */
  readonly users: () => readonly string[];
}

/** Decides what becomes of a volume (upstream `syncVolume`). The claim's own decision binds the two. */
export function planVolume(observed: PersistentVolume, view: VolumeView): Outcome {
  const volume = migratedVolume(observed);
  const { claimRef } = volume.spec;
  if (claimRef === undefined || (claimRef.uid ?? "") === "")
    return { volume: withPhase(volume, "Available") };
  const { claim } = view;
  if (claim === undefined) return release(volume, view);
  const bound = claim.spec.volumeName ?? "";
  if (bound === volume.metadata.name) return { volume: withPhase(volume, "Bound") };
  if (bound === "") return hasOtherMode(volume, claim) ? mismatch(volume, claim) : { volume };
  const isSurplus =
    hasAnnotation(volume, provisionedBy) && volume.spec.persistentVolumeReclaimPolicy === "Delete";
  return isSurplus ? release(volume, view) : { volume: unbind(volume) };
}

function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): Outcome {
  const why = "due to incompatible volumeMode.";
  const toClaim = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" ${why}`;
  const toVolume = `Cannot bind PersistentVolume "${volume.metadata.name}" to requested PersistentVolumeClaim ${why}`;
  return {
    volume,
    events: [
      ...told("volume", "Warning", "VolumeMismatch", toClaim).events,
      ...told("claim", "Warning", "VolumeMismatch", toVolume).events,
    ],
  };
}

/** Releases the volume, and reclaims it by its policy. A failure stays visible. */
function release(volume: PersistentVolume, view: VolumeView): Outcome {
  const released = volume.status.phase === "Failed" ? volume : withPhase(volume, "Released");
  if (hasAnnotation(volume, migratedTo)) return { volume: released };
  switch (volume.spec.persistentVolumeReclaimPolicy) {
    case "Recycle":
      return recycle(released, view);
    case "Delete":
      return remove(released);
    default:
      return { volume: released };
  }
}

/** Refuses to recycle, because no plugin of this cluster can. */
function recycle(volume: PersistentVolume, { users, isNameTaken }: VolumeView): Outcome {
  const names = isNameTaken ? [] : users();
  if (names.length > 0) {
    const message = `Volume is used by pods: ${names.toSorted().join(",")}`;
    return { volume, ...told("volume", "Normal", "VolumeFailedRecycle", message) };
  }
  return failed(volume, "VolumeFailedRecycle", "No recycler plugin found for the volume!");
}

/** Leaves the deletion to the external provisioner, and refuses it where there is none. */
function remove(volume: PersistentVolume): Outcome {
  const why = undeletable(volume);
  return why === undefined ? { volume } : failed(volume, "VolumeFailedDelete", why);
}

/** The sources that upstream has a plugin for, which deletes nothing here. */
const kept = ["fc", "hostPath", "iscsi", "nfs"] as const;

function undeletable({ metadata, spec }: PersistentVolume): string | undefined {
  const provisioner = metadata.annotations?.[provisionedBy] ?? "";
  if (provisioner !== "")
    return isInTree(provisioner) ? `no volume plugin matched name: ${provisioner}` : undefined;
  if (spec.csi !== undefined) return undefined;
  const hasPlugin = kept.some((source) => spec[source] !== undefined);
  const why = hasPlugin ? "no deletable volume plugin matched" : "no volume plugin matched";
  return `error getting deleter volume plugin for volume "${metadata.name}": ${why}`;
}

function failed(volume: PersistentVolume, reason: string, message: string): Outcome {
  if (volume.status.phase === "Failed") return { volume };
  return { volume: withPhase(volume, "Failed", message), ...told("volume", "Warning", reason, message) };
}
