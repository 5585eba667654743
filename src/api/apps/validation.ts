import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
} from "../../meta/field-error.ts";
import { type Selector, SelectorError, selectorOf } from "../../meta/labels.ts";
import type { LabelSelector } from "../../meta/v1.ts";
import { validateImmutable } from "../../meta/validation/immutable.ts";
import { isEmptySelector, validateLabelSelector } from "../../meta/validation/labels.ts";
import { percentOf, validateCountOrPercent, validateNonNegative } from "../../meta/validation/number.ts";
import type { PodTemplateSpec } from "../core/pod/spec.ts";
import { validateLastingTemplate } from "../core/pod/validation/pod.ts";
import { validateCollisionCount, validateReplicaCounts } from "../core/validation/replica-counts.ts";
import type { ControllerRevision } from "./v1/controller-revision.ts";
import type { Deployment, DeploymentStrategy } from "./v1/deployment.ts";
import type { ReplicaSet } from "./v1/replica-set.ts";

const path = root.child("spec");
const statusPath = root.child("status");

/** A selector that selects something. `kind` is how messages call what has it. */
export function* validateSelector(
  selector: LabelSelector | undefined,
  kind: string,
  place: FieldPath,
): Generator<FieldError> {
  if (selector === undefined) {
    yield requiredValue(place);
    return;
  }
  yield* validateLabelSelector(selector, place);
  if (isEmptySelector(selector)) yield invalid(place, selector, `empty selector is invalid for ${kind}`);
}

/** The Pods that a template makes are those that the selector selects. */
export function* validateSelectedTemplate(
  selector: LabelSelector | undefined,
  template: PodTemplateSpec,
  kind: string,
  place: FieldPath,
): Generator<FieldError> {
  const parsed = parse(selector);
  if (parsed === undefined && kind !== "DaemonSet") {
    yield invalid(path.child("selector"), selector, kind === "StatefulSet" ? "" : "invalid label selector");
    return;
  }
  const { labels } = template.metadata;
  if (parsed?.empty === false && !parsed.matches(labels ?? {})) {
    yield invalid(place.child("metadata", "labels"), labels, "`selector` does not match template `labels`");
  }
  yield* validateLastingTemplate(template, kind, place);
}

function parse(selector: LabelSelector | undefined): Selector | undefined {
  try {
    return selectorOf(selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** A number, or the number before the percent sign. */
export function amountOf(value: number | string | undefined): number {
  return percentOf(value) ?? (typeof value === "number" ? value : 0);
}

export function* validateAtMostAll(
  value: number | string | undefined,
  place: FieldPath,
): Generator<FieldError> {
  if ((percentOf(value) ?? 0) > 100) yield invalid(place, value, "must not be greater than 100%");
}

export function* validateDeployment({ spec }: Deployment): Generator<FieldError> {
  yield* validateNonNegative(spec.replicas, path.child("replicas"));
  yield* validateSelector(spec.selector, "deployment", path.child("selector"));
  yield* validateSelectedTemplate(spec.selector, spec.template, "ReplicaSet", path.child("template"));
  yield* validateStrategy(spec.strategy, path.child("strategy"));
  yield* validateNonNegative(spec.minReadySeconds, path.child("minReadySeconds"));
  yield* validateNonNegative(spec.revisionHistoryLimit, path.child("revisionHistoryLimit"));
  const { progressDeadlineSeconds: deadline } = spec;
  if (deadline === undefined) return;
  const place = path.child("progressDeadlineSeconds");
  yield* validateNonNegative(deadline, place);
  if (deadline <= (spec.minReadySeconds ?? 0)) {
    yield invalid(place, deadline, "must be greater than minReadySeconds");
  }
}

function* validateStrategy(strategy: DeploymentStrategy, place: FieldPath): Generator<FieldError> {
  const { type, rollingUpdate } = strategy;
  const rolling = place.child("rollingUpdate");
  if (type === "Recreate") {
    if (rollingUpdate !== undefined) {
      yield forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type !== "RollingUpdate") yield notSupported(place, strategy, ["Recreate", "RollingUpdate"]);
  else if (rollingUpdate === undefined) {
    yield requiredValue(rolling, "this should be defaulted and never be nil");
  } else {
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
    yield* validateCountOrPercent(maxUnavailable, rolling.child("maxUnavailable"));
    yield* validateCountOrPercent(maxSurge, rolling.child("maxSurge"));
    if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
      yield invalid(rolling.child("maxUnavailable"), maxUnavailable, "may not be 0 when `maxSurge` is 0");
    }
    yield* validateAtMostAll(maxUnavailable, rolling.child("maxUnavailable"));
  }
}

export function* validateReplicaSet({ spec }: ReplicaSet): Generator<FieldError> {
  yield* validateNonNegative(spec.replicas, path.child("replicas"));
  yield* validateNonNegative(spec.minReadySeconds, path.child("minReadySeconds"));
  // Upstream calls it a deployment here, too.
  yield* validateSelector(spec.selector, "deployment", path.child("selector"));
  yield* validateSelectedTemplate(spec.selector, spec.template, "ReplicaSet", path.child("template"));
}

/** The selector of a controller says for ever which Pods are its own. */
export function* validateSameSelector(
  { spec }: { readonly spec: { readonly selector?: LabelSelector } },
  { spec: old }: { readonly spec: { readonly selector?: LabelSelector } },
): Generator<FieldError> {
  yield* validateImmutable(spec.selector, old.selector, path.child("selector"));
}

export function* validateDeploymentStatus(
  { status }: Deployment,
  { status: old }: Deployment,
): Generator<FieldError> {
  const parts = ["updatedReplicas", "readyReplicas", "availableReplicas"] as const;
  yield* validateReplicaCounts(status, statusPath, parts);
  yield* validateCollisionCount(status.collisionCount, old.collisionCount, statusPath);
}

export function* validateReplicaSetStatus({ status }: ReplicaSet): Generator<FieldError> {
  const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const;
  yield* validateReplicaCounts(status, statusPath, parts);
}

export function* validateControllerRevision({ data, revision }: ControllerRevision): Generator<FieldError> {
  yield* validateNonNegative(revision, root.child("revision"));
  if (data === undefined) yield requiredValue(root.child("data"), "data is mandatory");
}
