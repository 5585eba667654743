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

export const JobTemplateSpec = message("JobTemplateSpec", "The template of Jobs.", {
  metadata: optional(1, ObjectMeta, "Labels and annotations of the Jobs."),
  spec: optional(2, JobSpec, "The specification of the Jobs."),
});
export type JobTemplateSpec = Out<typeof JobTemplateSpec>;

export const CronJobSpec = message("CronJobSpec", "The desired state of a CronJob.", {
  schedule: required(1, string, "The schedule in cron format."),
  timeZone: pointer(8, string, "The time zone of the schedule; that of the controller when absent."),
  startingDeadlineSeconds: pointer(
    2,
    int64,
    "The deadline in seconds for the start of a Job; a Job that misses it is skipped.",
  ),
  concurrencyPolicy: optional(
    3,
    oneOf("Allow", "Forbid", "Replace"),
    "The policy when the previous Job still runs.",
    { default: "Allow" },
  ),
  suspend: pointer(4, boolean, "Whether the creation of Jobs is suspended.", { default: false }),
  jobTemplate: required(5, JobTemplateSpec, "The template of Jobs."),
  successfulJobsHistoryLimit: pointer(6, int32, "The number of successful Jobs to keep.", { default: 3 }),
  failedJobsHistoryLimit: pointer(7, int32, "The number of failed Jobs to keep.", { default: 1 }),
});
export type CronJobSpec = Out<typeof CronJobSpec>;

export const CronJobStatus = message("CronJobStatus", "The observed state of a CronJob.", {
  active: optional(1, list(ObjectReference), "The running Jobs."),
  lastScheduleTime: pointer(4, time, "The scheduled time of the last Job."),
  lastSuccessfulTime: pointer(5, time, "The time when a Job last succeeded."),
});
export type CronJobStatus = Out<typeof CronJobStatus>;

export const CronJob = message("CronJob", "Creates Jobs on a schedule.", {
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
