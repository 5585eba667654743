import { spend, spendOnText } from "../effort.ts";
import { formatDouble } from "../format-value.ts";
import { decode } from "../standard/conversions.ts";
import { quoted } from "../../util/go-quote.ts";
import { formatDuration, formatTimestamp } from "../time.ts";
import { type Kind, Type } from "../type.ts";
import {
  CelError,
  CelList,
  CelMap,
  Double,
  Duration,
  type Result,
  Timestamp,
  Uint,
  type Value,
} from "../values.ts";
import { runtimeType } from "../runtime-type.ts";
import { fixedPoint, scientific } from "./decimal-text.ts";
import { by } from "../../util/compare.ts";

/** One clause `%…` of a format. */
export interface Clause {
  readonly verb: Verb;
  /** The number of decimal places. */
  readonly precision: number | undefined;
}

export type Verb = keyof typeof accepted;

/** The types that a clause accepts, and the error for others. */
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

/** Reports whether a clause accepts a type. */
export function accepts(verb: Verb, { kind }: Type): boolean {
  const kinds: readonly Kind[] = accepted[verb].kinds;
  return kinds.includes(kind);
}
/** The error for a type that a clause does not accept. */
export const refusal = (verb: Verb, type: Type) => `${accepted[verb].problem}, was given ${type.name}`;

export const isVerb = (verb: string): verb is Verb => Object.hasOwn(accepted, verb);

/** Formats a value, or returns the reason why the clause does not accept it. */
export function formatAs({ verb, precision = 6 }: Clause, value: Value): string | CelError {
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

/** Converts the names of special doubles. */
function doubleOf(value: Value): number | undefined {
  if (value instanceof Double) return value.value;
  return value === "NaN" || value === "Infinity" || value === "-Infinity" ? Number(value) : undefined;
}

function hexadecimal(value: Value): string | undefined {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return integerOf(value)?.toString(16);
}

/** Formats a value for `%s`; undefined for types without a text form. */
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

/** Formats a nested value as a CEL literal, if it has one. */
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

/** Formats a nested double with six decimal places and Go's names of special values. */
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
  const sorted = entries.sort(by(([key]) => key));
  return `{${sorted.map((entry) => entry.join(":")).join(", ")}}`;
}
