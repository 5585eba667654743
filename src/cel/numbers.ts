import {
  CelError,
  Double,
  Duration,
  type Int,
  noSuchOverload,
  Timestamp,
  Uint,
  type Value,
} from "./values.ts";

type Numeric = Int | Uint | Double;

export function isNumber(value: Value): value is Numeric {
  return (
    typeof value === "number" || typeof value === "bigint" || value instanceof Double || value instanceof Uint
  );
}

/** Compares two numbers. Returns a negative number, 0 or a positive number; NaN if either is NaN. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (a instanceof Double || b instanceof Double) {
    // As upstream, the integer is first rounded to a double.
    const x = asDouble(a);
    const y = asDouble(b);
    return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN;
  }
  const x = a instanceof Uint ? a.value : a;
  const y = b instanceof Uint ? b.value : b;
  return x < y ? -1 : x > y ? 1 : 0;
}

const asDouble = (value: Numeric) => (typeof value === "object" ? Number(value.value) : Number(value));

const unordered = new CelError("NaN values cannot be ordered");

/**
 * Compares two values of a type with an order. Returns a negative number, 0 or a positive number. Strings are
 * compared by code points, bytes by bytes.
 */
export function compare(a: Value, b: Value): number | CelError {
  if (isNumber(a) && isNumber(b)) {
    const order = compareNumbers(a, b);
    return Number.isNaN(order) ? unordered : order;
  }
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.seconds - b.seconds || a.nanos - b.nanos;
  if (a instanceof Duration && b instanceof Duration) return compareNumbers(a.nanos, b.nanos);
  return noSuchOverload;
}

/**
 * Compares strings by code points. UTF-16 order differs, because surrogates are less than the last characters
 * of the basic plane.
 */
function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

const rank = (unit: number) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x2000 : unit);
