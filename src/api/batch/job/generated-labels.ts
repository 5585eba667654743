import type { Labels } from "../../../meta/labels.ts";
import type { Draft } from "../../../meta/schema.ts";
import type { ObjectMeta } from "../../../meta/v1.ts";
import type { Job } from "./schema.ts";

/** Labels without a prefix, from older versions of Kubernetes. */
export function legacyLabels({ uid = "", name = "" }: ObjectMeta): Labels {
  return { "controller-uid": uid, "job-name": name };
}

/** The labels that identify the Pods of a Job. */
export function generatedLabels(metadata: ObjectMeta): Labels {
  const { uid = "", name = "" } = metadata;
  return {
    ...legacyLabels(metadata),
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
  };
}

/**
 * Generates the selector and labels. Keeps values that the writer set, so that validation can refuse
 * mismatches.
 */
export function generateSelector({ metadata, spec }: Draft<Job>): void {
  if (spec.manualSelector === true) return;
  const labels = (spec.template.metadata.labels ??= {});
  for (const [key, value] of Object.entries(generatedLabels(metadata))) labels[key] ??= value;
  // Stored Jobs without labels get the labels of their template.
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
  spec.selector ??= {};
  spec.selector.matchLabels ??= {};
  spec.selector.matchLabels["batch.kubernetes.io/controller-uid"] ??= metadata.uid ?? "";
}
