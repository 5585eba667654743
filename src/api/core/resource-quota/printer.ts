import type { Column } from "../../../meta/strategy.ts";
import { column } from "../../printing.ts";
import type { ResourceQuota } from "./schema.ts";

/** The usage, such as `cpu: 1/4`, either of limits or of other resources. */
function usageText({ status: { hard = {}, used = {} } }: ResourceQuota, limits: boolean): string {
  return Object.keys(hard)
    .filter((resource) => resource.startsWith("limits.") === limits)
    .sort()
    .map((resource) => `${resource}: ${used[resource] ?? "0"}/${hard[resource] ?? "0"}`)
    .join(", ");
}

export const resourceQuotaColumns: readonly Column<ResourceQuota>[] = [
  column("Request", "The usage of the quota, except for limits.", (quota) => usageText(quota, false)),
  column("Limit", "The usage of the quota's limits.", (quota) => usageText(quota, true)),
];
