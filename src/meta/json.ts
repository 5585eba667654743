/**
 * JSON text in. `JSON.parse` keeps the last of two equal keys without a word, and strict clients must hear
 * of it; a pass over the bytes counts the keys first, so that only texts which do repeat one pay for a search.
 */

/** The text is not JSON, or nests too deep. */
export class JsonError extends Error {
  override readonly name = "JsonError";
}

declare global {
  interface JSON {
    /** Text that `stringify` writes as it is (ECMAScript's JSON.parse source text access; not in TypeScript's library yet). */
    rawJSON(text: string): unknown;
  }
}

/** Upstream's decoder stops here too. */
const maxDepth = 10_000;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

export interface ParsedJson {
  readonly value: unknown;
  /** How many keys the text holds, duplicates included. */
  readonly keys: number;
  readonly text: string;
}

/** @throws JsonError */
export function parseJson(
  bytes: Uint8Array,
  parse: (text: string) => unknown = (text) => JSON.parse(text),
): ParsedJson {
  const keys = countKeys(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    return { value: parse(text), keys, text };
  } catch (error) {
    throw new JsonError(error instanceof Error ? error.message : "invalid JSON", { cause: error });
  }
}

/**
 * The value that a JSON text holds. Integers that a number cannot hold exactly become bigints: `toJson` writes
 * them as they were.
 */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown, { source = "" }: { source?: string } = {}) => {
    if (typeof value !== "number" || Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return value;
    const integer = BigInt(source);
    // What Go's integers cannot hold is a float to upstream as well.
    return source === String(value) || integer !== BigInt.asIntN(64, integer) ? value : integer;
  });
}

/** The JSON text of a value that may hold bigints. `indent` as in `JSON.stringify`. */
export function toJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // The only thing in a JSON value that cannot be written at once, and rare.
    if (!(error instanceof TypeError)) throw error;
    const raw = (_: string, inner: unknown) =>
      typeof inner === "bigint" ? JSON.rawJSON(String(inner)) : inner;
    return JSON.stringify(value, raw, indent);
  }
}

/** The value with its keys in alphabetical order all the way down, as Go encodes maps. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

/** Colons outside strings, which is the number of keys in a valid text. Bounds the depth on the way. */
function countKeys(bytes: Uint8Array): number {
  let keys = 0;
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case quote:
        for (i += 1; i < bytes.length && bytes[i] !== quote; i++) if (bytes[i] === backslash) i += 1;
        break;
      case colon:
        keys += 1;
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        if (depth > maxDepth) throw new JsonError("exceeded max depth");
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        break;
    }
  }
  return keys;
}

interface Frame {
  /** The path of the container that is open. */
  readonly path: string;
  /** Keys seen so far in an object; undefined for a list. */
  readonly seen: Set<string> | undefined;
  key: string;
  index: number;
}

/** Paths of keys that occur twice in their object, such as `metadata.labels.app`. The text must be valid JSON. */
export function duplicateKeys(text: string): string[] {
  const duplicates = new Set<string>();
  const frames: Frame[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  let lastString = "";
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [symbol] = match;
    const frame = frames.at(-1);
    if (symbol === "{" || symbol === "[") {
      frames.push({ path: pathOf(frame), seen: symbol === "{" ? new Set() : undefined, key: "", index: 0 });
    } else if (symbol === "}" || symbol === "]") {
      frames.pop();
    } else if (symbol === ":" && frame?.seen !== undefined) {
      frame.key = JSON.parse(lastString) as string;
      if (frame.seen.has(frame.key)) duplicates.add(pathOf(frame));
      frame.seen.add(frame.key);
    } else if (symbol === "," && frame !== undefined) {
      frame.index += 1;
    } else {
      lastString = symbol;
    }
  }
  return [...duplicates];
}

function pathOf(frame: Frame | undefined): string {
  if (frame === undefined) return "";
  if (frame.seen === undefined) return `${frame.path}[${frame.index}]`;
  return frame.path === "" ? frame.key : `${frame.path}.${frame.key}`;
}
