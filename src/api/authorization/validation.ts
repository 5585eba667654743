import { type FieldError, type FieldPath, invalid, requiredValue, root } from "../../meta/field-error.ts";
import type { ObjectMeta } from "../../meta/v1.ts";
import { validateFieldRequirement, validateLabelRequirement } from "../../meta/validation/labels.ts";
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from "./v1.ts";

const path = root.child("spec");

export function* validateSelfAccessReview({
  metadata,
  spec,
}: SelfSubjectAccessReview): Generator<FieldError> {
  yield* validateAttributes(spec);
  yield* validateSelectors(spec);
  yield* validateMetadata(metadata, "must be empty");
}

export function* validateAccessReview({ metadata, spec }: SubjectAccessReview): Generator<FieldError> {
  yield* validateSpec(spec);
  yield* validateMetadata(metadata, "must be empty");
}

export function* validateLocalAccessReview({
  metadata,
  spec,
}: LocalSubjectAccessReview): Generator<FieldError> {
  yield* validateSpec(spec);
  const { namespace = "", ...others } = metadata;
  yield* validateMetadata(others, "must be empty except for namespace");
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? "") !== namespace) {
    const place = path.child("resourceAttributes", "namespace");
    yield invalid(place, resourceAttributes.namespace ?? "", "must match metadata.namespace");
  }
  if (nonResourceAttributes !== undefined) {
    const place = path.child("nonResourceAttributes");
    yield invalid(place, nonResourceAttributes, "disallowed on this kind of request");
  }
}

function* validateMetadata(
  { managedFields: _, ...metadata }: ObjectMeta,
  rule: string,
): Generator<FieldError> {
  if (Object.keys(metadata).length > 0) yield invalid(root.child("metadata"), metadata, rule);
}

function* validateSpec(spec: SubjectAccessReviewSpec): Generator<FieldError> {
  yield* validateAttributes(spec);
  if ((spec.user ?? "") === "" && (spec.groups ?? []).length === 0) {
    yield invalid(path.child("user"), "", "at least one of user or group must be specified");
  }
  yield* validateSelectors(spec);
}

type Attributes = Pick<SubjectAccessReviewSpec, "resourceAttributes" | "nonResourceAttributes">;

function* validateAttributes({
  resourceAttributes,
  nonResourceAttributes,
}: Attributes): Generator<FieldError> {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const rule = "cannot be specified in combination with resourceAttributes";
    yield invalid(path.child("nonResourceAttributes"), nonResourceAttributes, rule);
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const rule = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    yield invalid(path.child("resourceAttributes"), null, rule);
  }
}

function* validateSelectors({ resourceAttributes }: Attributes): Generator<FieldError> {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  const place = path.child("resourceAttributes");
  yield* validateSelector(fieldSelector, validateFieldRequirement, place.child("fieldSelector"));
  yield* validateSelector(labelSelector, validateLabelRequirement, place.child("labelSelector"));
}

function* validateSelector<T>(
  selector: { readonly rawSelector?: string; readonly requirements?: readonly T[] } | undefined,
  validate: (requirement: T, path: FieldPath) => Iterable<FieldError>,
  place: FieldPath,
): Generator<FieldError> {
  if (selector === undefined) return;
  const { rawSelector = "", requirements = [] } = selector;
  if (rawSelector !== "" && requirements.length > 0) {
    const rule = "may not specified at the same time as requirements";
    yield invalid(place.child("rawSelector"), rawSelector, rule);
  }
  if (rawSelector === "" && requirements.length === 0) {
    const rule = `when ${place.toString()} is specified, requirements or rawSelector is required`;
    yield requiredValue(place.child("requirements"), rule);
  }
  for (const [i, one] of requirements.entries()) yield* validate(one, place.child("requirements").index(i));
}
