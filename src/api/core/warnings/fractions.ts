import type { FieldPath } from "../../../meta/field-error.ts";
import { parseQuantity } from "../../../meta/quantity.ts";

type Amounts = Readonly<Record<string, string>> | undefined;

const nanosInOne = 1_000_000_000n;

/** Warnings about amounts of these resources that are not whole bytes. */
export function fractionWarnings(
  amounts: Amounts,
  names: readonly string[],
  place: FieldPath,
): readonly string[] {
  return names.flatMap((name) => {
    const amount = amounts?.[name];
    if (amount === undefined || parseQuantity(amount).nanos % nanosInOne === 0n) return [];
    return [
      `${place.key(name).toString()}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
    ];
  });
}
