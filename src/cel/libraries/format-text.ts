import type { Call, Expression } from "../ast.ts";
import { spend, spendOnText } from "../effort.ts";
import { formatDouble } from "../format-value.ts";
import type { Issue } from "../source.ts";
import { decode } from "../standard/conversions.ts";
import { quoted } from "../text.ts";
import { formatDuration, formatTimestamp } from "../time.ts";
import { type Kind, Type } from "../types.ts";
import {
  CelError,
  CelList,
  CelMap,
  Double,
  Duration,
  type Result,
  runtimeType,
  Timestamp,
  Uint,
  type Value,
} from "../values.ts";
import { fixedPoint, scientific } from "./decimal-text.ts";

/** `text.format(values)` as the second version of cel-go's library of texts has it, in American English. */

/** One `%…` of a format. */
interface Clause {
  readonly verb: Verb;
  /** Digits behind the point. */
  readonly precision: number | undefined;
}

type Verb = keyof typeof accepted;

/** The types that a clause takes, and what is said of others. */
const accepted = {
  s: {
    kinds: [
      "list",
      "map",
      "int",
      "uint",
      "double",
      "bool",
      "string",
      "timestamp",
      "bytes",
      "duration",
      "type",
      "null",
    ],
    problem:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  },
  d: { kinds: ["int", "uint"], problem: "decimal clause can only be used on integers" },
  f: { kinds: ["double", "string"], problem: "fixed-point clause can only be used on doubles" },
  e: { kinds: ["double", "string"], problem: "scientific clause can only be used on doubles" },
  b: { kinds: ["int", "uint", "bool"], problem: "only integers and bools can be formatted as binary" },
  x: {
    kinds: ["int", "uint", "string", "bytes"],
    problem: "only integers, byte buffers, and strings can be formatted as hex",
  },
  X: {
    kinds: ["int", "uint", "string", "bytes"],
    problem: "only integers, byte buffers, and strings can be formatted as hex",
  },
  o: { kinds: ["int", "uint"], problem: "octal clause can only be used on integers" },
} as const satisfies Record<string, { kinds: readonly Kind[]; problem: string }>;

const accepts = (verb: Verb, { kind }: Type) => (accepted[verb].kinds as readonly Kind[]).includes(kind);
const refusal = (verb: Verb, type: Type) => `${accepted[verb].problem}, was given ${type.name}`;

/** What is wrong with a format, and with which of its arguments. */
interface Failure {
  readonly message: string;
  readonly argument?: Expression;
}

const isFailure = (result: string | Failure): result is Failure => typeof result !== "string";
const during = (failure: Failure): Failure => ({
  ...failure,
  message: `error during formatting: ${failure.message}`,
});

interface Arguments {
  readonly size: number;
  /** Whether one that is missing is noticed before the clause is read. */
  readonly isEager: boolean;
  readonly put: (clause: Clause, index: number) => string | Failure;
}

/** Replaces each clause by what `put` makes of the argument that it stands for. */
function interpolate(format: string, { size, isEager, put }: Arguments): Interpolation {
  const parts: string[] = [];
  let used = 0;
  let at = 0;
  for (;;) {
    const next = format.indexOf("%", at);
    if (next < 0) return { text: parts.join("") + format.slice(at), used };
    spend(1);
    parts.push(format.slice(at, next));
    at = next + 1;
    if (format.charAt(at) === "%") {
      parts.push("%");
      at += 1;
      continue;
    }
    if (at >= format.length && (!isEager || used < size)) return { message: "unexpected end of string" };
    if (used >= size) return { message: `index ${used} out of range` };
    const [clause, end] = readClause(format, at);
    if ("message" in clause) return { message: `could not parse formatting clause: ${clause.message}` };
    const text = put(clause, used);
    if (isFailure(text)) return during(text);
    spendOnText(text.length);
    parts.push(text);
    used += 1;
    at = end;
  }
}

type Interpolation = { readonly text: string; readonly used: number } | Failure;

/** The clause that begins behind a percent sign, and where it ends. */
function readClause(format: string, start: number): readonly [Clause | Failure, number] {
  const [, digits] = /^\.([0-9]*)/.exec(format.slice(start, start + 1000)) ?? [];
  const at = digits === undefined ? start : start + 1 + digits.length;
  const inPrecision = "error while parsing precision:";
  if (at >= format.length) {
    return [{ message: `${inPrecision} could not find end of precision specifier` }, at];
  }
  const precision = digits === undefined ? undefined : Number(digits);
  if (digits === "" || (precision !== undefined && precision >= 2 ** 63)) {
    const problem = digits === "" ? "invalid syntax" : "value out of range";
    const parsing = `error while converting precision to integer: strconv.Atoi: parsing ${quoted(digits ?? "")}`;
    return [{ message: `${inPrecision} ${parsing}: ${problem}` }, at];
  }
  const verb = format.charAt(at);
  if (isVerb(verb)) return [{ verb, precision }, at + 1];
  // Upstream looks at bytes.
  const byte = String.fromCharCode(Buffer.from(format.slice(at, at + 2))[0] ?? 0);
  return [{ message: `unrecognized formatting clause "${byte}"` }, at];
}

const isVerb = (verb: string): verb is Verb => Object.hasOwn(accepted, verb);

