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
  // One record for both, as upstream: what is generated into the template's labels is the Job's as well.
  if (labels !== undefined) metadata.labels ??= labels;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
}

/** What Jobs and templates of Jobs have in common. */
export function defaultJobSpec({ template, podFailurePolicy }: Draft<JobSpec>): void {
  defaultPodSpec(template.spec);
  for (const { onPodConditions = [] } of podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) pattern.status ||= "True";
  }
}
