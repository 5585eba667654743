import { CelError, Double, type Int, Uint } from "./values.ts";

/**
 * 64-bit integers, signed and not. Held as a number while it is a safe integer and as a bigint beyond: small
 * numbers are what expressions count, and three times as fast. As the form is unique, `===` is equality, and
 * `<` compares the two forms.
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

/** The integer in its one form. */
export function integer(value: bigint): Int {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The integer, if it is one of these. */
export function checked(integers: Integers, value: bigint): Int | CelError {
  return value < integers.min || value > integers.max ? integers.overflow : integer(value);
}

/** For results of arithmetic on numbers: exact if it is safe. */
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
    // Adding 0 makes 0 of -0.
    if (fits(integers, product)) return product + 0;
  }
  return checked(integers, BigInt(a) * BigInt(b));
}

const divisionByZero = new CelError("division by zero");
const modulusByZero = new CelError("modulus by zero");

/** Towards zero. */
export function divide(integers: Integers, a: Int, b: Int): Int | CelError {
  if (b === 0) return divisionByZero;
  if (typeof a === "number" && typeof b === "number") return (a - (a % b)) / b + 0;
  return checked(integers, BigInt(a) / BigInt(b));
}

/** With the sign of the dividend. */
export function modulo(integers: Integers, a: Int, b: Int): Int | CelError {
  if (b === 0) return modulusByZero;
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  // The quotient of the smallest integer and -1 does not fit, and upstream fails with it.
  if (a === integers.min && b === -1) return integers.overflow;
  return integer(BigInt(a) % BigInt(b));
}

/** Cut off towards zero. The bounds themselves are out, as upstream has it: a double cannot tell them apart. */
export function doubleToInt(value: number): Int | CelError {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return int64.overflow;
  return integer(BigInt(Math.trunc(value)));
}

export function doubleToUint(value: number): Int | CelError {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return uint64.overflow;
  return integer(BigInt(Math.trunc(value)));
}

/** Decimal digits with a sign, as Go's `strconv` reads them; undefined for anything else and what does not fit. */
export function parseInteger(integers: Integers, text: string): Int | undefined {
  const pattern = integers === int64 ? /^[+-]?\d+$/ : /^\d+$/;
  // Longer than any 64-bit integer without leading zeros: making a bigint of it would take quadratic time.
  if (!pattern.test(text) || text.length > 1000) return undefined;
  const value = checked(integers, BigInt(text.startsWith("+") ? text.slice(1) : text));
  return value instanceof CelError ? undefined : value;
}

/** A whole number of the other numeric types as an int, where there is one: `2.0` and `2u` are 2. */
export function wholeNumber(value: unknown): Int | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof Uint) return value.value;
  if (!(value instanceof Double) || !Number.isInteger(value.value) || Math.abs(value.value) >= 2 ** 64)
    return undefined;
  return integer(BigInt(value.value));
}
