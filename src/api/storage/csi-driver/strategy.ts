import type { Strategy } from "../../../meta/strategy.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { csiDriverColumns } from "./printer.ts";
import type { CSIDriver } from "./schema.ts";
import { validateCSIDriver, validateCSIDriverUpdate } from "./validation.ts";
import { driverWarnings } from "./warnings.ts";

export const csiDriverStrategy: Strategy<CSIDriver> = {
  // Behind the gate VolumeLimitScaling, which is off.
  prepareForCreate: ({ spec }) => void delete spec.preventPodSchedulingIfMissing,
  prepareForUpdate({ metadata, spec }, old) {
    if (old.spec.preventPodSchedulingIfMissing === undefined) delete spec.preventPodSchedulingIfMissing;
    // Counted from nothing: a new driver has no generation.
    if (!deepEqual(spec, old.spec)) metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: validateCSIDriver,
  validateUpdate: validateCSIDriverUpdate,
  warnings: driverWarnings,
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  columns: csiDriverColumns,
};
