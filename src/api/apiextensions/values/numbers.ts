import { goFloat } from "../../../meta/go-value.ts";
import type { JSONSchemaProps } from "../v1/json-schema-props.ts";
import { type Issue, Result } from "./result.ts";

/** Bounds of numbers, after kube-openapi's `validate/values.go`. Whole numbers count as integers. */

const [int32, int64] = [2 ** 31, 2 ** 63];

/** Whether a float is so near to an integer that it passes for one. */
export function isWhole(value: number): boolean {
  // What is larger was a float to upstream from the start.
  if (Number.isInteger(value)) return Math.abs(value) < int64;
  const whole = Math.trunc(Math.abs(value));
  const sum = Math.abs(value) + whole;
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && whole > 0 && (Math.abs(value) - whole) / sum < 1e-9;
}

function isInteger(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isInteger(value);
}

function isMultipleOf(value: number | bigint, factor: number): boolean {
  if (isInteger(value) && Number.isInteger(factor)) {
    return typeof value === "bigint" ? value % BigInt(factor) === 0n : value % factor === 0;
  }
  return isWhole(Number(value) / factor);
}

/** Why a number does not fit the type and format that the schema gives. */
function rangeIssue(
  value: number | bigint,
  { type, format }: JSONSchemaProps,
  what: string,
  path: string,
): Issue | undefined {
  const isInt32 = type === "integer" && format === "int32";
  const limit = isInt32 ? int32 : int64;
  const fits =
    type === "integer"
      ? isInteger(value) && value >= -limit && value < limit
      : !(type === "number" && format === "float") || Number.isFinite(Math.fround(Number(value)));
  if (fits) return undefined;
  const known = isInt32 || (type === "integer" && format === "int64") || type === "number";
  const suffix = known && format !== undefined ? `with format ${format}` : "(default format)";
  const message = `${what} value must be of type ${type ?? ""} ${suffix} in ${path}`;
  return { name: undefined, message, cause: "invalid" };
}

type Wrong = readonly [message: string, value?: number] | undefined;

/** Integers that a number cannot hold are bigints. */
export function validateNumber(schema: JSONSchemaProps, value: number | bigint, path: string): Result {
  const result = new Result();
  const isInt = isInteger(value);
  const shown = (bound: number) => (isInt && Number.isInteger(bound) ? String(bound) : goFloat(bound));
  const check = (what: string, bound: number | undefined, compare: (bound: number) => Wrong) => {
    if (bound === undefined) return;
    const outside = rangeIssue(bound, schema, what, path);
    if (outside !== undefined) result.add(outside);
    // Integers are compared with the integer part, unless that is not what the bound says.
    const wrong = compare(outside === undefined && isInt ? Math.trunc(bound) : bound);
    if (wrong !== undefined) {
      result.add({ name: path, message: wrong[0], cause: "invalid", value: wrong[1] ?? value });
    }
  };
  const outside = rangeIssue(value, schema, "Checked", path);
  if (outside !== undefined) result.add(outside);
  check("MultipleOf", schema.multipleOf, (factor) => {
    if (factor <= 0)
      return [`factor MultipleOf declared for ${path} must be positive: ${shown(factor)}`, factor];
    return isMultipleOf(value, factor)
      ? undefined
      : [`${path} in body should be a multiple of ${shown(factor)}`];
  });
  check("Minimum boundary", schema.minimum, (min) => {
    const exclusive = schema.exclusiveMinimum === true;
    if (exclusive ? value > min : value >= min) return undefined;
    return [`${path} in body should be greater than ${exclusive ? "" : "or equal to "}${shown(min)}`];
  });
  check("Maximum boundary", schema.maximum, (max) => {
    const exclusive = schema.exclusiveMaximum === true;
    if (exclusive ? value < max : value <= max) return undefined;
    return [`${path} in body should be less than ${exclusive ? "" : "or equal to "}${shown(max)}`];
  });
  result.matches += 1;
  return result;
}
