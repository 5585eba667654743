import { CelError, Double, type Int, Uint } from "./values.ts";

/**
 * Signed or unsigned 64-bit integers. An integer is a JavaScript number if it is a safe integer, otherwise a
 * bigint. Small integers are common, and numbers are three times as fast. The form is canonical, so `===` is
 * equality, and `<` compares both forms.
 */
export interface Integers {
  readonly min: Int;
  readonly max: Int;
  readonly overflow: CelError;
}

export const int64: Integers = {
  min: -(2n ** 63n),
  max: 2n ** 63n - 1n,
  overflow: new CelError("integer overflow"),
};

export const uint64: Integers = {
  min: 0,
  max: 2n ** 64n - 1n,
  overflow: new CelError("unsigned integer overflow"),
};

/** Converts to the canonical form. */
export function integer(value: bigint): Int {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Converts an integer, or returns the overflow error if it is out of range. */
export function checked(integers: Integers, value: bigint): Int | CelError {
  return value < integers.min || value > integers.max ? integers.overflow : integer(value);
}

/** Reports whether the result of number arithmetic is exact and in range. */
const fits = (integers: Integers, value: number) => Number.isSafeInteger(value) && value >= integers.min;

export function add(integers: Integers, a: Int, b: Int): Int | CelError {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (fits(integers, sum)) return sum;
  }
  return checked(integers, BigInt(a) + BigInt(b));
}

export function subtract(integers: Integers, a: Int, b: Int): Int | CelError {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (fits(integers, difference)) return difference;
  }
  return checked(integers, BigInt(a) - BigInt(b));
}

export function multiply(integers: Integers, a: Int, b: Int): Int | CelError {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    // Adding 0 converts -0 to 0.
    if (fits(integers, product)) return product + 0;
  }
  return checked(integers, BigInt(a) * BigInt(b));
}

const divisionByZero = new CelError("division by zero");
const modulusByZero = new CelError("modulus by zero");

/** Divides, rounding towards zero. */
export function divide(integers: Integers, a: Int, b: Int): Int | CelError {
  if (b === 0) return divisionByZero;
  if (typeof a === "number" && typeof b === "number") return (a - (a % b)) / b + 0;
  return checked(integers, BigInt(a) / BigInt(b));
}

/** The remainder, with the sign of the dividend. */
export function modulo(integers: Integers, a: Int, b: Int): Int | CelError {
  if (b === 0) return modulusByZero;
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  // The quotient of the smallest integer and -1 overflows, so upstream refuses the remainder, too.
  if (a === integers.min && b === -1) return integers.overflow;
  return integer(BigInt(a) % BigInt(b));
}

/**
 * Truncates towards zero. As upstream, the limits themselves are out of range, because a double cannot
 * represent them exactly.
 */
export function doubleToInt(value: number): Int | CelError {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return int64.overflow;
  return integer(BigInt(Math.trunc(value)));
}

export function doubleToUint(value: number): Int | CelError {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return uint64.overflow;
  return integer(BigInt(Math.trunc(value)));
}

/** Parses decimal digits with a sign, as Go's `strconv`; undefined if the text is invalid or out of range. */
export function parseInteger(integers: Integers, text: string): Int | undefined {
  const pattern = integers === int64 ? /^[+-]?\d+$/ : /^\d+$/;
  // No 64-bit integer without leading zeros is as long, and parsing a bigint takes quadratic time.
  if (!pattern.test(text) || text.length > 1000) return undefined;
  const value = checked(integers, BigInt(text.startsWith("+") ? text.slice(1) : text));
  return value instanceof CelError ? undefined : value;
}

/**
 * Converts a whole number of any numeric type to an int: `2.0` and `2u` are 2. Undefined for other values.
 */
export function wholeNumber(value: unknown): Int | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value;
  if (!(value instanceof Double) || !Number.isInteger(value.value) || Math.abs(value.value) >= 2 ** 64)
    return undefined;
  return integer(BigInt(value.value));
}
