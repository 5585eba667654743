import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  boolean,
  int32,
  int64,
  list,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";
import { ObjectReference } from "../../core/v1/reference.ts";
import { JobSpec } from "../job/schema.ts";

const message = messages("io.k8s.api.batch.v1");

export const JobTemplateSpec = message("JobTemplateSpec", "What Jobs are made from.", {
  metadata: optional(1, ObjectMeta, "Labels and annotations of the Jobs."),
  spec: optional(2, JobSpec, "What the Jobs shall be."),
});
export type JobTemplateSpec = Out<typeof JobTemplateSpec>;

export const CronJobSpec = message("CronJobSpec", "What a CronJob shall be.", {
  schedule: required(1, string, "When Jobs are made, in cron's format."),
  timeZone: pointer(8, string, "The time zone of the schedule; that of the controller when absent."),
  startingDeadlineSeconds: pointer(2, int64, "How late a Job may start; if it is later, it is left out."),
  concurrencyPolicy: optional(
    3,
    oneOf("Allow", "Forbid", "Replace"),
    "What happens when the Job before still runs.",
    { default: "Allow" },
  ),
  suspend: pointer(4, boolean, "Whether no further Jobs are made.", { default: false }),
  jobTemplate: required(5, JobTemplateSpec, "What Jobs are made from."),
  successfulJobsHistoryLimit: pointer(6, int32, "How many successful Jobs are kept.", { default: 3 }),
  failedJobsHistoryLimit: pointer(7, int32, "How many failed Jobs are kept.", { default: 1 }),
});
export type CronJobSpec = Out<typeof CronJobSpec>;

export const CronJobStatus = message("CronJobStatus", "What is known about a CronJob.", {
  active: optional(1, list(ObjectReference), "The Jobs that run."),
  lastScheduleTime: pointer(4, time, "For what time a Job was last made."),
  lastSuccessfulTime: pointer(5, time, "When a Job last succeeded."),
});
export type CronJobStatus = Out<typeof CronJobStatus>;

export const CronJob = message("CronJob", "Makes Jobs by a schedule.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: required(2, CronJobSpec, "The desired state."),
  status: optional(3, CronJobStatus, "The observed state."),
});

export const cronJobs = defineKind(CronJob, {
  group: "batch",
  version: "v1",
  kind: "CronJob",
  plural: "cronjobs",
  namespaced: true,
  shortNames: ["cj"],
  categories: ["all"],
  status: true,
});
export type CronJob = ObjectOf<typeof cronJobs>;
