import type { Container } from "../../api/core/pod/container.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { parseQuantity, quantityMilliValue, quantityValue } from "../../meta/quantity.ts";
import type { Resources } from "../runtime.ts";

const cpuPeriod = 100_000;
/** The kernel refuses smaller quotas and shares. */
const minQuota = 1000;
const minShares = 2;

/**
 * Returns the cgroup settings of a container (kubelet `cm/helpers_linux`): requests become shares, limits
 * quotas.
 */
export function containerResources({ resources: { requests = {}, limits = {} } }: Container): Resources {
  const cpuLimit = milli(limits["cpu"]);
  const cpuRequest = milli(requests["cpu"]) ?? cpuLimit;
  const memory = limits["memory"] === undefined ? undefined : quantityValue(parseQuantity(limits["memory"]));
  return {
    cpuShares: Math.max(minShares, Math.floor(((cpuRequest ?? 0) * 1024) / 1000)),
    ...(cpuLimit === undefined
      ? {}
      : { cpuPeriod, cpuQuota: Math.max(minQuota, Math.floor((cpuLimit * cpuPeriod) / 1000)) }),
    ...(memory === undefined ? {} : { memoryLimitBytes: memory }),
  };
}

/** Returns the limits of the whole Pod. A limit is set only when every container has it. */
export function podResources({ spec }: Pod): Resources {
  const each = spec.containers.map(containerResources);
  const sum = (values: readonly (number | undefined)[]) =>
    values.includes(undefined) ? undefined : values.reduce<number>((total, one) => total + (one ?? 0), 0);
  const cpuQuota = sum(each.map((one) => one.cpuQuota));
  const memoryLimitBytes = sum(each.map((one) => one.memoryLimitBytes));
  return {
    cpuShares: sum(each.map((one) => one.cpuShares)) ?? minShares,
    ...(cpuQuota === undefined ? {} : { cpuPeriod, cpuQuota }),
    ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }),
  };
}

function milli(quantity: string | undefined): number | undefined {
  return quantity === undefined ? undefined : quantityMilliValue(parseQuantity(quantity));
}
