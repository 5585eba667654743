import type { Draft } from "../../../meta/schema.ts";
import type { Strategy, StrategyContext } from "../../../meta/strategy.ts";
import { formatTime } from "../../../util/clock.ts";
import { persistentVolumeColumns } from "./printer.ts";
import type { PersistentVolume } from "./schema.ts";
import { validatePersistentVolume, validatePersistentVolumeUpdate } from "./validation.ts";
import { volumeWarnings } from "./warnings.ts";

export const persistentVolumeStrategy: Strategy<PersistentVolume> = {
  // Not in the schema, because inline volumes of Pods have no such defaults.
  setDefaults({ spec }) {
    spec.persistentVolumeReclaimPolicy ??= "Retain";
    spec.volumeMode ??= "Filesystem";
  },
  prepareForCreate(draft, { now }) {
    draft.status = { phase: "Pending", lastPhaseTransitionTime: formatTime(now) };
  },
  prepareForUpdate: stampPhase,
  validate: validatePersistentVolume,
  validateUpdate: validatePersistentVolumeUpdate,
  warnings: volumeWarnings,
  returnDeletedObject: true,
  columns: persistentVolumeColumns,
};

/** Sets `lastPhaseTransitionTime` when the phase changes, unless the writer has set it. */
function stampPhase(
  { status }: Draft<PersistentVolume>,
  { status: old }: PersistentVolume,
  { subresource, now }: StrategyContext,
): void {
  if (subresource !== "status") return;
  const before = old.lastPhaseTransitionTime;
  if (status.phase === old.phase) {
    if (before !== undefined) status.lastPhaseTransitionTime ??= before;
  } else if (status.lastPhaseTransitionTime === undefined || status.lastPhaseTransitionTime === before) {
    status.lastPhaseTransitionTime = formatTime(now);
  }
}
