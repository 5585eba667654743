import { traversal } from "../cost/model.ts";
import type { CostModel } from "../cost/model.ts";
import { sizeAt } from "../cost/model.ts";
import { type FunctionDeclaration, global } from "../declarations.ts";
import { formatDouble } from "../format-value.ts";
import { doubleToInt, doubleToUint, int64, parseInteger, uint64 } from "../integers.ts";
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp, timestampOf } from "../time.ts";
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  parameter,
  string,
  timestamp,
  typeOf,
  uint,
} from "../types.ts";
import type { Type } from "../type.ts";
import { CelError, Double, type Int, type Result, Uint, type Value } from "../values.ts";
import { runtimeType } from "../runtime-type.ts";
import { table } from "../../util/table.ts";

const a = parameter("A");

const failure = (from: Type, to: Type) =>
  new CelError(`type conversion error from '${from.name}' to '${to.name}'`);

const same = <V extends Value>(value: V): V => value;

const unsigned = (value: Int | CelError) => (value instanceof CelError ? value : new Uint(value));

function checkedInt(value: Int, integers: typeof int64): Int | CelError {
  return value < integers.min || value > integers.max ? integers.overflow : value;
}

/** The texts that Go's `strconv.ParseBool` accepts. */
const booleans: Readonly<Record<string, boolean>> = table({
  ...Object.fromEntries(["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true])),
  ...Object.fromEntries(["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false])),
});

/** Parses a double like Go's `strconv.ParseFloat`, without hexadecimal. */
function parseDouble(text: string): Double | undefined {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special !== null) {
    const [, sign, name = ""] = special;
    if (/nan/i.test(name)) return sign === "" ? new Double(Number.NaN) : undefined;
    return new Double(sign === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);
  }
  if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? new Double(value) : undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. */
export function decode(value: Uint8Array): string | CelError {
  try {
    return utf8.decode(value);
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

/** The cost of encoding. A character takes up to four bytes, and four bytes may be one character. */
const encoding: CostModel = {
  estimate: (args) => {
    const { min, max } = sizeAt(args, 0);
    return { ...traversal(0).estimate(args), size: { min, max: Math.min(max * 4, 2 ** 64) } };
  },
  actual: traversal(0).actual,
};
const decoding: CostModel = {
  estimate: (args) => {
    const { min, max } = sizeAt(args, 0);
    return { ...traversal(0).estimate(args), size: { min: Math.floor(min / 4), max } };
  },
  actual: traversal(0).actual,
};

/** Declares a conversion. All overloads fold constants, which are free. */
const conversion = (name: string, ...overloads: FunctionDeclaration["overloads"]): FunctionDeclaration => ({
  name,
  overloads,
  folds: true,
});

/** Declares a conversion to a time type, whose literal arguments must be valid. */
const timeConversion = (
  name: string,
  read: (literal: Value) => Result | undefined,
  ...overloads: FunctionDeclaration["overloads"]
): FunctionDeclaration => ({
  ...conversion(name, ...overloads),
  acceptsLiteral: (literal) => {
    const value = read(literal);
    return value !== undefined && !(value instanceof CelError);
  },
});

function timestampFrom(literal: Value): Result | undefined {
  if (typeof literal === "string") return parseTimestamp(literal);
  return typeof literal === "number" || typeof literal === "bigint" ? timestampOf(literal, 0) : undefined;
}

const durationFrom = (literal: Value) => (typeof literal === "string" ? parseDuration(literal) : undefined);

export const conversions: readonly FunctionDeclaration[] = [
  conversion("type", global("type", [a], typeOf(a), runtimeType)),
  conversion("dyn", global("to_dyn", [a], dyn, same)),
  conversion(
    "bool",
    global("bool_to_bool", [bool], bool, same),
    global("string_to_bool", [string], bool, (text) => ownBoolean(text) ?? failure(string, bool)),
  ),
  conversion(
    "bytes",
    global("bytes_to_bytes", [bytes], bytes, same),
    global("string_to_bytes", [string], bytes, (text) => new Uint8Array(Buffer.from(text, "utf8")), encoding),
  ),
  conversion(
    "double",
    global("double_to_double", [double], double, same),
    global("int64_to_double", [int], double, (value) => new Double(Number(value))),
    global("string_to_double", [string], double, (text) => parseDouble(text) ?? failure(string, double)),
    global("uint64_to_double", [uint], double, ({ value }) => new Double(Number(value))),
  ),
  timeConversion(
    "duration",
    durationFrom,
    global("duration_to_duration", [duration], duration, same),
    // Declared by upstream, but not implemented.
    global("int64_to_duration", [int], duration, () => failure(int, duration)),
    global(
      "string_to_duration",
      [string],
      duration,
      (text) => parseDuration(text) ?? failure(string, duration),
    ),
  ),
  conversion(
    "int",
    global("int64_to_int64", [int], int, same),
    global("double_to_int64", [double], int, ({ value }) => doubleToInt(value)),
    global("duration_to_int64", [duration], int, ({ nanos }) => nanos),
    global("string_to_int64", [string], int, (text) => parseInteger(int64, text) ?? failure(string, int)),
    global("timestamp_to_int64", [timestamp], int, ({ seconds }) => seconds),
    global("uint64_to_int64", [uint], int, ({ value }) => checkedInt(value, int64)),
  ),
  conversion(
    "string",
    global("string_to_string", [string], string, same),
    global("bool_to_string", [bool], string, String),
    global("bytes_to_string", [bytes], string, decode, decoding),
    global("double_to_string", [double], string, ({ value }) => formatDouble(value)),
    global("duration_to_string", [duration], string, formatDuration),
    global("int64_to_string", [int], string, String),
    global("timestamp_to_string", [timestamp], string, formatTimestamp),
    global("uint64_to_string", [uint], string, ({ value }) => String(value)),
  ),
  timeConversion(
    "timestamp",
    timestampFrom,
    global("timestamp_to_timestamp", [timestamp], timestamp, same),
    global("int64_to_timestamp", [int], timestamp, (seconds) => timestampOf(seconds, 0)),
    global(
      "string_to_timestamp",
      [string],
      timestamp,
      (text) => parseTimestamp(text) ?? failure(string, timestamp),
    ),
  ),
  conversion(
    "uint",
    global("uint64_to_uint64", [uint], uint, same),
    global("double_to_uint64", [double], uint, ({ value }) => unsigned(doubleToUint(value))),
    global("int64_to_uint64", [int], uint, (value) => unsigned(checkedInt(value, uint64))),
    global("string_to_uint64", [string], uint, (text) => parseUint(text) ?? failure(string, uint)),
  ),
];

const ownBoolean = (text: string) => (Object.hasOwn(booleans, text) ? booleans[text] : undefined);

function parseUint(text: string): (Result & Uint) | undefined {
  const value = parseInteger(uint64, text);
  return value === undefined ? undefined : new Uint(value);
}
