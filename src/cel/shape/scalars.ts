import { fromJson } from "../json.ts";
import { parseDuration, parseTimestamp } from "../time.ts";
import { bool, bytes, double, duration, dyn, int, string, timestamp } from "../types.ts";
import type { Type } from "../type.ts";
import { CelError, Double, Duration, type Result } from "../values.ts";
import type { ScalarShape } from "./shape.ts";
import { table } from "../../util/table.ts";

/** Shapes of scalars, with upstream's errors for JSON of another type (`pkg/cel/common/values.go`). */

const scalar = (type: Type, maxSize: number, read: ScalarShape["read"]): ScalarShape => ({
  kind: "scalar",
  type,
  maxSize,
  nullable: false,
  read,
});

const goTypes: Readonly<Record<string, string>> = table({
  boolean: "bool",
  number: "float64",
  bigint: "int64",
  string: "string",
});

function goType(json: unknown): string {
  if (Array.isArray(json)) return "[]interface {}";
  return goTypes[typeof json] ?? "map[string]interface {}";
}

const unexpected = (wanted: string, json: unknown) =>
  new CelError(`invalid data, expected ${wanted}, got ${goType(json)}`);

const isInteger = (json: unknown) => typeof json === "bigint" || Number.isSafeInteger(json);

export const boolShape = scalar(bool, 0, (json) =>
  typeof json === "boolean" ? json : unexpected("bool", json),
);

export const intShape = scalar(int, 0, (json) =>
  isInteger(json) ? fromJson(json) : unexpected("int", json),
);

export const doubleShape = scalar(double, 0, (json) =>
  typeof json === "number" || typeof json === "bigint" ? new Double(Number(json)) : unexpected("float", json),
);

/** JSON of any type. The type is determined when the value is read. */
export const dynShape = scalar(dyn, 0, fromJson);

/** `x-kubernetes-int-or-string`. */
export const intOrStringShape = (maxLength: number): ScalarShape =>
  scalar(dyn, maxLength, (json) =>
    typeof json === "string" || isInteger(json)
      ? fromJson(json)
      : new CelError("invalid data, expected XIntOrString value to be either a string or integer"),
  );

/** A string with a format. `read` returns undefined when the text does not have the format. */
const formatted = (type: Type, maxLength: number, name: string, read: (text: string) => Result | undefined) =>
  scalar(type, maxLength, (json) => {
    if (typeof json !== "string") return unexpected("string", json);
    return read(json) ?? new CelError(`Invalid ${name} ${json}`);
  });

export const stringShape = (maxLength: number): ScalarShape =>
  formatted(string, maxLength, "string", (text) => text);

/** Format `byte`. */
export const bytesShape = (maxLength: number): ScalarShape =>
  formatted(bytes, maxLength, "byte formatted string", (text) =>
    /^[\w+/-]*={0,2}$/.test(text) && text.length % 4 === 0
      ? new Uint8Array(Buffer.from(text, "base64"))
      : undefined,
  );

/** Format `date`. */
export const dateShape = formatted(timestamp, 12, "date formatted string", (text) =>
  parseTimestamp(`${text}T00:00:00Z`),
);

/** Format `date-time`: RFC 3339, optionally without an offset. The empty string is the start of 1970. */
export const dateTimeShape = formatted(timestamp, 32, "date-time formatted string", (text) =>
  text === "" ? parseTimestamp("1970-01-01T00:00:00Z") : (parseTimestamp(text) ?? parseTimestamp(`${text}Z`)),
);

/** Format `duration`: a Go duration, or numbers with words such as `3 days`. */
export const durationShape = formatted(
  duration,
  32,
  "duration",
  (text) => parseDuration(text) ?? inWords(text),
);

const hour = 3_600_000_000_000n;

/** The units by their prefixes or names. The longer ones are first. */
const units: readonly (readonly [pattern: RegExp, nanos: bigint])[] = [
  [/^(ns$|nano)/i, 1n],
  [/^(us$|µs$|micro)/i, 1000n],
  [/^(ms$|milli)/i, 1_000_000n],
  [/^(s$|sec)/i, 1_000_000_000n],
  [/^(m$|min)/i, 60_000_000_000n],
  [/^(h$|hr$|hour)/i, hour],
  [/^(d$|day)/i, 24n * hour],
  [/^(w$|wk$|week)/i, 7n * 24n * hour],
];

function inWords(text: string): Result | undefined {
  let nanos: bigint | undefined;
  for (const [, count = "", word = ""] of text.matchAll(/(\d{1,18})\s*([A-Za-zµ]+)/g)) {
    const [, unit] = units.find(([pattern]) => pattern.test(word)) ?? [];
    if (unit !== undefined) nanos = BigInt.asIntN(64, (nanos ?? 0n) + BigInt(count) * unit);
  }
  const value = nanos === undefined ? undefined : fromJson(nanos);
  return typeof value === "number" || typeof value === "bigint" ? new Duration(value) : undefined;
}
