import { isMember, type FieldSet } from "./field-set.ts";

/** A path in an object, as elements of a field set. */
export type Path = readonly string[];

/** All paths of a set in upstream's order: a node's own members first, then what lies deeper. */
export function pathsOf(set: FieldSet, prefix: Path = []): Path[] {
  const elements = Object.keys(set)
    .filter((element) => element !== ".")
    .sort(compareElements);
  const members: Path[] = [];
  const deeper: Path[] = [];
  for (const element of elements) {
    const node = set[element];
    if (node === undefined) continue;
    const path = [...prefix, element];
    if (isMember(node)) members.push(path);
    deeper.push(...pathsOf(node, path));
  }
  return [...members, ...deeper];
}

/** As errors write it: `.spec.ports[port=80,protocol="TCP"].name`. */
export function formatPath(path: Path): string {
  return path.map(formatElement).join("");
}

export function formatElement(element: string): string {
  const text = element.slice(2);
  if (element.startsWith("f:")) return `.${text}`;
  if (element.startsWith("v:")) return `[=${text}]`;
  if (element.startsWith("i:")) return `[${text}]`;
  const keys = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
}

/** Fields by name; items by their keys, numbers as numbers. */
function compareElements(a: string, b: string): number {
  if (a.startsWith("k:") && b.startsWith("k:")) return compareKeys(a, b);
  if (a.startsWith("v:") && b.startsWith("v:")) return compareValues(parse(a), parse(b));
  return compareValues(a, b);
}

function parse(element: string): unknown {
  return JSON.parse(element.slice(2));
}

function compareKeys(a: string, b: string): number {
  const left = Object.entries(parse(a) as object);
  const right = Object.entries(parse(b) as object);
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareValues(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Numbers come before strings, and strings before booleans. */
function compareValues(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : Number(a > b);
  const rank = (value: unknown) => ["number", "string", "boolean"].indexOf(typeof value);
  return rank(a) - rank(b) || Number(a) - Number(b);
}
