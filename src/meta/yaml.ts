import {
  type Alias,
  Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { setOwn } from "./decode.ts";
import { duplicateKeys, JsonError, parseExactly, parseJson } from "./json.ts";
import { resolvePlain } from "./yaml-scalar.ts";
import { table } from "../util/table.ts";
import { isList, isObject } from "../util/is-object.ts";

/** Thrown when a text is not YAML, or has no JSON form. */
export class YamlError extends Error {
  override readonly name = "YamlError";
}

export interface YamlOptions {
  /** Collects duplicate keys, in the words of Go's parser. */
  readonly duplicates?: string[];
  /** True when integers beyond JavaScript's safe range become bigints. */
  readonly exact?: boolean;
}

/**
 * Parses one YAML document to the JSON value that Kubernetes' tools read (sigs.k8s.io/yaml). The last of
 * duplicate keys counts.
 *
 * @throws YamlError
 */
export function parseYamlDocument(text: string, options: YamlOptions = {}): unknown {
  const json = parseAsJson(text, options);
  if (json !== undefined) return json;
  if (text.length > maxLength) throw new YamlError("yaml: longer than 1 MiB; JSON may be longer");
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      schema: "failsafe",
      uniqueKeys: false,
      prettyErrors: false,
      lineCounter: lines,
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const more = errorTexts[error.code] ?? error.message;
      throw new YamlError(`yaml: line ${lines.linePos(error.pos[0]).line}: ${more}`);
    }
    return new Reader(lines, options).read(document.contents);
  } catch (error) {
    if (error instanceof YamlError) throw error;
    throw new YamlError(`yaml: ${String(error)}`, { cause: error });
  }
}

const errorTexts: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: "there is more than one document",
  // The library recurses, so deep nesting overflows its stack.
  RESOURCE_EXHAUSTION: "nests too deep",
};

/** The maximum length. The library takes about a second for it and blocks the event loop. */
const maxLength = 1024 * 1024;

/**
 * Parses a text as JSON first, which is faster. JSON is YAML, and kubectl sends JSON whatever the media type.
 */
export function parseAsJson(text: string, { duplicates, exact }: YamlOptions): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const { value } = parseJson(Buffer.from(text), exact === true ? parseExactly : undefined);
    duplicates?.push(...duplicateKeys(text).map((path) => `key ${JSON.stringify(path)} already set in map`));
    return value;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

const maxDepth = 1000;
/** The maximum number of nodes from aliases: beyond any manifest, and cheap to build. */
const maxAliasedNodes = 100_000;

/** The maximum number of reported duplicates, as for JSON. */
const mostDuplicates = 100;

const core = "tag:yaml.org,2002:";

/** Converts a document's nodes to a JSON value. */
class Reader {
  readonly #lines: LineCounter;
  readonly #duplicates: string[] | undefined;
  readonly #exact: boolean;
  /** The number of aliases around the current node. */
  #aliases = 0;
  #aliasedNodes = 0;
  #depth = 0;
  /** The latest node of each anchor. Nodes are visited in the order of the text. */
  readonly #anchors = new Map<string, Node>();
  /** The anchored nodes around the current one. An alias to one of them would never end. */
  readonly #open = new Set<Node>();

  constructor(lines: LineCounter, { duplicates, exact = false }: YamlOptions) {
    this.#lines = lines;
    this.#duplicates = duplicates;
    this.#exact = exact;
  }

