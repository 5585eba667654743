import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { formatTime } from "../../../util/clock.ts";
import { sliceColumns } from "./printer.ts";
import type { ResourceSlice } from "./schema.ts";
import { validateSliceSpec } from "./validation.ts";

const nodeName = "spec.nodeName";

export const sliceStrategy: Strategy<ResourceSlice> = {
  prepareForCreate: (draft, { now }) => prepareSlice(draft, now),
  prepareForUpdate: (draft, _, { now }) => prepareSlice(draft, now),
  validateCreate: (slice) => validateSliceSpec(slice),
  validateUpdate: validateSliceSpec,
  warnings: ({ spec: { driver } }) =>
    driver === driver.toLowerCase()
      ? []
      : [
          `spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`,
        ],
  selectableFields: {
    [nodeName]: ({ spec }) => spec.nodeName ?? "",
    "spec.driver": ({ spec }) => spec.driver,
  },
  watchIndex: nodeName,
  columns: sliceColumns,
  generation: true,
  returnDeletedObject: true,
};

/** Drops the fields of disabled feature gates, and sets the time of new taints. */
function prepareSlice({ spec }: Draft<ResourceSlice>, now: number): void {
  for (const device of spec.devices ?? []) {
    delete device.nodeAllocatableResourceMappings;
    for (const attribute of Object.values(device.attributes ?? {})) {
      for (const name of ["ints", "bools", "strings", "versions"] as const) delete attribute[name];
    }
    for (const taint of device.taints ?? []) taint.timeAdded ??= formatTime(now);
  }
}
