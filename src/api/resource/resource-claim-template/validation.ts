import { type FieldError, root } from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import { validateTemplateMetadata } from "../../core/persistent-volume-claim/validation.ts";
import { validateDeviceClaim } from "../resource-claim/validation-request.ts";
import type { SelectorChecker } from "../selectors.ts";
import type { ResourceClaimTemplate } from "./schema.ts";

const path = root.child("spec");

/** `check` yields the errors of CEL expressions. */
export function* validateTemplate(
  { spec }: ResourceClaimTemplate,
  check?: SelectorChecker,
): Generator<FieldError> {
  yield* validateTemplateMetadata(spec.metadata, path.child("metadata"));
  yield* validateDeviceClaim(spec.spec.devices, path.child("spec", "devices"), check);
}

export const validateTemplateUpdate = (
  template: ResourceClaimTemplate,
  old: ResourceClaimTemplate,
): Generator<FieldError> => validateImmutable(template.spec, old.spec, path);
