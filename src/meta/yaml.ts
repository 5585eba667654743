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
import { compactBase64, setOwn } from "./decode.ts";
import { duplicateKeys, JsonError, parseExactly, parseJson } from "./json.ts";
import { type PlainScalar, resolvePlain } from "./yaml-scalar.ts";
import { table } from "../util/table.ts";
import { isObject } from "../util/is-object.ts";

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
  if (control.test(text)) throw new YamlError("yaml: control characters are not allowed");
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
    return new Reader(text, lines, options).read(document.contents);
  } catch (error) {
    if (error instanceof YamlError) throw error;
    throw new YamlError(`yaml: ${String(error)}`, { cause: error });
  }
}

const errorTexts: Partial<Record<ErrorCode, string>> = {
  // Upstream reads the first one, and silently leaves out the others.
  MULTIPLE_DOCS: "there is more than one document",
  // The library recurses, so deep nesting overflows its stack.
  RESOURCE_EXHAUSTION: "nests too deep",
};

/** A character that YAML does not allow, as half of a surrogate pair. */
const control = /[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

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
  readonly #text: string;
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

  constructor(text: string, lines: LineCounter, { duplicates, exact = false }: YamlOptions) {
    this.#text = text;
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
    for (const { key, value } of node.items) {
      if (isMerge(key)) {
        for (const source of this.#mergeable(value)) {
          for (const [name, inner] of Object.entries(source)) this.#set(result, name, inner, value);
        }
      } else {
        this.#set(result, this.#key(key), this.read(value), value ?? key);
      }
    }
    return result;
  }

  /** Sets a key, whose value is at a node. */
  #set(target: Record<string, unknown>, key: string, value: unknown, node: unknown): void {
    const duplicates = this.#duplicates;
    if (duplicates !== undefined && duplicates.length < mostDuplicates && Object.hasOwn(target, key)) {
      duplicates.push(`line ${this.#line(node)}: key ${JSON.stringify(key)} already set in map`);
    }
    setOwn(target, key, value);
  }

  /**
   * The maps that `<<` merges, in the order in which each overrides the ones before: a map, or a list of maps, of which
   * the first counts most. Each may be an alias.
   */
  #mergeable(node: unknown): Record<string, unknown>[] {
    const sources = isSeq(node) ? node.items.toReversed() : [node];
    return sources.map((source) => {
      const value = this.read(source);
      if (isObject(value)) return value;
      throw new YamlError("yaml: map merge requires map or sequence of maps as the value");
    });
  }

  #key(node: unknown): string {
    const key = this.read(node);
    if (typeof key === "string") return key;
    if (typeof key === "number" || typeof key === "boolean") return String(key);
    throw this.#error(node, "invalid map key");
  }

  #scalar(node: Scalar): unknown {
    const { source: text = "", tag, type } = node;
    if (tag === undefined) {
      if (type === Scalar.PLAIN) return this.#plain(resolvePlain(text).value);
      return this.#isCut(node) ? text.replace(/\n$/, "") : text;
    }
    const name = tag.startsWith(core) ? tag.slice(core.length) : "";
    if (name === "binary") return binary(text);
    const expected = tagTypes[name];
    if (expected === undefined) return text;
    const resolved = resolvePlain(text);
    if (expected.includes(resolved.type)) return this.#plain(resolved.value);
    throw this.#error(node, `cannot decode !!${resolved.type} \`${text}\` as a !!${name}`);
  }

  #plain(value: PlainScalar["value"]): unknown {
    if (typeof value === "bigint") return this.#exact ? parseExactly(String(value)) : Number(value);
    if (typeof value !== "number" || Number.isFinite(value)) return value;
    const text = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    throw new YamlError(`json: unsupported value: ${text}`);
  }

  /** Reports if a block scalar ends with the text, without a line break. The library's value has one. */
  #isCut({ type, range }: Scalar): boolean {
    const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
    return isBlock && range?.[1] === this.#text.length && !/[\r\n]$/.test(this.#text);
  }

  #line(node: unknown): number {
    return this.#lines.linePos((isNode(node) ? node.range?.[0] : undefined) ?? 0).line;
  }

  #error(node: unknown, message: string): YamlError {
    return new YamlError(`yaml: line ${this.#line(node)}: ${message}`);
  }
}

/** The types of scalars that fit a tag. */
const tagTypes: Readonly<Record<string, readonly PlainScalar["type"][]>> = table({
  bool: ["bool"],
  float: ["float", "int"],
  int: ["int"],
  null: ["null"],
});

function binary(text: string): string {
  const compact = compactBase64(text);
  if (compact === undefined) throw new YamlError("yaml: !!binary value contains invalid base64 data");
  return Buffer.from(compact, "base64").toString("utf8");
}

const mergeTag = `${core}merge`;

function isMerge(key: unknown): boolean {
  return (
    isScalar(key) && key.type === Scalar.PLAIN && key.source === "<<" && (key.tag ?? mergeTag) === mergeTag
  );
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
      if (typeof value === "string" && (legacy.test(value) || resolvePlain(value).type !== "str")) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  return document.toString({ lineWidth: 0, indentSeq: false });
}
