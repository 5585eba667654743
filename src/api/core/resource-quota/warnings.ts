import { compareQuantities, parseQuantity } from "../../../meta/quantity.ts";
import type { ResourceQuota } from "./schema.ts";

/** Warns about quotas whose requests exceed the limits, because the excess can never be used. */
export function quotaWarnings(
  { spec: { hard = {} } }: ResourceQuota,
  old: ResourceQuota | undefined,
): readonly string[] {
  if (old !== undefined) return [];
  return ["cpu", "memory", "storage", "ephemeral-storage"].flatMap((name) => {
    const isBare = hard[`requests.${name}`] === undefined && ["cpu", "memory"].includes(name);
    const requests = isBare ? name : `requests.${name}`;
    const limits = `limits.${name}`;
    const { [requests]: request, [limits]: limit } = hard;
    if (request === undefined || limit === undefined) return [];
    if (compareQuantities(parseQuantity(request), parseQuantity(limit)) <= 0) return [];
    return [`ResourceQuota ${requests} (${request}) should be less than ${limits} (${limit})`];
  });
}
