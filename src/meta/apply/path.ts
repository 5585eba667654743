import { isMember, type FieldSet } from "./field-set.ts";
import { byElement } from "./order.ts";
import { fieldsOf } from "../../util/is-object.ts";

/** A path in an object, as elements of a field set. */
export type Path = readonly string[];

/** All paths of a set in upstream's order: first the members of a node, then the paths below. */
export function pathsOf(set: FieldSet, prefix: Path = []): Path[] {
  const elements = byElement(Object.keys(set).filter((element) => element !== "."));
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

/** The path in the form of error messages: `.spec.ports[port=80,protocol="TCP"].name`. */
export function formatPath(path: Path): string {
  return path.map(formatElement).join("");
}

export function formatElement(element: string): string {
  const text = element.slice(2);
  if (element.startsWith("f:")) return `.${text}`;
  if (element.startsWith("v:")) return `[=${text}]`;
  if (element.startsWith("i:")) return `[${text}]`;
  const keys = Object.entries(fieldsOf(JSON.parse(text)));
  return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
}
