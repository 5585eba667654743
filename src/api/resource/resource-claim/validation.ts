import { type FieldError, root } from "../../../meta/field-error.ts";
import { validateImmutable } from "../../../meta/validation/immutable.ts";
import type { SelectorChecker } from "../selectors.ts";
import type { ResourceClaim } from "./schema.ts";
import { validateDeviceClaim } from "./validation-request.ts";

const path = root.child("spec");

/** `check` yields the errors of CEL expressions. */
export const validateClaim = ({ spec }: ResourceClaim, check?: SelectorChecker): Generator<FieldError> =>
  validateDeviceClaim(spec.devices, path.child("devices"), check);

export const validateClaimUpdate = (claim: ResourceClaim, old: ResourceClaim): Generator<FieldError> =>
  validateImmutable(claim.spec, old.spec, path);
