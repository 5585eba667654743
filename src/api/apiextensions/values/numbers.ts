import { goFloat } from "../../../meta/go-value.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { type Issue, Result } from "./result.ts";

/** Validates numbers, following kube-openapi's `validate/values.go`. Whole numbers count as integers. */

const [int32, int64] = [2 ** 31, 2 ** 63];

/** Reports whether a float is close enough to an integer to count as one. */
export function isWhole(value: number): boolean {
  // Upstream reads larger numbers as floats.
  if (Number.isInteger(value)) return Math.abs(value) < int64;
  if (value < 0) return false;
  const whole = Math.trunc(value);
  return value <= Number.MAX_SAFE_INTEGER && whole > 0 && (value - whole) / (value + whole) < 1e-9;
}

/** Reports whether upstream reads the number as an integer. It reads larger numbers as floats. */
function isInteger(value: number | bigint): boolean {
  return typeof value === "bigint" || (Number.isInteger(value) && Math.abs(value) < int64);
}

function isFloatMultipleOf(value: number, factor: number): boolean {
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(times) <= Number.MAX_SAFE_INTEGER && isWhole(times);
}

/**
 * Reports whether Go writes the number in the digits of an integer. Go writes the smallest int64, read as a
 * float, with an exponent.
 */
function isWritten(value: number | bigint): boolean {
  return typeof value === "bigint" || (Number.isInteger(value) && value !== -int64);
}

/**
 * The format of a schema; undefined when the type has no such format (apiextensions `validation/formats.go`).
 */
export function formatOf({ type, format }: JSONSchemaProps): string | undefined {
  switch (type) {
    case undefined:
    case "string":
      return format;
    case "integer":
      return format === "int32" || format === "int64" ? format : undefined;
    case "number":
      return format === "float" || format === "double" ? format : undefined;
    default:
      return undefined;
  }
}

/** Returns the issue of a number that is outside of the range of the schema's type and format. */
function rangeIssue(
  value: number | bigint,
  schema: JSONSchemaProps,
  what: string,
  path: string,
): Issue | undefined {
  const { type } = schema;
  const format = formatOf(schema);
  const isInt32 = type === "integer" && format === "int32";
  const limit = isInt32 ? int32 : int64;
  const fits =
    type === "integer"
      ? isWritten(value) && value >= -limit && value < limit
      : !(type === "number" && format === "float") || Number.isFinite(Math.fround(Number(value)));
  if (fits) return undefined;
  const suffix = format === undefined ? "(default format)" : `with format ${format}`;
  const message = `${what} value must be of type ${type ?? ""} ${suffix} in ${path}`;
  return { name: undefined, message, cause: "invalid" };
}

/** A bound as an int64, clamped to its range. */
function asInteger(bound: number): bigint {
  if (Math.abs(bound) < int64) return BigInt(Math.trunc(bound));
  return bound < 0 ? -(2n ** 63n) : 2n ** 63n - 1n;
}

type Wrong = readonly [message: string, value?: unknown] | undefined;

/** A value, the bound that it is compared with, and the bound's text. */
interface Bound {
  readonly value: number | bigint;
  readonly bound: number | bigint;
  readonly text: string;
}

/** Validates a number. Integers beyond JavaScript's safe range are bigints. */
export function validateNumber(schema: JSONSchemaProps, value: number | bigint, path: string): Result {
  const result = new Result();
  const isInt = isInteger(value);
  const check = (what: string, bound: number | undefined, compare: (bound: Bound) => Wrong) => {
    if (bound === undefined) return;
    const outside = rangeIssue(bound, schema, what, path);
    if (outside !== undefined) result.add(outside);
    // Integers are compared with the bound's integer part. If the bound is outside of the type's range, both
    // are compared as floats.
    const isNative = isInt && outside === undefined;
    const whole = asInteger(bound);
    const wrong = compare(
      isNative
        ? { value, bound: whole, text: String(whole) }
        : { value: Number(value), bound, text: goFloat(bound) },
    );
    if (wrong === undefined) return;
    const shown = isNative ? value : JSON.rawJSON(goFloat(Number(value)));
    result.add({ name: path, message: wrong[0], cause: "invalid", value: wrong[1] ?? shown });
  };
  const outside = rangeIssue(value, schema, "Checked", path);
  if (outside !== undefined) result.add(outside);
  check("MultipleOf", schema.multipleOf, ({ value, bound, text }) => {
    if (bound <= 0)
      return [`factor MultipleOf declared for ${path} must be positive: ${text}`, JSON.rawJSON(text)];
    const fits =
      typeof bound === "bigint" ? BigInt(value) % bound === 0n : isFloatMultipleOf(Number(value), bound);
    return fits ? undefined : [`${path} in body should be a multiple of ${text}`];
  });
  check("Minimum boundary", schema.minimum, ({ value, bound, text }) => {
    const exclusive = schema.exclusiveMinimum === true;
    if (exclusive ? value > bound : value >= bound) return undefined;
    return [`${path} in body should be greater than ${exclusive ? "" : "or equal to "}${text}`];
  });
  check("Maximum boundary", schema.maximum, ({ value, bound, text }) => {
    const exclusive = schema.exclusiveMaximum === true;
    if (exclusive ? value < bound : value <= bound) return undefined;
    return [`${path} in body should be less than ${exclusive ? "" : "or equal to "}${text}`];
  });
  result.matches += 1;
  return result;
}
