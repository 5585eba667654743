import { goType, goValue } from "../../meta/go-value.ts";
import { isObject } from "../../util/is-object.ts";

/** A nested field of an object, read as by upstream's `unstructured.NestedInt64` and `NestedString`. */
export type NestedField =
  | { readonly type: "found"; readonly value: unknown }
  | { readonly type: "absent" }
  /** A value of another type is at the path, or at a part of it. */
  | { readonly type: "mismatch"; readonly message: string };

/** `path` has no leading dot. */
export function nestedField(object: object, path: string, expected: "int64" | "string"): NestedField {
  const names = path.split(".");
  let value: unknown = object;
  for (const [i, name] of names.entries()) {
    if (value === null || value === undefined) return { type: "absent" };
    if (!isObject(value)) {
      return mismatch(names.slice(0, i + 1), value, "map[string]interface{}");
    }
    if (!Object.hasOwn(value, name)) return { type: "absent" };
    value = value[name];
  }
  return goType(value) === expected ? { type: "found", value } : mismatch(names, value, expected);
}

function mismatch(names: readonly string[], value: unknown, expected: string): NestedField {
  const message = `.${names.join(".")} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${expected}`;
  return { type: "mismatch", message };
}
