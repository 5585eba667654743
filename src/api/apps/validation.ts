import { type FieldError, type FieldPath, invalid, requiredValue, root } from "../../meta/field-error.ts";
import { type Selector, SelectorError, selectorOf } from "../../meta/labels.ts";
import type { LabelSelector } from "../../meta/v1.ts";
import { validateImmutable } from "../../meta/validation/immutable.ts";
import { isEmptySelector, validateLabelSelector } from "../../meta/validation/labels.ts";
import type { PodTemplateSpec } from "../core/pod/spec.ts";
import { validateLastingTemplate } from "../core/pod/validation/pod.ts";

const path = root.child("spec");

/** Requires a selector that is not empty. `kind` is the kind's name in messages. */
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

/** Requires that the selector matches the labels of the template. */
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

/** Forbids changes of the selector, because it determines which Pods the controller owns. */
export function* validateSameSelector(
  { spec }: { readonly spec: { readonly selector?: LabelSelector } },
  { spec: old }: { readonly spec: { readonly selector?: LabelSelector } },
): Generator<FieldError> {
  yield* validateImmutable(spec.selector, old.selector, path.child("selector"));
}
