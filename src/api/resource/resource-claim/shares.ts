import type { DeviceRequestAllocationResult, ResourceClaimStatus } from "./schema.ts";

type Share = Pick<DeviceRequestAllocationResult, "driver" | "pool" | "device" | "shareID">;

/** A device, or a share of a shared device, as error messages show it. */
export const shareOf = ({ driver, pool, device, shareID = "" }: Share) => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

/** A key for comparing shares. */
export const shareKey = (share: Share): string => JSON.stringify(shareOf(share));

export const allocatedShares = ({ allocation }: ResourceClaimStatus): ReadonlySet<string> =>
  new Set(allocation?.devices.results?.map(shareKey));
