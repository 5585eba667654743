import { type FieldError, root } from "../../meta/field-error.ts";
import { validateImmutable } from "../../meta/validation/immutable.ts";
import { validateTemplateMetadata } from "../core/persistent-volume-claim/validation.ts";
import type { SelectorChecker } from "./selectors.ts";
import type { ResourceClaim } from "./v1/resource-claim.ts";
import type { ResourceClaimTemplate } from "./v1/resource-claim-template.ts";
import { validateDeviceClaim } from "./validation-request.ts";

const path = root.child("spec");

/** `check`: what is wrong with expressions in CEL. */
export const validateClaim = ({ spec }: ResourceClaim, check?: SelectorChecker): Generator<FieldError> =>
  validateDeviceClaim(spec.devices, path.child("devices"), check);

export const validateClaimUpdate = (claim: ResourceClaim, old: ResourceClaim): Generator<FieldError> =>
  validateImmutable(claim.spec, old.spec, path);

/** `check`: what is wrong with expressions in CEL. */
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
