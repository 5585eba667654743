import type { Strategy } from "../../../meta/strategy.ts";
import { resourceQuotaColumns } from "./printer.ts";
import type { ResourceQuota } from "./schema.ts";
import { validateQuotaStatus, validateQuotaUpdate, validateResourceQuota } from "./validation.ts";
import { quotaWarnings } from "./warnings.ts";

export const resourceQuotaStrategy: Strategy<ResourceQuota> = {
  validate: validateResourceQuota,
  validateUpdate: validateQuotaUpdate,
  parts: { status: { validate: validateQuotaStatus } },
  warnings: quotaWarnings,
  returnDeletedObject: true,
  columns: resourceQuotaColumns,
};
