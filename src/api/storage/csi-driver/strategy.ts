import type { Strategy } from "../../../meta/strategy.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { csiDriverColumns } from "./printer.ts";
import type { CSIDriver } from "./schema.ts";
import { validateCSIDriver, validateCSIDriverUpdate } from "./validation.ts";
import { driverWarnings } from "./warnings.ts";

export const csiDriverStrategy: Strategy<CSIDriver> = {
  // The feature gate VolumeLimitScaling is off by default.
  prepareForCreate: ({ spec }) => void delete spec.preventPodSchedulingIfMissing,
  prepareForUpdate({ metadata, spec }, old) {
    if (old.spec.preventPodSchedulingIfMissing === undefined) delete spec.preventPodSchedulingIfMissing;
    // A new driver has no generation, so the first change sets it to 1.
    if (!deepEqual(spec, old.spec)) metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: validateCSIDriver,
  validateUpdate: validateCSIDriverUpdate,
  warnings: driverWarnings,
  allowUnconditionalUpdate: false,
  returnDeletedObject: true,
  columns: csiDriverColumns,
};
