import { isObject } from "../../util/is-object.ts";
import { setOwn } from "../decode.ts";
import { PatchError } from "./errors.ts";

/** The directives of strategic merge patch: keys that are instructions, and their errors. */
export const directive = "$patch";

export const retainKeys = "$retainKeys";

export const deletePrefix = "$deleteFromPrimitiveList";

export const orderPrefix = "$setElementOrder";

export type Json = Record<string, unknown>;

/** The field of a directive such as `$setElementOrder/containers`. */
export function targetOf(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  const what = prefix === deletePrefix ? "primitive list" : "setElementOrder list";
  throw new PatchError(`invalid patch format of ${what}`, true);
}

export function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new PatchError(`expected a []interface {}, but received a ${goType(value)}`, true);
}

export function unknownPatchType(verb: unknown, item: Json): PatchError {
  return new PatchError(`unknown patch type: ${print(verb)} in map: ${print(item)}`, true);
}

export function noMergeKey(item: Json, key: string): PatchError {
  return new PatchError(`map: ${print(item)} does not contain declared merge key: ${key}`, true);
}

/** The list without these values. */
export function deleteFrom(list: readonly unknown[], values: readonly unknown[]): readonly unknown[] {
  const gone = new Set(values);
  return list.filter((item) => !gone.has(item));
}

/** The value without nulls. In a new value, null deletes nothing. */
export function discardNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(discardNulls);
  if (!isObject(value)) return value;
  const result: Json = {};
  for (const [key, inner] of Object.entries(value))
    if (inner !== null) setOwn(result, key, discardNulls(inner));
  return result;
}

/** The value without directive objects; undefined when the value is one itself. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const result: Json = {};
  for (const [key, inner] of Object.entries(value)) {
    const kept = withoutDirectives(inner);
    if (kept !== undefined) setOwn(result, key, kept);
  }
  return result;
}

function goType(value: unknown): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value;
}

/** A value as Go prints it with `%v`: `map[a:1 b:[x y]]`, keys sorted. */
export function print(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(print).join(" ")}]`;
  if (!isObject(value)) return typeof value === "string" ? value : JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${print(value[key])}`).join(" ")}]`;
}
