import type { Labels } from "../../../meta/labels.ts";
import type { Draft } from "../../../meta/schema.ts";
import type { ObjectMeta } from "../../../meta/v1.ts";
import type { Job } from "./schema.ts";

/** Labels from before Kubernetes' own had a prefix. */
export function legacyLabels({ uid = "", name = "" }: ObjectMeta): Labels {
  return { "controller-uid": uid, "job-name": name };
}

/** The labels by which a Job's Pods are told from all others. */
export function generatedLabels(metadata: ObjectMeta): Labels {
  const { uid = "", name = "" } = metadata;
  return {
    ...legacyLabels(metadata),
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
  };
}

/** What the writer gave stays, so that validation can refuse what contradicts the Job. */
export function generateSelector({ metadata, spec }: Draft<Job>): void {
  if (spec.manualSelector === true) return;
  const labels = (spec.template.metadata.labels ??= {});
  for (const [key, value] of Object.entries(generatedLabels(metadata))) labels[key] ??= value;
  // Stored Jobs get their template's labels where they have none.
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
  spec.selector ??= {};
  spec.selector.matchLabels ??= {};
  spec.selector.matchLabels["batch.kubernetes.io/controller-uid"] ??= metadata.uid ?? "";
}
