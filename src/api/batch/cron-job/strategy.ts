import type { Strategy } from "../../../meta/strategy.ts";
import { defaultCronJob } from "./defaults.ts";
import { cronJobColumns } from "./printer.ts";
import type { CronJob } from "./schema.ts";
import { validateCronJob, validateCronJobCreate } from "./validation.ts";
import { cronJobWarnings } from "./warnings.ts";

export const cronJobStrategy: Strategy<CronJob> = {
  setDefaults: defaultCronJob,
  validateCreate: validateCronJobCreate,
  validateUpdate: validateCronJob,
  warnings: cronJobWarnings,
  generation: true,
  columns: cronJobColumns,
};
