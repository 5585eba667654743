import { type FieldError, invalid, root } from "../../../meta/field-error.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { isExtended } from "../../core/validation/resources.ts";
import { validateSlice } from "../lists.ts";
import { type SelectorChecker, validateSelectors } from "../selectors.ts";
import type { DeviceClass } from "./schema.ts";
import { maxConfigurations, validateConfiguration } from "../validation-configuration.ts";

const path = root.child("spec");

/** `check` yields the errors of CEL expressions. */
export function* validateDeviceClass(
  { spec }: DeviceClass,
  old?: DeviceClass,
  check?: SelectorChecker,
): Generator<FieldError> {
  const isStored = old !== undefined && deepEqual(spec.config, old.spec.config);
  yield* validateSelectors(spec.selectors, path.child("selectors"), check);
  yield* validateSlice(spec.config, maxConfigurations, path.child("config"), (config, place) =>
    validateConfiguration(config, place, isStored),
  );
  const { extendedResourceName: name } = spec;
  if (name !== undefined && !isExtended(name)) {
    yield invalid(path.child("extendedResourceName"), name, "must be a valid extended resource name");
  }
}
