import { deepEqual } from "../../../util/deep-equal.ts";
import { podNameWarnings } from "../../core/pod/warnings/names.ts";
import { specWarnings } from "../job/warnings.ts";
import type { CronJob } from "./schema.ts";

export function cronJobWarnings({ metadata, spec }: CronJob, old: CronJob | undefined): readonly string[] {
  const texts = old === undefined ? [...podNameWarnings(metadata.name)] : [];
  // Upstream repeats warnings when only metadata changes. Here that would also warn on writes of the status.
  if (deepEqual(spec, old?.spec)) return texts;
  texts.push(...specWarnings(spec.jobTemplate.spec, "spec.jobTemplate.spec"));
  if (old !== undefined && spec.schedule.includes("TZ")) {
    texts.push(
      "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
    );
  }
  return texts;
}
