import { quoted } from "../../util/go-quote.ts";
import { goFloat, goSyntax, goType, goValue } from "../go-value.ts";
import {
  type ListType,
  type MapType,
  type MessageType,
  resolve,
  type ScalarType,
  type Type,
} from "../schema.ts";
import { isObject } from "../../util/is-object.ts";
import { type KeyedShape, type SetShape, shapeOf } from "./shape.ts";

/**
 * The maximum number of characters of all problems together. Paths repeat the keys above them, and a key may
 * be long.
 */
const maxText = 1 << 18;

/**
 * The problems of an applied configuration, as `.spec.x: why` (structured-merge-diff `typed/validate.go`).
 * Where upstream's order is that of a Go map, the order here is that of the configuration.
 */
export function configProblems(type: Type, value: unknown): string[] {
  const problems: string[] = [];
  let length = 0;
  for (const problem of problemsOf(type, value, "")) {
    length += problem.length;
    if (length > maxText) break;
    problems.push(problem);
  }
  return problems;
}

function* problemsOf(lazyType: Type, value: unknown, path: string): Generator<string, void> {
  if (value === null || value === undefined) return;
  const type = resolve(lazyType);
  switch (type.kind) {
    case "scalar": {
      const problem = scalarProblem(type, value);
      if (problem !== undefined) yield `${path}: ${problem}`;
      return;
    }
    case "list":
      if (Array.isArray(value)) yield* listProblems(type, value, path);
      else yield `${path}: expected list, got &{${shown(value)}}`;
      return;
    case "map":
    case "message":
      if (isObject(value)) yield* fieldProblems(type, value, path);
      else yield `${path}: expected map, got &{${shown(value)}}`;
  }
}

/** Formats a number as a float, because upstream reads YAML numbers as floats. */
const asFloat = (value: number | bigint) => goFloat(Number(value));
const shown = (value: unknown) => goValue(value, asFloat);

function scalarProblem({ name }: ScalarType, value: unknown): string | undefined {
  switch (name) {
    case "int32":
    case "int64":
    case "double":
      if (typeof value === "number" || typeof value === "bigint") return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case "string":
    case "bytes":
    case "duration":
      if (typeof value === "string") return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value, asFloat)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${shown(value)}}`;
    case "json":
    case "rawExtension":
    case "fieldsV1":
      return undefined;
    default:
      return typeof value === "object" ? `expected any scalar, got &{${shown(value)}}` : undefined;
  }
}

/** Validates fields. Upstream stops at the first unknown key. */
function* fieldProblems(
  type: MapType | MessageType,
  value: Readonly<Record<string, unknown>>,
  path: string,
): Generator<string, void> {
  let undeclared: string | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const field = type.kind === "map" ? type.of : type.fields.get(key)?.type;
    if (field !== undefined) yield* problemsOf(field, inner, `${path}.${key}`);
    else if (!isExtra(type, key)) undeclared ??= key;
  }
  if (undeclared !== undefined) yield `${path}.${undeclared}: field not declared in schema`;
}

/** Reports whether an undeclared key is allowed. */
function isExtra(type: MapType | MessageType, key: string): boolean {
  if (type.kind === "map") return false;
  return type.open || (type.typed === true && (key === "apiVersion" || key === "kind"));
}

/** Validates items. Upstream stops at the first item without a unique identity. */
function* listProblems(type: ListType, list: readonly unknown[], path: string): Generator<string, void> {
  const shape = shapeOf(type);
  const isAssociative = shape.kind === "set" || shape.kind === "keyed";
  const known = new Set<string>();
  for (const [index, item] of list.entries()) {
    const element = isAssociative ? elementText(shape, item) : `[${index}]`;
    if (element === undefined && isAssociative) {
      yield `${path}: element ${index}: ${whyNoElement(shape, item)}`;
      return;
    }
    const text = element ?? "";
    if (known.has(text)) yield `${path}: duplicate entries for key ${text}`;
    known.add(text);
    yield* problemsOf(type.of, item, path + text);
  }
}

/** The path element of an item, whose values may be invalid; undefined when it has none. */
function elementText(shape: SetShape | KeyedShape, item: unknown): string | undefined {
  if (shape.kind === "set") return typeof item === "object" ? undefined : `[=${keyText(item)}]`;
  if (!isObject(item)) return undefined;
  const keys = shape.keys
    .map(({ name, fallback }) => ({ name, value: Object.hasOwn(item, name) ? item[name] : fallback }))
    .filter(({ value }) => value !== undefined);
  return keys.length === 0
    ? undefined
    : `[${keys.map(({ name, value }) => `${name}=${keyText(value)}`).join(",")}]`;
}

function keyText(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map(keyText).join(",")}]`;
  if (!isObject(value)) return shown(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}=${keyText(inner)}`)
    .join("");
}

function whyNoElement(shape: SetShape | KeyedShape, item: unknown): string {
  if (shape.kind === "set") {
    if (item === null) return "associative list without keys has an element that's an explicit null";
    return Array.isArray(item)
      ? "not supported: associative list with lists as elements"
      : "associative list without keys has an element that's a map type";
  }
  if (item === null) return "associative list with keys may not have a null element";
  if (!isObject(item)) return "associative list with keys may not have non-map elements";
  const keys = shape.keys.map(({ name }) => JSON.stringify(name)).join(" ");
  return `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
}
