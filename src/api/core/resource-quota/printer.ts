import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { ResourceQuota } from "./schema.ts";

/** `cpu: 1/4`, for resources that are limits or for those that are not. */
function usageText({ status: { hard = {}, used = {} } }: ResourceQuota, limits: boolean): string {
  return Object.keys(hard)
    .filter((resource) => resource.startsWith("limits.") === limits)
    .sort()
    .map((resource) => `${resource}: ${used[resource] ?? "0"}/${hard[resource] ?? "0"}`)
    .join(", ");
}

export const resourceQuotaColumns: readonly Column<ResourceQuota>[] = [
  column("Request", "What is used, of how much, beside limits.", (quota) => usageText(quota, false)),
  column("Limit", "The sum of limits, of how much.", (quota) => usageText(quota, true)),
];
