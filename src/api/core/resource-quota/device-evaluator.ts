import type { ResourceClaim } from "../../resource/resource-claim/schema.ts";
import type { DeviceRequest } from "../../resource/resource-claim/device-request.ts";
import type { Amounts } from "../pod/resources.ts";
import { addAmounts, whole } from "./amounts.ts";
import type { Evaluator } from "./evaluator.ts";

const classSuffix = ".deviceclass.resource.k8s.io/devices";
const countResource = "count/resourceclaims.resource.k8s.io";
/** The greatest number of devices of a claim: the usage of a request for all devices. */
const mostDevices = 32;

/**
 * The rules of ResourceClaims (upstream `quota/v1/evaluator/core/resource_claims.go`). Devices do not count as
 * extended resources.
 */
export const deviceEvaluator: Evaluator<ResourceClaim> = {
  uses: (name) => name === countResource || name.endsWith(classSuffix),
  usage({ spec }) {
    const used: Amounts = new Map([[countResource, whole(1)]]);
    for (const request of spec.devices.requests ?? []) addAmounts(used, devicesOf(request));
    return used;
  },
  isInScope: () => false,
  missing: () => undefined,
  charges: ({ subresource }) => subresource === "",
  replenishes: () => false,
};

/** The devices of a request by class: of alternatives, the greatest number counts. */
function devicesOf({ exactly, firstAvailable = [] }: DeviceRequest): Amounts {
  const alternatives = firstAvailable.length > 0 || exactly === undefined ? firstAvailable : [exactly];
  const most = new Map<string, number>();
  for (const { deviceClassName, allocationMode, count } of alternatives) {
    const devices = allocationMode === "All" ? mostDevices : (count ?? 0);
    const name = `${deviceClassName}${classSuffix}`;
    most.set(name, Math.max(most.get(name) ?? 0, devices));
  }
  return new Map([...most].map(([name, devices]) => [name, whole(devices)]));
}
