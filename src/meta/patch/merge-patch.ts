import { setOwn } from "../decode.ts";
import { PatchError, undecodable } from "./errors.ts";
import { isObject } from "../../util/is-object.ts";

/**
 * Applies a JSON merge patch (RFC 7386): null deletes, objects are merged, other values replace. Shares
 * unchanged parts.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) throw new PatchError(undecodable(patch, "map[string]interface {}"), true);
  return merge(target, patch);
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = {};
  if (isObject(target)) for (const [key, value] of Object.entries(target)) setOwn(result, key, value);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (value !== undefined)
      setOwn(result, key, merge(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result;
}
