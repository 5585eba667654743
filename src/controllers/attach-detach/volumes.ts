import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { isTerminal } from "../pods/pod-state.ts";

/** A volume of a CSI driver. */
export interface CsiVolume {
  /** The name of the PersistentVolume. */
  readonly volume: string;
  readonly driver: string;
  readonly handle: string;
  /** True for a volume that several nodes may have at a time. */
  readonly isShared: boolean;
}

/** The volume behind a PersistentVolume; undefined for one that no CSI driver serves. */
export function csiVolumeOf({ metadata, spec }: PersistentVolume): CsiVolume | undefined {
  if (spec.csi === undefined) return undefined;
  const { driver, volumeHandle: handle } = spec.csi;
  const modes = spec.accessModes ?? [];
  const isShared = modes.length === 0 || modes.includes("ReadWriteMany") || modes.includes("ReadOnlyMany");
  return { volume: metadata.name ?? "", driver, handle, isShared };
}

/** Reports whether the Pod needs its volumes: not once it has terminated, or is deleted and nothing of it runs. */
export function needsVolumes(pod: Pod): boolean {
  if (isTerminal(pod) || (pod.spec.nodeName ?? "") === "") return false;
  if (pod.metadata.deletionTimestamp === undefined) return true;
  return (pod.status.containerStatuses ?? []).some(
    ({ state }) => state?.terminated === undefined && state?.waiting === undefined,
  );
}
