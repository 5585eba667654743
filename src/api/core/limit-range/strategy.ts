import type { Strategy } from "../../../meta/strategy.ts";
import { plainColumns } from "../../printing.ts";
import { defaultLimitRange } from "./defaults.ts";
import type { LimitRange } from "./schema.ts";
import { validateLimitRange } from "./validation.ts";

export const limitRangeStrategy: Strategy<LimitRange> = {
  setDefaults: defaultLimitRange,
  validate: validateLimitRange,
  allowCreateOnUpdate: true,
  columns: plainColumns,
};
