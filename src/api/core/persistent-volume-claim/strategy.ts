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
 * Drops sources in other namespaces, and kinds that `dataSource` does not support, unless the stored claim
 * has them (`pkg/api/persistentvolumeclaim/util.go`).
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

/** Copies `dataSource` to `dataSourceRef`, or back if the source is in the same namespace. */
function linkDataSources(spec: Draft<PersistentVolumeClaimSpec>): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) spec.dataSourceRef ??= { ...dataSource };
  else if (dataSourceRef !== undefined && (dataSourceRef.namespace ?? "") === "") {
    const { namespace: _, ...local } = dataSourceRef;
    spec.dataSource = local;
  }
}
