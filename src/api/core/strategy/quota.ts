import type { Strategy } from "../../../meta/strategy.ts";
import { plainColumns } from "../../printing.ts";
import { defaultLimitRange } from "../defaults/plain.ts";
import { resourceQuotaColumns } from "../printers/plain.ts";
import type { LimitRange } from "../v1/limit-range.ts";
import type { ResourceQuota } from "../v1/resource-quota.ts";
import {
  validateLimitRange,
  validateQuotaStatus,
  validateQuotaUpdate,
  validateResourceQuota,
} from "../validation/quota.ts";
import { quotaWarnings } from "../warnings/plain.ts";

export const limitRangeStrategy: Strategy<LimitRange> = {
  setDefaults: defaultLimitRange,
  validate: validateLimitRange,
  allowCreateOnUpdate: true,
  columns: plainColumns,
};

export const resourceQuotaStrategy: Strategy<ResourceQuota> = {
  validate: validateResourceQuota,
  validateUpdate: validateQuotaUpdate,
  validateStatusUpdate: validateQuotaStatus,
  warnings: quotaWarnings,
  returnDeletedObject: true,
  columns: resourceQuotaColumns,
};
