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
  set,
  string,
  time,
} from "../../../meta/schema.ts";
import { LabelSelector, ObjectMeta } from "../../../meta/v1.ts";
import { PodTemplateSpec } from "../../core/pod/spec.ts";
import { PodFailurePolicy, SuccessPolicy } from "./policy.ts";

const message = messages("io.k8s.api.batch.v1");

/** Defaults stand in `defaults.ts`: they are a Job's own, not those of a CronJob's template. */
export const JobSpec = message("JobSpec", "What a Job shall be.", {
  parallelism: pointer(1, int32, "How many Pods may run at the same time."),
  completions: pointer(2, int32, "How many Pods must succeed; any single one when absent."),
  activeDeadlineSeconds: pointer(3, int64, "How long the Job may be active, its retries included."),
  podFailurePolicy: pointer(11, PodFailurePolicy, "What failed Pods mean for the Job."),
  successPolicy: pointer(16, SuccessPolicy, "When the Job has succeeded before all indexes have."),
  backoffLimit: pointer(7, int32, "How many failures are retried."),
  backoffLimitPerIndex: pointer(12, int32, "How many failures of one index are retried."),
  maxFailedIndexes: pointer(13, int32, "How many indexes may fail before the whole Job does."),
  selector: pointer(4, LabelSelector, "Selects its Pods; the server makes it."),
  manualSelector: pointer(5, boolean, "Whether the selector and the labels come from the writer."),
  template: required(6, PodTemplateSpec, "What Pods are made from; they end: Never or OnFailure."),
  ttlSecondsAfterFinished: pointer(8, int32, "How long after its end the Job is deleted; never when absent."),
  completionMode: pointer(
    9,
    oneOf("Indexed", "NonIndexed"),
    "Whether each of the completions has a number of its own.",
  ),
  suspend: pointer(10, boolean, "Whether the Job pauses: it then has no Pods."),
  podReplacementPolicy: pointer(
    14,
    oneOf("Failed", "TerminatingOrFailed"),
    "When a Pod is replaced: once it has failed, or already while it ends.",
  ),
  managedBy: pointer(15, string, "The controller in charge; `kubernetes.io/job-controller` when absent."),
});
export type JobSpec = Out<typeof JobSpec>;

export const UncountedTerminatedPods = message(
  "UncountedTerminatedPods",
  "UIDs of Pods that have ended but are not in the counts yet.",
  {
    succeeded: optional(1, set(string), "Those that succeeded."),
    failed: optional(2, set(string), "Those that failed."),
  },
);
export type UncountedTerminatedPods = Out<typeof UncountedTerminatedPods>;

export const JobCondition = message("JobCondition", "One aspect of a Job's state.", {
  type: required(1, string, "The aspect: Complete, Failed, Suspended, FailureTarget or SuccessCriteriaMet."),
  status: required(2, string, "Whether it holds: True, False or Unknown."),
  lastProbeTime: optional(3, time, "When it was last checked."),
  lastTransitionTime: optional(4, time, "When the status last changed."),
  reason: optional(5, string, "Why, as one CamelCase word for programs."),
  message: optional(6, string, "Why, for people."),
});
export type JobCondition = Out<typeof JobCondition>;

export const JobStatus = message("JobStatus", "What is known about a Job.", {
  conditions: optional(1, list(JobCondition), "Aspects of the state, one entry for each type.", {
    merge: "type",
  }),
  startTime: pointer(2, time, "When work began, or began again after a pause."),
  completionTime: pointer(3, time, "When the Job succeeded."),
  active: optional(4, int32, "How many Pods run or wait."),
  succeeded: optional(5, int32, "How many Pods have succeeded."),
  failed: optional(6, int32, "How many Pods have failed."),
  terminating: pointer(11, int32, "How many Pods are ending."),
  completedIndexes: optional(7, string, "Indexes that have succeeded, such as `1,3-5,7`."),
  failedIndexes: pointer(10, string, "Indexes that have failed, where they have a limit of their own."),
  uncountedTerminatedPods: pointer(8, UncountedTerminatedPods, "Ended Pods that are not counted yet."),
  ready: pointer(9, int32, "How many active Pods are ready."),
});
export type JobStatus = Out<typeof JobStatus>;

export const Job = message("Job", "Runs Pods until enough of them have succeeded.", {
  metadata: optional(1, ObjectMeta, "Standard object metadata."),
  spec: optional(2, JobSpec, "The desired state."),
  status: optional(3, JobStatus, "The observed state."),
});

export const jobs = defineKind(Job, {
  group: "batch",
  version: "v1",
  kind: "Job",
  plural: "jobs",
  namespaced: true,
  categories: ["all"],
  status: true,
});
export type Job = ObjectOf<typeof jobs>;
