import { goFloat } from "../../../meta/go-value.ts";
import type { JSONSchemaProps } from "../custom-resource-definition/json-schema-props.ts";
import { type Issue, Result } from "./result.ts";

/** Bounds of numbers, after kube-openapi's `validate/values.go`. Whole numbers count as integers. */

const [int32, int64] = [2 ** 31, 2 ** 63];

/** Whether a float is so near to an integer that it passes for one. */
export function isWhole(value: number): boolean {
  // What is larger was a float to upstream from the start.
  if (Number.isInteger(value)) return Math.abs(value) < int64;
  if (value < 0) return false;
  const whole = Math.trunc(value);
  return value <= Number.MAX_SAFE_INTEGER && whole > 0 && (value - whole) / (value + whole) < 1e-9;
}

/** True when upstream reads it as an integer; it takes what is larger for a float. */
function isInteger(value: number | bigint): boolean {
  return typeof value === "bigint" || (Number.isInteger(value) && Math.abs(value) < int64);
}

function isFloatMultipleOf(value: number, factor: number): boolean {
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(times) <= Number.MAX_SAFE_INTEGER && isWhole(times);
}

/** True when Go's digits of it are those of an integer, which those of the smallest one as a float are not. */
function isWritten(value: number | bigint): boolean {
  return typeof value === "bigint" || (Number.isInteger(value) && value !== -int64);
}

/** The format of a schema; one that is none of its type says nothing (apiextensions `validation/formats.go`). */
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

/** Why a number does not fit the type and format that the schema gives. */
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

/** A bound as an integer; what is too large as the largest one. */
function asInteger(bound: number): bigint {
  if (Math.abs(bound) < int64) return BigInt(Math.trunc(bound));
  return bound < 0 ? -(2n ** 63n) : 2n ** 63n - 1n;
}

type Wrong = readonly [message: string, value?: unknown] | undefined;

/** The bound that a value is compared with, and the texts of both. */
interface Bound {
  readonly value: number | bigint;
  readonly bound: number | bigint;
  readonly text: string;
}

/** Integers that a number cannot hold are bigints. */
export function validateNumber(schema: JSONSchemaProps, value: number | bigint, path: string): Result {
  const result = new Result();
  const isInt = isInteger(value);
  const check = (what: string, bound: number | undefined, compare: (bound: Bound) => Wrong) => {
    if (bound === undefined) return;
    const outside = rangeIssue(bound, schema, what, path);
    if (outside !== undefined) result.add(outside);
    // Integers are compared with the integer part, as integers; where the bound is none of the type, as floats.
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
