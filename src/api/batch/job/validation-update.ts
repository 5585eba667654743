import { type FieldError, invalid, root } from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import type { Container } from "../../core/pod/container.ts";
import type { PodTemplateSpec } from "../../core/pod/spec.ts";
import type { Affinity } from "../../core/v1/scheduling.ts";
import { hasCondition } from "./conditions.ts";
import type { Job, JobSpec } from "./schema.ts";
import { validateJob } from "./validation.ts";

const path = root.child("spec");

export function* validateJobUpdate(job: Job, old: Job): Generator<FieldError> {
  yield* validateJob(job, old);
  const [{ spec }, { spec: before }] = [job, old];
  yield* validateCompletions(spec, before);
  yield* validateImmutable(spec.selector, before.selector, path.child("selector"));
  yield* validateTemplate(spec.template, old);
  for (const name of [
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
  ] as const) {
    yield* validateImmutable(spec[name], before[name], path.child(name));
  }
}

/** Only permits changes of an Indexed Job's completions, together with its parallelism. */
function* validateCompletions(spec: JobSpec, old: JobSpec): Generator<FieldError> {
  const { completions, parallelism, completionMode } = spec;
  const place = path.child("completions");
  if (completionMode !== "Indexed") yield* validateImmutable(completions, old.completions, place);
  else if (completions !== old.completions && completions !== undefined && completions !== parallelism) {
    yield invalid(place, completions, "can only be modified in tandem with spec.parallelism");
  }
}

/**
 * Only permits changes of the template while a Job is suspended and has no Pods: to node selection and
 * resources.
 */
function* validateTemplate(template: PodTemplateSpec, { spec, status }: Job): Generator<FieldError> {
  const isSuspended = spec.suspend === true;
  const isIdle = status.startTime === undefined || hasCondition(status, "Suspended");
  const isMutable = isSuspended && isIdle && (status.active ?? 0) === 0;
  if (!isMutable) {
    yield* validateImmutable(template, spec.template, path.child("template"));
    return;
  }
  const { affinity, nodeSelector, tolerations, schedulingGates } = template.spec;
  const { containers, initContainers } = spec.template.spec;
  const kept = {
    ...spec.template.spec,
    affinity: withNodeAffinity(spec.template.spec.affinity, affinity),
    nodeSelector,
    tolerations,
    schedulingGates,
    containers: withResources(containers, template.spec.containers),
    initContainers: withResources(initContainers, template.spec.initContainers),
  };
  yield* validateImmutable(template.spec, kept, path.child("template.spec"));
}

/** The old affinity with the new node affinity. */
function withNodeAffinity(old: Affinity | undefined, next: Affinity | undefined): object | undefined {
  const affinity = { ...old, nodeAffinity: next?.nodeAffinity };
  return next === undefined && deepEqual(affinity, {}) ? undefined : affinity;
}

/** The old containers with the resources of new containers of the same name. */
function withResources(
  old: readonly Container[] | undefined,
  containers: readonly Container[] | undefined,
): readonly Container[] | undefined {
  if (old === undefined || old.length !== containers?.length) return old;
  return old.map((one, i) => {
    const next = containers[i];
    return next?.name === one.name ? { ...one, resources: next.resources } : one;
  });
}
