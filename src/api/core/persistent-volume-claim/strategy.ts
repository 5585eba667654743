import { root } from "../../../meta/field-error.ts";
import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { persistentVolumeClaimColumns } from "./printer.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "./schema.ts";
import { validateClaimSpec, validateClaimUpdate } from "./validation.ts";
import { claimWarnings } from "./warnings.ts";

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
