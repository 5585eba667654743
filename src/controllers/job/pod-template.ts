import type { Job } from "../../api/batch/job/schema.ts";
import type { Container } from "../../api/core/pod/container.ts";
import type { PodSpec } from "../../api/core/pod/spec.ts";
import { podFromTemplate } from "../pods/pod-control.ts";
import { failuresAnnotation, ignoredFailuresAnnotation, type IndexFailures } from "./per-index.ts";
import { indexAnnotation, isIndexed, trackingFinalizer } from "./pods.ts";

/** A Pod to create. */
export interface NewPod {
  /** Only for an Indexed Job. */
  readonly index?: number;
  /** Only with `backoffLimitPerIndex`. */
  readonly failures?: IndexFailures;
}

/** The greatest length of `generateName`, so that a name is a valid hostname. */
const maxPrefixLength = 58;
const indexVariable = "JOB_COMPLETION_INDEX";

/** Makes a Pod of the Job. */
export function jobPod(job: Job, { index, failures }: NewPod): ReturnType<typeof podFromTemplate> {
  const pod = podFromTemplate(job, job.spec.template);
  const { labels = {}, annotations = {}, finalizers = [] } = job.spec.template.metadata;
  const tracked = {
    ...pod.metadata,
    finalizers: finalizers.includes(trackingFinalizer) ? finalizers : [...finalizers, trackingFinalizer],
  };
  const spec = isIndexed(job) ? withIndexVariable(job.spec.template.spec) : job.spec.template.spec;
  if (index === undefined) return { ...pod, metadata: tracked, spec };
  const { name = "" } = job.metadata;
  return {
    ...pod,
    metadata: {
      ...tracked,
      generateName: indexedPrefix(name, index),
      labels: { ...labels, [indexAnnotation]: `${index}` },
      annotations: { ...annotations, [indexAnnotation]: `${index}`, ...failureAnnotations(failures) },
    },
    spec: { ...spec, hostname: `${name}-${index}` },
  };
}

/** Returns `name-index-`, shortened in the name when too long. */
export function indexedPrefix(name: string, index: number): string {
  const suffix = `-${index}-`;
  return name.slice(0, maxPrefixLength - suffix.length) + suffix;
}

function failureAnnotations(failures: IndexFailures | undefined): Readonly<Record<string, string>> {
  if (failures === undefined) return {};
  const counted = { [failuresAnnotation]: `${failures.counted}` };
  return failures.ignored === 0
    ? counted
    : { ...counted, [ignoredFailuresAnnotation]: `${failures.ignored}` };
}

function withIndexVariable(spec: PodSpec): PodSpec {
  const { initContainers } = spec;
  return {
    ...spec,
    containers: spec.containers.map(withVariable),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withVariable) }),
  };
}

function withVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldRef = { apiVersion: "v1", fieldPath: `metadata.labels['${indexAnnotation}']` };
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef } }] };
}
