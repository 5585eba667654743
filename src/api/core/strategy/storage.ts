import type { Draft } from "../../../meta/schema.ts";
import type { Strategy, StrategyContext } from "../../../meta/strategy.ts";
import { formatTime } from "../../../util/clock.ts";
import { root } from "../../../meta/field-error.ts";
import { persistentVolumeClaimColumns, persistentVolumeColumns } from "../printers/storage.ts";
import type { PersistentVolume } from "../v1/persistent-volume.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "../v1/persistent-volume-claim.ts";
import { validatePersistentVolume, validatePersistentVolumeUpdate } from "../validation/persistent-volume.ts";
import { validateClaimSpec, validateClaimUpdate } from "../validation/persistent-volume-claim.ts";
import { claimWarnings, volumeWarnings } from "../warnings/storage.ts";

export const persistentVolumeStrategy: Strategy<PersistentVolume> = {
  // Not those of the schema: volumes that stand in a Pod itself have no such defaults.
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

/** Notes when the phase changes, unless the writer has noted it already. */
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

export const persistentVolumeClaimStrategy: Strategy<PersistentVolumeClaim> = {
  prepareForCreate(draft) {
    draft.status = { phase: "Pending" };
    dropDataSources(draft.spec);
    linkDataSources(draft.spec);
  },
  prepareForUpdate: ({ spec }, old) => {
    dropDataSources(spec, old.spec);
    linkDataSources(spec);
  },
  validate: ({ spec }) => validateClaimSpec(spec, root.child("spec")),
  validateUpdate: validateClaimUpdate,
  warnings: claimWarnings,
  returnDeletedObject: true,
  columns: persistentVolumeClaimColumns,
};

/**
 * Nothing comes from another namespace, and by the old field only what it could always say; unless the stored
 * claim says so already (`pkg/api/persistentvolumeclaim/util.go`).
 */
function dropDataSources(
  spec: Draft<PersistentVolumeClaimSpec>,
  { dataSource, dataSourceRef }: Partial<PersistentVolumeClaimSpec> = {},
): void {
  const isElsewhere = (spec.dataSourceRef?.namespace ?? "") !== "";
  if (isElsewhere && dataSourceRef === undefined) delete spec.dataSourceRef;
  if (dataSource !== undefined || dataSourceRef !== undefined || spec.dataSourceRef !== undefined) return;
  const { apiGroup = "", kind } = spec.dataSource ?? {};
  if (!sources.includes(`${apiGroup}/${kind}`)) delete spec.dataSource;
}

const sources = ["/PersistentVolumeClaim", "snapshot.storage.k8s.io/VolumeSnapshot"];

/** The old and the new field for the source say the same, where the old one can. */
function linkDataSources(spec: Draft<PersistentVolumeClaimSpec>): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) spec.dataSourceRef ??= { ...dataSource };
  else if (dataSourceRef !== undefined && (dataSourceRef.namespace ?? "") === "") {
    const { namespace: _, ...local } = dataSourceRef;
    spec.dataSource = local;
  }
}
