import { duplicate, type FieldError, type FieldPath, invalid } from "../../../meta/field-error.ts";
import { validateLabelKey } from "../../../meta/validation/labels.ts";
import { validateSlice } from "../lists.ts";
import { repeats } from "../../../util/repeats.ts";

const maxConditions = 4;

interface BindingConditions {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

const names = ["bindingConditions", "bindingFailureConditions"] as const;

/** Requires distinct condition types, and both lists or neither. */
export function* validateBindingConditions(all: BindingConditions, path: FieldPath): Generator<FieldError> {
  for (const name of names)
    yield* validateSlice(all[name], maxConditions, path.child(name), validateLabelKey);
  const { bindingConditions = [], bindingFailureConditions = [] } = all;
  yield* validateDistinct(bindingConditions, [], path.child("bindingConditions"));
  const failures = path.child("bindingFailureConditions");
  yield* validateDistinct(bindingFailureConditions, bindingConditions, failures);
  for (const [i, name] of names.entries()) {
    const other = names[1 - i] ?? name;
    if ((all[name] ?? []).length === 0 && (all[other] ?? []).length > 0) {
      yield invalid(path.child(name), all[name], `${name} are required to use ${other}`);
    }
  }
}

function* validateDistinct(
  types: readonly string[],
  others: readonly string[],
  path: FieldPath,
): Generator<FieldError> {
  const repeated = repeats(types);
  const overlapping = new Set(others);
  for (const [i, type] of types.entries()) {
    const place = path.index(i);
    if (repeated.has(i)) yield duplicate(place, type);
    if (overlapping.has(type)) {
      yield invalid(place, type, "bindingFailureConditions must not overlap with bindingConditions");
    }
  }
}
