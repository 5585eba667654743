import type { Draft } from "../../../meta/schema.ts";
import { defaultJobSpec } from "../job/defaults.ts";
import type { CronJob } from "./schema.ts";

export function defaultCronJob({ spec }: Draft<CronJob>): void {
  defaultJobSpec(spec.jobTemplate.spec);
}
