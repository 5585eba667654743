import { goSyntax, goType, goValue } from "../go-value.ts";
import {
  type ListType,
  type MapType,
  type MessageType,
  resolve,
  type ScalarType,
  type Type,
} from "../schema.ts";
import { formatElement } from "./path.ts";
import { isObject, itemElement, type KeyedShape, type SetShape, shapeOf } from "./shape.ts";

/** What is wrong with a configuration that is to be applied, as `.spec.x: why` (structured-merge-diff `typed/validate.go`). */
export function configProblems(lazyType: Type, value: unknown, path = ""): string[] {
  if (value === null) return [];
  const type = resolve(lazyType);
  switch (type.kind) {
    case "scalar": {
      const problem = scalarProblem(type, value);
      return problem === undefined ? [] : [`${path}: ${problem}`];
    }
    case "list":
      return Array.isArray(value) ? listProblems(type, value, path) : [mismatch(path, "list", value)];
    case "map":
    case "message":
      return isObject(value) ? fieldProblems(type, value, path) : [mismatch(path, "map", value)];
  }
}

function mismatch(path: string, wanted: string, value: unknown): string {
  return `${path}: expected ${wanted}, got &{${goValue(value)}}`;
}

function scalarProblem({ name }: ScalarType, value: unknown): string | undefined {
  switch (name) {
    case "int32":
    case "int64":
    case "double":
      if (typeof value === "number" || typeof value === "bigint") return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case "string":
      if (typeof value === "string") return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goValue(value)}}`;
    case "json":
    case "rawExtension":
    case "fieldsV1":
      return undefined;
    default:
      return typeof value === "object" ? `expected any scalar, got &{${goValue(value)}}` : undefined;
  }
}

function fieldProblems(
  type: MapType | MessageType,
  value: Readonly<Record<string, unknown>>,
  path: string,
): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const field = type.kind === "map" ? type.of : type.fields.get(key)?.type;
    if (field !== undefined) return configProblems(field, inner, `${path}.${key}`);
    return isExtra(type, key) ? [] : [`${path}.${key}: field not declared in schema`];
  });
}

/** Whether a key that is not declared may stand there all the same. */
function isExtra(type: MapType | MessageType, key: string): boolean {
  if (type.kind === "map") return false;
  return type.open || (type.typed === true && (key === "apiVersion" || key === "kind"));
}

function listProblems(type: ListType, list: readonly unknown[], path: string): string[] {
  const shape = shapeOf(type);
  const isAssociative = shape.kind === "set" || shape.kind === "keyed";
  const problems: string[] = [];
  const known = new Set<string>();
  for (const [index, item] of list.entries()) {
    const element = isAssociative ? itemElement(shape, item) : `i:${index}`;
    if (element === undefined && isAssociative) {
      problems.push(`${path}: element ${index}: ${whyNoElement(shape, item)}`);
      continue;
    }
    const text = formatElement(element ?? "");
    if (known.has(text)) problems.push(`${path}: duplicate entries for key ${text}`);
    known.add(text);
    problems.push(...configProblems(type.of, item, path + text));
  }
  return problems;
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
