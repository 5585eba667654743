import { type FieldSet, type FieldSetDraft, leaf } from "./field-set.ts";
import { concrete, itemElement, partOf, type Shape } from "./shape.ts";
import { isList, isObject } from "../../util/is-object.ts";

/** All paths of a value that was added or removed as a whole, including its own. */
export function subtree(shape: Shape, value: unknown): FieldSet {
  const seen = concrete(shape, value);
  const result: FieldSetDraft = { ".": leaf };
  let empty = true;
  if ((seen.kind === "struct" || seen.kind === "map") && isObject(value)) {
    for (const key in value) {
      const part = value[key] === undefined ? undefined : partOf(seen, key);
      if (part === undefined) continue;
      result[part.element] = subtree(part.shape, value[key]);
      empty = false;
    }
  } else if ((seen.kind === "set" || seen.kind === "keyed") && isList(value)) {
    for (const item of value) {
      const element = itemElement(seen, item);
      if (element === undefined) continue;
      const isTwin = result[element] !== undefined;
      result[element] = isTwin || seen.kind === "set" ? leaf : subtree(seen.of, item);
      empty = false;
    }
  }
  return empty ? leaf : result;
}
