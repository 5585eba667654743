import { type FieldError, type FieldPath, requiredValue, tooLong } from "../../meta/field-error.ts";
import { validateSlice } from "./lists.ts";
import type { DeviceSelector } from "./resource-claim/device-request.ts";
import type { Device } from "./v1/device.ts";

/**
 * The plug-in point of a CEL engine. Yields the errors of an expression about `device`, at the expression's
 * path. Without a checker, expressions are stored unchecked.
 */
export type SelectorChecker = (text: string, path: FieldPath) => Iterable<FieldError>;

/**
 * A compiled expression about `device`. It evaluates a device of a driver, to true or false or an error. The cost is in
 * units of CEL.
 */
export type CompiledSelector = (
  driver: string,
  device: Device,
) => { readonly outcome: boolean | { readonly error: string }; readonly cost: number };

/** The plug-in point of a CEL engine where devices are selected. What does not compile evaluates to an error. */
export type SelectorCompiler = (expression: string) => CompiledSelector;

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
