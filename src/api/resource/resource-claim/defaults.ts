import type { Draft } from "../../../meta/schema.ts";
import type { DeviceClaim, DeviceSubRequest, ExactDeviceRequest } from "./device-request.ts";

/** Requests that do not say how many devices ask for one. */
export function defaultDeviceClaim({ requests }: Draft<DeviceClaim>): void {
  for (const { exactly, firstAvailable = [] } of requests) {
    if (exactly !== undefined) defaultCount(exactly);
    for (const alternative of firstAvailable) defaultCount(alternative);
  }
}

function defaultCount(request: Draft<ExactDeviceRequest | DeviceSubRequest>): void {
  if (request.allocationMode === "ExactCount") request.count ??= 1;
}
