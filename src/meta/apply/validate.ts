import { formatElement } from "./path.ts";
import { concrete, isObject, itemElement, partOf, type Shape } from "./shape.ts";

/** What is wrong with a configuration that is to be applied, as `.spec.x: why`. Types were checked when it was decoded. */
export function configProblems(shape: Shape, value: unknown, path = ""): string[] {
  const seen = concrete(shape, value);
  switch (seen.kind) {
    case "leaf":
      return [];
    case "struct":
    case "map":
      return isObject(value)
        ? Object.entries(value).flatMap(([key, inner]) => {
            const part = partOf(seen, key)?.shape;
            if (part === undefined) return [`${path}.${key}: field not declared in schema`];
            return configProblems(part, inner, `${path}.${key}`);
          })
        : [];
    case "set":
    case "keyed":
      return Array.isArray(value) ? listProblems(seen, value, path) : [];
  }
}

function listProblems(
  shape: Extract<Shape, { kind: "set" | "keyed" }>,
  list: readonly unknown[],
  path: string,
): string[] {
  const problems: string[] = [];
  const known = new Set<string>();
  for (const [index, item] of list.entries()) {
    const element = itemElement(shape, item);
    if (element === undefined) {
      problems.push(`${path}: element ${index}: ${whyNoElement(shape, item)}`);
      continue;
    }
    const text = formatElement(element);
    if (known.has(element)) problems.push(`${path}: duplicate entries for key ${text}`);
    known.add(element);
    if (shape.kind === "keyed") problems.push(...configProblems(shape.of, item, path + text));
  }
  return problems;
}

function whyNoElement(shape: Extract<Shape, { kind: "set" | "keyed" }>, item: unknown): string {
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
