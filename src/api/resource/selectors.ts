import { type FieldError, type FieldPath, requiredValue, tooLong } from "../../meta/field-error.ts";
import { validateSlice } from "./lists.ts";
import type { DeviceSelector } from "./resource-claim/device-request.ts";

/**
 * Where an engine for CEL is plugged in: what is wrong with an expression about `device`, as errors at its path.
 * Without one, expressions are stored as they are.
 */
export type SelectorChecker = (text: string, path: FieldPath) => Iterable<FieldError>;

const limits = { selectors: 32, expressionBytes: 10 * 1024 } as const;

export function* validateSelectors(
  selectors: readonly DeviceSelector[] | undefined,
  path: FieldPath,
  check: SelectorChecker | undefined,
): Generator<FieldError> {
  yield* validateSlice(selectors, limits.selectors, path, function* ({ cel }, place) {
    const expression = place.child("cel", "expression");
    if (cel === undefined) yield requiredValue(place.child("cel"));
    else if (Buffer.byteLength(cel.expression) > limits.expressionBytes) {
      yield tooLong(expression, limits.expressionBytes);
    } else yield* check?.(cel.expression, expression) ?? [];
  });
}
