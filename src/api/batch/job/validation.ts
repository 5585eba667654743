import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  requiredValue,
  root,
  tooLong,
} from "../../../meta/field-error.ts";
import { type Labels, type Selector, SelectorError, selectorOf } from "../../../meta/labels.ts";
import type { LabelSelector } from "../../../meta/v1.ts";
import { labelProblems } from "../../../meta/validation/dns.ts";
import { validateDomainPath } from "../../../meta/validation/domain-path.ts";
import { validateLabelSelector } from "../../../meta/validation/labels.ts";
import { validateNonNegative } from "../../../meta/validation/number.ts";
import { validatePodTemplate } from "../../core/pod/validation/pod.ts";
import { generatedLabels, legacyLabels } from "./generated-labels.ts";
import type { Job, JobSpec } from "./schema.ts";
import { validatePodFailurePolicy, validateSuccessPolicy } from "./validation-policies.ts";

const specPath = root.child("spec");

const max = { parallelism: 100_000, failedIndexes: 100_000, managedBy: 63 } as const;
/** The number of completions above which limits per index require a lower parallelism. */
const manyCompletions = 100_000;
const maxWithManyCompletions = 10_000;

/** Validates a Job; `old` is the stored Job. */
export function* validateJob(job: Job, old?: Job): Generator<FieldError> {
  const { metadata, spec } = job;
  yield* validateGeneratedSelector(job, old);
  yield* validateJobSpec(spec, specPath);
  yield* validateSelector(spec, specPath);
  const { completionMode, completions = 0 } = spec;
  const name = metadata.name ?? "";
  const lastHostname = `${name}-${completions - 1}`;
  if (completionMode === "Indexed" && completions > 0 && labelProblems(lastHostname).length > 0) {
    yield invalid(
      root.child("metadata", "name"),
      name,
      `will not able to create pod with invalid DNS label: ${lastHostname}`,
    );
  }
}

/**
 * Requires a generated selector to match only this Job's Pods. Jobs from older versions lack the newer
 * labels.
 */
function* validateGeneratedSelector({ metadata, spec }: Job, old?: Job): Generator<FieldError> {
  if (spec.manualSelector === true || spec.selector === undefined) return;
  if (metadata.uid === undefined) yield requiredValue(root.child("metadata", "uid"));
  const before = old?.spec.template.metadata.labels ?? {};
  const all = generatedLabels(metadata);
  const hadAll = old === undefined || Object.keys(all).every((key) => key in before);
  const expected = hadAll ? all : legacyLabels(metadata);
  for (const [key, value] of Object.entries(expected)) {
    yield* validateHasLabel(spec.template.metadata.labels ?? {}, key, value);
  }
  if (parse(spec.selector)?.matches(expected) === false) {
    yield invalid(specPath.child("selector"), spec.selector, "`selector` not auto-generated");
  }
}

function* validateHasLabel(labels: Labels, key: string, value: string): Generator<FieldError> {
  const place = specPath.child("template", "metadata", "labels").key(key);
  if (labels[key] === undefined) yield requiredValue(place, `must be '${value}'`);
  else if (labels[key] !== value) yield invalid(place, labels, `must be '${value}'`);
}

function parse(selector: LabelSelector | undefined): Selector | undefined {
  try {
    return selectorOf(selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

function* validateSelector({ selector, template }: JobSpec, path: FieldPath): Generator<FieldError> {
  if (selector === undefined) yield requiredValue(path.child("selector"));
  else yield* validateLabelSelector(selector, path.child("selector"));
  const { labels } = template.metadata;
  if (parse(selector)?.matches(labels ?? {}) === false) {
    const place = path.child("template", "metadata", "labels");
    yield invalid(place, labels, "`selector` does not match template `labels`");
  }
}

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

/** Validates the spec of a Job or of a Job template. */
export function* validateJobSpec(spec: JobSpec, path: FieldPath): Generator<FieldError> {
  for (const name of counts) yield* validateNonNegative(spec[name], path.child(name));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    yield requiredValue(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
  }
  if (spec.managedBy !== undefined) {
    yield* validateDomainPath(spec.managedBy, path.child("managedBy"));
    if (Buffer.byteLength(spec.managedBy) > max.managedBy)
      yield tooLong(path.child("managedBy"), max.managedBy);
  }
  yield* validateCompletionMode(spec, path);
  if (spec.podFailurePolicy !== undefined) {
    yield* validatePodFailurePolicy(spec.podFailurePolicy, spec, path.child("podFailurePolicy"));
  }
  yield* validateSuccessPolicy(spec, path.child("successPolicy"));
  const replacement: string | undefined = spec.podReplacementPolicy;
  const allowed = spec.podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  if (replacement !== undefined && !allowed.includes(replacement)) {
    yield notSupported(path.child("podReplacementPolicy"), replacement, allowed);
  }
  yield* validatePodTemplate(spec.template, path.child("template"));
  yield* validateRestartPolicy(spec, path.child("template", "spec", "restartPolicy"));
}

function* validateCompletionMode(spec: JobSpec, path: FieldPath): Generator<FieldError> {
  const mode: string = spec.completionMode ?? "NonIndexed";
  if (mode === "Indexed") yield* validateIndexed(spec, path);
  else if (mode !== "NonIndexed") {
    yield notSupported(path.child("completionMode"), mode, ["NonIndexed", "Indexed"]);
  } else {
    for (const name of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[name] !== undefined) {
        yield invalid(path.child(name), spec[name], "requires indexed completion mode");
      }
    }
  }
}

function* validateIndexed(spec: JobSpec, path: FieldPath): Generator<FieldError> {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const [parallelismPath, failedPath] = [path.child("parallelism"), path.child("maxFailedIndexes")];
  if (completions === undefined) {
    yield requiredValue(path.child("completions"), "when completion mode is Indexed");
  }
  if (parallelism > max.parallelism) {
    const limit = `must be less than or equal to ${max.parallelism} when completion mode is Indexed`;
    yield invalid(parallelismPath, parallelism, limit);
  }
  if (maxFailedIndexes !== undefined) {
    if (completions !== undefined && maxFailedIndexes > completions) {
      yield invalid(failedPath, maxFailedIndexes, "must be less than or equal to completions");
    }
    if (maxFailedIndexes > max.failedIndexes) {
      yield invalid(failedPath, maxFailedIndexes, `must be less than or equal to ${max.failedIndexes}`);
    }
  }
  if ((completions ?? 0) <= manyCompletions || backoffLimitPerIndex === undefined) return;
  if (maxFailedIndexes === undefined) {
    yield requiredValue(failedPath, `must be specified when completions is above ${manyCompletions}`);
  }
  for (const [place, value] of [
    [parallelismPath, parallelism],
    [failedPath, maxFailedIndexes ?? 0],
  ] as const) {
    if (value > maxWithManyCompletions) {
      const limit = `must be less than or equal to ${maxWithManyCompletions} when completions are above ${manyCompletions}`;
      yield invalid(place, value, `${limit} and used with backoff limit per index`);
    }
  }
}

/** Forbids restart policy Always, the default of Pods, because the Pods of a Job must terminate. */
function* validateRestartPolicy(spec: JobSpec, path: FieldPath): Generator<FieldError> {
  const policy: string = spec.template.spec.restartPolicy ?? "Always";
  if (policy === "Always") yield requiredValue(path, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never") {
    yield notSupported(path, policy, ["OnFailure", "Never"]);
  } else if (spec.podFailurePolicy !== undefined && policy !== "Never") {
    yield invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
