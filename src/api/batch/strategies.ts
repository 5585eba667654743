import { type Registration, serve, type Strategy } from "../../meta/strategy.ts";
import { root } from "../../meta/field-error.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { podNameWarnings } from "../core/pod/warnings/names.ts";
import { templateWarnings } from "../core/pod/warnings/pod.ts";
import { defaultCronJob, defaultJob } from "./defaults.ts";
import { generateSelector } from "./generated-labels.ts";
import { cronJobColumns, jobColumns } from "./printers.ts";
import { type CronJob, cronJobs } from "./v1/cron-job.ts";
import { type Job, jobs, type JobSpec } from "./v1/job.ts";
import { validateCronJob, validateCronJobCreate } from "./validation-cron-job.ts";
import { validateJobStatus } from "./validation-status.ts";
import { validateJobUpdate } from "./validation-update.ts";
import { validateJob } from "./validation.ts";

const jobStrategy: Strategy<Job> = {
  orphansByDefault: {
    warning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  setDefaults: defaultJob,
  prepareForCreate: generateSelector,
  validateCreate: (job) => validateJob(job),
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateJobStatus,
  warnings: ({ metadata, spec }, old) => [
    ...(old === undefined ? podNameWarnings(metadata.name) : []),
    ...(deepEqual(spec, old?.spec) ? [] : specWarnings(spec, "spec")),
  ],
  generation: true,
  columns: jobColumns,
  selectableFields: { "status.successful": ({ status }) => String(status.succeeded ?? 0) },
};

const cronJobStrategy: Strategy<CronJob> = {
  setDefaults: defaultCronJob,
  validateCreate: validateCronJobCreate,
  validateUpdate: validateCronJob,
  warnings: cronJobWarnings,
  generation: true,
  columns: cronJobColumns,
};

function cronJobWarnings({ metadata, spec }: CronJob, old: CronJob | undefined): readonly string[] {
  const texts = old === undefined ? [...podNameWarnings(metadata.name)] : [];
  // Upstream repeats itself when only metadata changes; here that would warn on writes of the status, too.
  if (deepEqual(spec, old?.spec)) return texts;
  texts.push(...specWarnings(spec.jobTemplate.spec, "spec.jobTemplate.spec"));
  if (old !== undefined && spec.schedule.includes("TZ")) {
    texts.push(
      "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
    );
  }
  return texts;
}

function specWarnings(spec: JobSpec, path: string): readonly string[] {
  return [...sizeWarnings(spec, path), ...templateWarnings(spec.template, root.child(path, "template"))];
}

function sizeWarnings(spec: JobSpec, path: string): readonly string[] {
  const { completionMode, completions = 0, parallelism = 0 } = spec;
  if (completionMode !== "Indexed" || completions <= 100_000 || parallelism <= 10_000) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}

/** The group `batch`. */
export const batchRegistrations: readonly Registration[] = [
  serve(cronJobs, cronJobStrategy),
  serve(jobs, jobStrategy),
];
