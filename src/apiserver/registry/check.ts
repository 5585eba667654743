import { validateStandardFinalizer } from "../../api/core/namespace/validation.ts";
import {
  describe,
  type ErrorOrPause,
  type FieldError,
  invalid,
  pause,
  root,
} from "../../meta/field-error.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../meta/validation/object-meta.ts";
import { atOnce, type Steps } from "../../util/steps.ts";
import { validateClaimPermissions } from "../permissions/device-claims.ts";
import { validateParameterPermissions } from "../permissions/policy-parameters.ts";
import type { DraftObject } from "../resources/draft.ts";
import { partOf } from "../resources/part.ts";
import type { Scope } from "./scope.ts";
import type { Target } from "../resources/target.ts";

/**
 * Reports whether an endpoint uses its kind's strategy. A binding does not, because it sets fields that
 * updates may not.
 */
export function followsStrategy({ resource, subresource }: Target): boolean {
  return subresource === "" || subresource === "scale" || partOf(resource, subresource) !== undefined;
}

/** Refuses creates in a terminating CRD, even when its deletion began during the request. */
export function mustTakeObjects({ services }: Scope, { resource }: Target, name: string): void {
  if (resource.custom === undefined) return;
  const { group, version, plural } = resource.kind;
  const current = services.resources.find(group, version, plural);
  if (current === undefined) throw errors.noSuchPath();
  if (current.custom?.terminating !== true) return;
  const why = "create not allowed while custom resource definition is terminating";
  throw errors.forbidden(resource.name, name, why);
}

/** @throws StatusError 422 with every invalid field. */
export async function checkObject(
  scope: Scope,
  draft: DraftObject,
  old: KubeObject | undefined,
  target: Target,
): Promise<void> {
  if (!followsStrategy(target)) return;
  const object: KubeObject = draft;
  const { kind, strategy } = target.resource;
  const change = { target, object, old };
  const found: FieldError[] = [...validateClaimPermissions(scope, change)];
  const isCut = !(await scope.pace.inSteps(takeIssues(found, issuesOf(object, old, target))));
  if (found.length === 0) atOnce(takeIssues(found, validateParameterPermissions(scope, change)));
  for (const issue of found) if (issue.forgiven) scope.warn(describe(issue));
  const issues = found.filter(({ forgiven }) => forgiven !== true);
  if (issues.length > 0) throw errors.invalid(kind, draft.metadata.name ?? "", issues, isCut);
  await scope.pace.pause();
  for (const text of strategy.warnings?.(object, old) ?? []) scope.warn(text);
}

/**
 * The greatest number of issues in one answer, and of their characters, because each may show a value as
 * large as the body. Upstream lists all; here an answer of gigabytes would end the process.
 */
const mostIssues = 1_000;
const mostIssueText = 1024 * 1024;

/** Validates until an answer's limits are reached. Returns true if all issues were found. */
export function* takeIssues(found: FieldError[], issues: Iterable<ErrorOrPause>): Steps<boolean> {
  let text = 0;
  for (const issue of issues) {
    if (issue === pause) {
      yield;
      continue;
    }
    if (found.length >= mostIssues || text >= mostIssueText) return false;
    found.push(issue);
    text += issue.message.length + issue.field.length;
  }
  return true;
}

/**
 * Kinds of these groups are validated without the metadata rules that upstream's other groups share
 * (`core/validation.ValidateObjectMeta`).
 */
const takesAnyFinalizer = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
]);

function* finalizerNames(names: readonly string[]): Iterable<FieldError> {
  for (const [index, name] of names.entries())
    yield* validateStandardFinalizer(name, root.child("metadata", "finalizers").index(index));
}

function* issuesOf(object: KubeObject, old: KubeObject | undefined, target: Target): Iterable<ErrorOrPause> {
  const { kind, strategy } = target.resource;
  yield* validateObjectMeta(object.metadata, kind, strategy.validateName);
  if (kind.schema.foreign === undefined && !takesAnyFinalizer.has(kind.group))
    yield* finalizerNames(object.metadata.finalizers ?? []);
  if (old !== undefined) yield* validateObjectMetaUpdate(object.metadata, old.metadata);
  const part = partOf(target.resource, target.subresource);
  if (part !== undefined && old !== undefined) {
    yield* part.validate?.(object, old) ?? [];
    return;
  }
  yield* strategy.validate?.(object) ?? [];
  yield* (
    (old === undefined ? strategy.validateCreate?.(object) : strategy.validateUpdate?.(object, old)) ?? []
  );
}

/** Checks that an update is for the stored revision, or for any if its kind allows that. */
export function checkRevision(asked: string | undefined, old: KubeObject, target: Target): void {
  if (asked === undefined || asked === "0") {
    if (target.resource.strategy.allowUnconditionalUpdate !== false) return;
    const path = root.child("metadata", "resourceVersion");
    const { group, plural } = target.resource.kind;
    throw errors.invalid({ group, kind: plural }, target.name, [
      invalid(path, 0, "must be specified for an update"),
    ]);
  }
  if (asked !== old.metadata.resourceVersion) throw errors.modified(target.resource.name, target.name);
}