  read(node: unknown): unknown {
    if (this.#aliases > 0 && ++this.#aliasedNodes > maxAliasedNodes) {
      throw new YamlError("yaml: document contains excessive aliasing");
    }
    if (++this.#depth > maxDepth) throw new YamlError("yaml: nests too deep");
    const anchored = isNode(node) && "anchor" in node && node.anchor !== undefined ? node : undefined;
    if (anchored?.anchor !== undefined) {
      if (this.#aliases === 0) this.#anchors.set(anchored.anchor, anchored);
      this.#open.add(anchored);
    }
    const value = this.#value(node);
    if (anchored !== undefined) this.#open.delete(anchored);
    this.#depth -= 1;
    return value;
  }

  #value(node: unknown): unknown {
    if (isScalar(node)) return this.#scalar(node);
    if (isMap(node)) return this.#map(node);
    if (isSeq(node)) return node.items.map((item) => this.read(item));
    return isAlias(node) ? this.#alias(node) : null;
  }

  #alias(node: Alias): unknown {
    const target = this.#anchors.get(node.source);
    if (target === undefined) throw this.#error(node, `unknown anchor '${node.source}' referenced`);
    if (this.#open.has(target)) throw this.#error(node, `anchor '${node.source}' value contains itself`);
    this.#aliases += 1;
    const value = this.read(target);
    this.#aliases -= 1;
    return value;
  }

  #map(node: YAMLMap): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const merged: Record<string, unknown>[] = [];
    for (const { key, value } of node.items) {
      if (isMerge(key)) {
        merged.push(...this.#mergeable(value));
        continue;
      }
      const name = this.#key(key);
      if (Object.hasOwn(result, name)) {
        if ((this.#duplicates?.length ?? 0) < mostDuplicates)
          this.#duplicates?.push(`line ${this.#line(key)}: key ${JSON.stringify(name)} already set in map`);
      }
      setOwn(result, name, this.read(value));
    }
    for (const source of merged) {
      for (const [name, value] of Object.entries(source)) {
        if (!Object.hasOwn(result, name)) setOwn(result, name, value);
      }
    }
    return result;
  }

  /** The maps that `<<` merges: a map or a list of maps, usually aliases. */
  #mergeable(node: unknown): Record<string, unknown>[] {
    const value = this.read(node);
    const sources = isList(value) ? value : [value];
    return sources.map((source) => {
      if (isObject(source)) return source;
      throw this.#error(node, "map merge requires map or sequence of maps as the value");
    });
  }

  #key(node: unknown): string {
    const key = this.read(node);
    if (typeof key === "string") return key;
    if (typeof key === "number" || typeof key === "boolean") return String(key);
    throw this.#error(node, "invalid map key");
  }

  #scalar(node: Scalar): unknown {
    const text = node.source ?? (typeof node.value === "string" ? node.value : "");
    if (node.tag === undefined)
      return node.type === Scalar.PLAIN ? this.#finite(node, resolvePlain(text)) : text;
    if (!node.tag.startsWith(core)) return text;
    const tag = node.tag.slice(core.length);
    if (tag === "binary") return Buffer.from(text, "base64").toString("utf8");
    const expected = tagTypes[tag];
    if (expected === undefined) return text;
    const value = resolvePlain(text);
    if (!expected(value)) throw this.#error(node, `cannot decode \`${text}\` as a !!${tag}`);
    return this.#finite(node, value);
  }

  #finite(node: Scalar, value: ReturnType<typeof resolvePlain>): unknown {
    if (typeof value !== "number") return value;
    if (Number.isFinite(value)) return this.#exact ? exactly(node.source ?? "", value) : value;
    throw this.#error(node, `unsupported value: ${value}`);
  }

  #line(node: unknown): number {
    return this.#lines.linePos((isNode(node) ? node.range?.[0] : undefined) ?? 0).line;
  }

  #error(node: unknown, message: string): YamlError {
    return new YamlError(`yaml: line ${this.#line(node)}: ${message}`);
  }
}

/** Reads integers exactly, in any base. */
function exactly(text: string, value: number): unknown {
  const [, sign = "", prefix, digits = ""] = /^([-+]?)(0[xXbBoO]?)?([0-9a-fA-F_]+)$/.exec(text) ?? [];
  if (Number.isSafeInteger(value) || digits === "") return value;
  const base = prefix === "0" ? "0o" : (prefix ?? "");
  return parseExactly(`${sign === "-" ? "-" : ""}${BigInt(base + digits.replaceAll("_", ""))}`);
}

const tagTypes: Readonly<Record<string, (value: unknown) => boolean>> = table({
  bool: (value) => typeof value === "boolean",
  float: (value) => typeof value === "number",
  int: Number.isInteger,
  null: (value) => value === null,
});

function isMerge(key: unknown): boolean {
  return isScalar(key) && key.type === Scalar.PLAIN && key.source === "<<" && key.tag === undefined;
}

/** Scalars that older parsers read as a merge, a base-60 number, a default or a date. */
const legacy = /^(?:<<|=|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[0-9]{4}-[0-9]{1,2}-[0-9].*)$/;

/** Formats a JSON value as YAML, in kubectl's layout. Any parser reads the same value. */
export function formatYaml(value: unknown): string {
  const document = new Document(value, {
    sortMapEntries: true,
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar(_, node) {
      const { value } = node;
      if (typeof value === "string" && (legacy.test(value) || resolvePlain(value) !== value)) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false });
}
