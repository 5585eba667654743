import { by } from "../util/compare.ts";

/**
 * Reads JSON text. `JSON.parse` silently keeps the last of two equal keys, but strict field validation must
 * report duplicates. A pass over the bytes counts the keys first, so that only texts with duplicates are
 * searched for them.
 */

/** Thrown when a text is not JSON or nests too deep. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

declare global {
  interface JSON {
    /**
     * A value that `stringify` writes as the given text (ECMAScript's JSON.parse source text access; not in
     * TypeScript's library yet).
     */
    rawJSON(text: string): unknown;
  }
}

/** Thrown when a text contains more values than the limit. */
export class TooManyValuesError extends Error {
  override readonly name = "TooManyValuesError";
}

/**
 * The maximum nesting of objects and lists. Upstream's decoder stops at 10,000; here several steps of a write
 * recurse, with several stack frames for each level.
 */
export const maxDepth = 1_000;

/**
 * The maximum number of object members and list items in a text. Upstream has no such limit. Here every pass
 * over the values (parsing, decoding, defaults, owners, validation, encoding) must end within a tenth of a
 * second, because it blocks the event loop. Real objects are far below the limit, including large
 * CustomResourceDefinitions. The limit does not apply to the size of the values.
 */
export const maxValues = 65_536;

export function tooManyValues(): TooManyValuesError {
  return new TooManyValuesError(`limit is ${maxValues} values`);
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;

export interface ParsedJson {
  readonly value: unknown;
  /** The number of keys in the text, including duplicates. */
  readonly keys: number;
  /** The number of object members and list items. */
  readonly values: number;
  readonly text: string;
}

/** @throws JsonError, TooManyValuesError */
export function parseJson(
  bytes: Uint8Array,
  parse: (text: string) => unknown = (text) => JSON.parse(text),
): ParsedJson {
  const { keys, values } = measure(bytes);
  if (values > maxValues) throw tooManyValues();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    return { value: parse(text), keys, values, text };
  } catch (error) {
    throw new JsonError(error instanceof Error ? error.message : "invalid JSON", { cause: error });
  }
}

/**
 * Parses JSON. Integers that a JavaScript number cannot represent exactly become bigints, which `toJson`
 * writes unchanged.
 */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown, { source = "" }: { source?: string } = {}) => {
    if (typeof value !== "number" || Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return value;
    const integer = BigInt(source);
    // Upstream reads numbers beyond Go's integers as floats, too.
    return source === String(value) || integer !== BigInt.asIntN(64, integer) ? value : integer;
  });
}

/** The JSON text of a value that may contain bigints. `indent` as in `JSON.stringify`. */
export function toJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // Bigints are the only values that `JSON.stringify` cannot write, and they are rare.
    if (!(error instanceof TypeError)) throw error;
    const raw = (_: string, inner: unknown) =>
      typeof inner === "bigint" ? JSON.rawJSON(String(inner)) : inner;
    return JSON.stringify(value, raw, indent);
  }
}

/** The value with the keys of all objects sorted, as Go encodes maps. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(by(([key]) => key))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

/**
 * Counts keys and values and checks the depth. Each key has a colon outside of strings. Each value has a
 * comma or an opening bracket.
 */
function measure(bytes: Uint8Array): { readonly keys: number; readonly values: number } {
  let keys = 0;
  let values = 0;
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case quote:
        for (i += 1; i < bytes.length && bytes[i] !== quote; i++) if (bytes[i] === backslash) i += 1;
        break;
      case colon:
        keys += 1;
        break;
      case comma:
        values += 1;
        break;
      case 0x7b:
      case 0x5b:
        values += 1;
        depth += 1;
        if (depth > maxDepth) throw new JsonError("exceeded max depth");
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        break;
    }
  }
  return { keys, values };
}

interface Frame {
  readonly outer: Frame | undefined;
  /** The keys so far in an object; undefined for a list. */
  readonly seen: Set<string> | undefined;
  key: string;
  index: number;
}

/**
 * The maximum number of reported duplicates, as in upstream's decoder (sigs.k8s.io/json, `saveStrictError`).
 */
const mostDuplicates = 100;

/** The paths of duplicate keys, such as `metadata.labels.app`. The text must be valid JSON. */
export function duplicateKeys(text: string): string[] {
  const duplicates = new Set<string>();
  const frames: Frame[] = [];
  let lastString = "";
  for (let i = 0; i < text.length && duplicates.size < mostDuplicates; i++) {
    const frame = frames.at(-1);
    switch (text.charCodeAt(i)) {
      case quote: {
        const end = endOfString(text, i);
        lastString = text.slice(i, end + 1);
        i = end;
        break;
      }
      case 0x7b:
      case 0x5b: {
        const seen = text.charCodeAt(i) === 0x7b ? new Set<string>() : undefined;
        frames.push({ outer: frame, seen, key: "", index: 0 });
        break;
      }
      case 0x7d:
      case 0x5d:
        frames.pop();
        break;
      case comma:
        if (frame !== undefined) frame.index += 1;
        break;
      case colon:
        if (frame?.seen === undefined) break;
        frame.key = JSON.parse(lastString) as string;
        if (frame.seen.has(frame.key)) duplicates.add(pathOf(frame));
        frame.seen.add(frame.key);
    }
  }
  return [...duplicates];
}

/** The index of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text.charCodeAt(i) !== quote) i += text.charCodeAt(i) === backslash ? 2 : 1;
  return i;
}

/**
 * The path of a frame. It is only built for reported keys, because a text may nest deep and have long keys.
 */
function pathOf(frame: Frame | undefined): string {
  const steps: string[] = [];
  for (let at = frame; at !== undefined; at = at.outer)
    steps.push(at.seen === undefined ? `[${at.index}]` : `.${at.key}`);
  const path = steps.toReversed().join("");
  return path.startsWith(".") ? path.slice(1) : path;
}
