import type { Draft } from "../../../meta/schema.ts";
import { defaultPodSpec } from "../../core/pod/spec-defaults.ts";
import type { Job, JobSpec } from "./schema.ts";

const maxInt32 = 2 ** 31 - 1;

export function defaultJob({ metadata, spec }: Draft<Job>): void {
  defaultJobSpec(spec);
  if (spec.parallelism === undefined) spec.completions ??= 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  const { labels } = spec.template.metadata;
  // Both share one record, as upstream, so labels generated into the template also become labels of the Job.
  if (labels !== undefined) metadata.labels ??= labels;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
}

/** Defaults that Jobs and templates of Jobs share. */
export function defaultJobSpec({ template, podFailurePolicy }: Draft<JobSpec>): void {
  defaultPodSpec(template.spec);
  for (const { onPodConditions = [] } of podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) pattern.status ||= "True";
  }
}