export function format(text: string, values: CelList): string | CelError {
  const result = interpolate(text, {
    size: values.size,
    isEager: true,
    put: (clause, index) => {
      const value = values.at(index);
      const formatted = value instanceof CelError ? value : formatAs(clause, value);
      return formatted instanceof CelError ? { message: formatted.message } : formatted;
    },
  });
  return "message" in result ? new CelError(result.message) : result.text;
}

/** What can be said of a call whose format and list of arguments are literals. */
export function checkFormat(call: Call, typeOf: (expression: Expression) => Type): readonly Issue[] {
  const {
    target,
    args: [list],
    offset,
  } = call;
  if (target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return [];
  const values = list.elements.map(({ value }) => value);
  const result = interpolate(target.value, {
    size: values.length,
    isEager: false,
    put: ({ verb }, index) => {
      const argument = values[index];
      const wrong = argument && stranger(verb, argument, typeOf);
      return wrong === undefined ? "" : { message: refusal(verb, typeOf(wrong)), argument: wrong };
    },
  });
  if ("message" in result) return [{ message: result.message, offset: result.argument?.offset ?? offset }];
  if (values.length <= result.used) return [];
  const counts = `expected ${result.used}, got ${values.length}`;
  return [{ message: `too many arguments supplied to string.format (${counts})`, offset }];
}

/** The argument when its type does not fit, or what is in it: lists and maps may be nested in each other. */
function stranger(
  verb: Verb,
  argument: Expression,
  typeOf: (expression: Expression) => Type,
): Expression | undefined {
  const type = typeOf(argument);
  if (type.kind !== "dyn" && !accepts(verb, type)) return argument;
  if (verb !== "s" || (argument.kind !== "list" && argument.kind !== "map")) return undefined;
  const parts =
    argument.kind === "list"
      ? argument.elements.map(({ value }) => value)
      : argument.entries.flatMap(({ key, value }) => [key, value]);
  for (const part of parts) {
    const wrong = stranger(verb, part, typeOf);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function formatAs({ verb, precision = 6 }: Clause, value: Value): string | CelError {
  const wrong = new CelError(refusal(verb, runtimeType(value)));
  switch (verb) {
    case "s":
      return formatPlainly(value) ?? wrong;
    case "d":
      return integerOf(value)?.toString() ?? wrong;
    case "f":
    case "e": {
      const number = doubleOf(value);
      if (number === undefined) return wrong;
      return verb === "f" ? fixedPoint(number, precision) : scientific(number, precision);
    }
    case "b":
      return (typeof value === "boolean" ? Number(value) : integerOf(value))?.toString(2) ?? wrong;
    case "x":
      return hexadecimal(value) ?? wrong;
    case "X":
      return hexadecimal(value)?.toUpperCase() ?? wrong;
    case "o":
      return integerOf(value)?.toString(8) ?? wrong;
  }
}

function integerOf(value: Value) {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof Uint ? value.value : undefined;
}

/** Some doubles have names. */
function doubleOf(value: Value): number | undefined {
  if (value instanceof Double) return value.value;
  return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : undefined;
}

function hexadecimal(value: Value): string | undefined {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return integerOf(value)?.toString(16);
}

/** As `%s` shows it; undefined for types that have no text. */
function formatPlainly(value: Value): string | CelError | undefined {
  if (value === null) return "null";
  if (typeof value !== "object") return String(value);
  if (value instanceof CelList || value instanceof CelMap) return formatNested(value);
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Type) return value.name;
  if (!(value instanceof Uint8Array)) return undefined;
  const text = decode(value);
  if (!(text instanceof CelError)) return text;
  return new CelError(`could not convert argument ${quoted(text.message)} to string`);
}

/** As a literal of the language, where there is one. */
function formatNested(value: Result): string | CelError {
  spend(1);
  if (value instanceof CelError) return value;
  if (typeof value === "string") return (spendOnText(value.length), quoted(value));
  if (value instanceof CelList) return formatList(value);
  if (value instanceof CelMap) return formatMap(value);
  if (value instanceof Double) return formatElement(value.value);
  const text =
    formatPlainly(value) ?? new CelError(`no formatting function for ${runtimeType(value ?? null).name}`);
  if (text instanceof CelError) return text;
  if (value instanceof Timestamp) return `timestamp(${quoted(text)})`;
  if (value instanceof Duration) return `duration(${quoted(text)})`;
  return value instanceof Uint8Array ? `b${quoted(text)}` : text;
}

/** With Go's names for what is no number, and six digits behind the point. */
const formatElement = (value: number) =>
  Number.isFinite(value) ? fixedPoint(value, 6, "") : quoted(formatDouble(value));

function formatList(list: CelList): string | CelError {
  const elements: string[] = [];
  for (const element of list) {
    const text = formatNested(element);
    if (text instanceof CelError) return text;
    elements.push(text);
  }
  return `[${elements.join(", ")}]`;
}

function formatMap(map: CelMap): string | CelError {
  const entries: (readonly [key: string, value: string])[] = [];
  for (const key of map.keys()) {
    const { kind, name } = runtimeType(key);
    if (!["string", "bool", "int", "uint"].includes(kind)) {
      return new CelError(`no formatting function for map key of type ${name}`);
    }
    const text = formatNested(key);
    if (text instanceof CelError) return text;
    const found = map.get(key);
    const value = formatNested(found === undefined ? new CelError(`could not find key: ${text}`) : found);
    if (value instanceof CelError) return value;
    entries.push([text, value]);
  }
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map((entry) => entry.join(":")).join(", ")}}`;
}
