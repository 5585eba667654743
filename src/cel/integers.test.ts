import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  add,
  divide,
  int64,
  integer,
  type Integers,
  modulo,
  multiply,
  subtract,
  uint64,
} from "./integers.ts";
import { CelError } from "./values.ts";

const operations: readonly (readonly [string, typeof add, (a: bigint, b: bigint) => bigint])[] = [
  ["+", add, (a, b) => a + b],
  ["-", subtract, (a, b) => a - b],
  ["*", multiply, (a, b) => a * b],
  ["/", divide, (a, b) => a / b],
  ["%", modulo, (a, b) => a % b],
];

/** Small integers, large ones and those near the limits of the two forms. */
const numbers = ({ min, max }: Integers) => {
  const range = { min: BigInt(min), max: BigInt(max) };
  const border = fc.constantFrom(
    range.min,
    range.max,
    2n ** 53n,
    2n ** 53n - 1n,
    -(2n ** 53n),
    -1n,
    0n,
    1n,
    2n ** 32n,
  );
  return fc
    .oneof(
      border,
      fc.bigInt(range),
      fc.bigInt({ min: -1000n, max: 1000n }),
      fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
    )
    .filter((value) => value >= range.min && value <= range.max);
};

describe.each([
  ["int", int64],
  ["uint", uint64],
])("64-bit %s", (_name, integers) => {
  test.each(operations)(
    "%s equals arithmetic on bigints, and returns the canonical form",
    (sign, operation, exact) => {
      fc.assert(
        fc.property(numbers(integers), numbers(integers), (a, b) => {
          const result = operation(integers, integer(a), integer(b));
          if (b === 0n && (sign === "/" || sign === "%")) {
            expect(result).toBeInstanceOf(CelError);
            return;
          }
          const wanted = exact(a, b);
          // The remainder would fit, but upstream refuses it with its quotient.
          const fits =
            wanted >= integers.min &&
            wanted <= integers.max &&
            !(sign === "%" && a === integers.min && b === -1n);
          if (!fits) expect(result).toBe(integers.overflow);
          else expect(Object.is(result, integer(wanted))).toBe(true);
        }),
        { numRuns: 2000 },
      );
    },
  );
});
