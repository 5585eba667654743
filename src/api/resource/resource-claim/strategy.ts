import type { Draft } from "../../../meta/schema.ts";
import type { Strategy } from "../../../meta/strategy.ts";
import { keepMetadata } from "../../status-metadata.ts";
import { defaultDeviceClaim } from "./defaults.ts";
import { claimColumns } from "./printer.ts";
import type { ResourceClaim } from "./schema.ts";
import { allocatedShares, shareKey } from "./shares.ts";
import { validateClaimStatusUpdate } from "./validation-status.ts";
import { validateClaim, validateClaimUpdate } from "./validation.ts";

export const claimStrategy: Strategy<ResourceClaim> = {
  setDefaults: ({ spec }) => defaultDeviceClaim(spec.devices),
  prepareForUpdate: (draft, old, { subresource }) => {
    if (subresource !== "status") return;
    keepMetadata(draft.metadata, old.metadata);
    dropDeallocated(draft, old);
  },
  validateCreate: (claim) => validateClaim(claim),
  validateUpdate: validateClaimUpdate,
  parts: { status: { validate: validateClaimStatusUpdate } },
  columns: claimColumns,
  returnDeletedObject: true,
};

/** Drops the status of devices that are no longer allocated. */
function dropDeallocated({ status }: Draft<ResourceClaim>, old: ResourceClaim): void {
  const [before, now] = [allocatedShares(old.status), allocatedShares(status)];
  const devices = status.devices?.filter((device) => {
    const share = shareKey(device);
    return now.has(share) || !before.has(share);
  });
  if (devices === undefined || devices.length === 0) delete status.devices;
  else status.devices = devices;
}
