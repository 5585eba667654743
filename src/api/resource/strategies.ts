import type { Draft } from "../../meta/schema.ts";
import { type Registration, serve, type Strategy } from "../../meta/strategy.ts";
import { formatTime } from "../../util/clock.ts";
import { keepMetadata } from "../status-metadata.ts";
import { defaultDeviceClaim } from "./defaults.ts";
import { claimColumns, sliceColumns } from "./printers.ts";
import { allocatedShares, shareKey } from "./shares.ts";
import { type DeviceClass, deviceClasses } from "./v1/device-class.ts";
import { type ResourceClaimTemplate, resourceClaimTemplates } from "./v1/resource-claim-template.ts";
import { type ResourceClaim, resourceClaims } from "./v1/resource-claim.ts";
import { type ResourceSlice, resourceSlices } from "./v1/resource-slice.ts";
import { validateClaimStatusUpdate } from "./validation-claim-status.ts";
import {
  validateClaim,
  validateClaimUpdate,
  validateTemplate,
  validateTemplateUpdate,
} from "./validation-claim.ts";
import { validateDeviceClass } from "./validation-class.ts";
import { validateSliceSpec } from "./validation-slice.ts";

const deviceClassStrategy: Strategy<DeviceClass> = {
  validateCreate: (deviceClass) => validateDeviceClass(deviceClass),
  validateUpdate: (deviceClass, old) => validateDeviceClass(deviceClass, old),
  generation: true,
  returnDeletedObject: true,
};

const claimStrategy: Strategy<ResourceClaim> = {
  setDefaults: ({ spec }) => defaultDeviceClaim(spec.devices),
  prepareForUpdate: (draft, old, { subresource }) => {
    if (subresource !== "status") return;
    keepMetadata(draft.metadata, old.metadata);
    dropDeallocated(draft, old);
  },
  validateCreate: (claim) => validateClaim(claim),
  validateUpdate: validateClaimUpdate,
  validateStatusUpdate: validateClaimStatusUpdate,
  columns: claimColumns,
  returnDeletedObject: true,
};

/** What drivers said of devices goes with the devices. */
function dropDeallocated({ status }: Draft<ResourceClaim>, old: ResourceClaim): void {
  const [before, now] = [allocatedShares(old.status), allocatedShares(status)];
  const devices = status.devices?.filter((device) => {
    const share = shareKey(device);
    return now.has(share) || !before.has(share);
  });
  if (devices === undefined || devices.length === 0) delete status.devices;
  else status.devices = devices;
}

const templateStrategy: Strategy<ResourceClaimTemplate> = {
  setDefaults: ({ spec }) => defaultDeviceClaim(spec.spec.devices),
  validate: (template) => validateTemplate(template),
  validateUpdate: validateTemplateUpdate,
  returnDeletedObject: true,
};

const nodeName = "spec.nodeName";

const sliceStrategy: Strategy<ResourceSlice> = {
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

/** Drops what belongs to features that are off, and says since when taints are there. */
function prepareSlice({ spec }: Draft<ResourceSlice>, now: number): void {
  for (const device of spec.devices ?? []) {
    delete device.nodeAllocatableResourceMappings;
    for (const attribute of Object.values(device.attributes ?? {})) {
      for (const name of ["ints", "bools", "strings", "versions"] as const) delete attribute[name];
    }
    for (const taint of device.taints ?? []) taint.timeAdded ??= formatTime(now);
  }
}

/**
 * The group `resource.k8s.io`. Which namespaces may have `adminAccess`, and who may write what of a claim's
 * status, is the server's business.
 */
export const resourceRegistrations: readonly Registration[] = [
  serve(deviceClasses, deviceClassStrategy),
  serve(resourceClaims, claimStrategy),
  serve(resourceClaimTemplates, templateStrategy),
  serve(resourceSlices, sliceStrategy),
];
