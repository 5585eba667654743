import { setOwn } from "../decode.ts";
import { resolve, type MessageType, type Type } from "../schema.ts";
import {
  asList,
  deleteFrom,
  deletePrefix,
  directive,
  discardNulls,
  type Json,
  noMergeKey,
  orderPrefix,
  retainKeys,
  targetOf,
  unknownPatchType,
  withoutDirectives,
} from "./directives.ts";
import { isObject } from "../../util/is-object.ts";
import { checkOrder, elementKind, type MergeKey, orderItems } from "./element-order.ts";
import { PatchError } from "./errors.ts";

/**
 * Applies a strategic merge patch (apimachinery `util/strategicpatch`): a merge patch whose lists are merged
 * by the schema's merge keys, with directives. The target is not changed; unchanged parts are shared.
 *
 * @throws PatchError `malformed` when the patch itself is invalid; otherwise it does not fit this target.
 */
export function strategicMerge(schema: MessageType, target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) throw new PatchError("invalid JSON document", true);
  return mergeObject(isObject(target) ? target : {}, patch, schema);
}

/** The merge strategy of a field. */
interface FieldMerge {
  /** The type of the field, or of a list's items; undefined beyond the schema. */
  readonly type: Type | undefined;
  readonly merges: boolean;
  /** True when the patch replaces the object. */
  readonly replaces: boolean;
  readonly key: MergeKey;
}

function mergeObject(target: Json, patch: Json, type: Type | undefined): Json {
  if (Object.hasOwn(patch, directive)) return replacedBy(patch);
  const result: Json = retained(target, patch);
  const done = new Set([retainKeys]);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    done.add(key);
    if (mergeInOrder(result, patch, key, type)) done.add(targetOf(key, orderPrefix));
  }
  // Deletions are first, so that one patch can delete an item and add another.
  const keys = Object.keys(patch).filter((key) => !done.has(key));
  for (const key of keys) if (key.startsWith(deletePrefix)) deleteItems(result, patch, key);
  for (const key of keys) if (!key.startsWith(deletePrefix)) mergeField(result, key, patch[key], type);
  return result;
}

/** The result of `$patch` on an object: the patch, or nothing. */
function replacedBy(patch: Json): Json {
  const { [directive]: verb, ...rest } = patch;
  if (verb === "replace") return rest;
  if (verb === "delete") return {};
  throw unknownPatchType(verb, patch);
}

/** A copy of the target with the fields that `$retainKeys` names. */
function retained(target: Json, patch: Json): Json {
  const keep = patch[retainKeys];
  const kept = new Set<unknown>(Array.isArray(keep) ? keep : []);
  const result: Json = {};
  if (keep !== undefined) {
    const fields = Object.keys(patch).filter(
      (key) =>
        key !== retainKeys &&
        patch[key] !== null &&
        !key.startsWith(deletePrefix) &&
        !key.startsWith(orderPrefix),
    );
    if (!Array.isArray(keep) || !fields.every((field) => kept.has(field))) {
      throw new PatchError("invalid patch format of retainKeys", true);
    }
  }
  for (const [key, value] of Object.entries(target)) {
    if (keep === undefined || kept.has(key)) setOwn(result, key, value);
  }
  return result;
}

function mergeField(result: Json, key: string, value: unknown, type: Type | undefined): void {
  const old = Object.hasOwn(result, key) ? result[key] : undefined;
  if (value === null) delete result[key];
  else if (isObject(old) && isObject(value)) {
    const how = lookUp(type, key);
    setOwn(result, key, how.replaces ? value : mergeObject(old, value, how.type));
  } else if (Array.isArray(old) && Array.isArray(value))
    setOwn(result, key, mergeList(old, value, lookUpItems(type, key)));
  else {
    const added = withoutDirectives(discardNulls(value));
    if (added === undefined) delete result[key];
    else setOwn(result, key, added);
  }
}

/** `$deleteFromPrimitiveList/field`: removes these values. */
function deleteItems(result: Json, patch: Json, directiveKey: string): void {
  const key = targetOf(directiveKey, deletePrefix);
  const values = patch[directiveKey];
  if (values === null) delete result[key];
  const old = result[key];
  if (!Array.isArray(old) || !Array.isArray(values)) return;
  setOwn(result, key, deleteFrom(old, values));
}

/** `$setElementOrder/field`: merges the field's list and sorts it. Returns true if it handled the field. */
function mergeInOrder(result: Json, patch: Json, directiveKey: string, type: Type | undefined): boolean {
  const order = asList(patch[directiveKey]);
  const field = targetOf(directiveKey, orderPrefix);
  const live = Object.hasOwn(result, field) ? asList(result[field]) : undefined;
  const list = Object.hasOwn(patch, field) ? asList(patch[field]) : undefined;
  const how = lookUpItems(type, field);
  checkOrder(list ?? [], order, how.key);
  if (live === undefined && list === undefined) return false;
  const merged =
    live === undefined
      ? asList(withoutDirectives(list))
      : list === undefined
        ? live
        : mergeList(live, list, how);
  elementKind([...(live ?? []), ...(list ?? [])]);
  setOwn(result, field, orderItems(merged, order, placesAfter(live ?? [], list ?? [], how.key), how.key));
  return list !== undefined;
}

/** The live order for sorting. As upstream, an added item takes the position of a deleted one. */
function placesAfter(live: readonly unknown[], patch: readonly unknown[], key: MergeKey): readonly unknown[] {
  if (key === undefined) return live;
  const items = patch.filter(isObject);
  const gone = new Set(items.filter((item) => item[directive] === "delete").map((item) => item[key]));
  const kept = live.filter((item) => !(isObject(item) && gone.has(item[key])));
  const keys = new Set(kept.map((item) => (isObject(item) ? item[key] : undefined)));
  const added = items.filter((item) => !Object.hasOwn(item, directive) && !keys.has(item[key]));
  return [...kept, ...added.slice(0, live.length - kept.length)];
}

function mergeList(old: readonly unknown[], patch: readonly unknown[], how: FieldMerge): readonly unknown[] {
  if (!how.merges) return patch;
  if (old.length === 0 && patch.length === 0) return old;
  if (elementKind([...old, ...patch]) !== "object") {
    return orderItems([...new Set([...old, ...patch])], patch, old, undefined);
  }
  if (how.key === undefined) throw new PatchError(`cannot merge lists without merge key for slice`, true);
  return mergeItems(old.filter(isObject), patch.filter(isObject), how.key, how.type);
}

/**
 * Merges items. Items with `$patch` apply to the whole list; other items are merged into the item with the
 * same key, or added.
 */
function mergeItems(
  old: readonly Json[],
  patch: readonly Json[],
  key: string,
  type: Type | undefined,
): readonly unknown[] {
  const deleted = new Set<unknown>();
  let replace = false;
  const items: Json[] = [];
  for (const item of patch) {
    const verb = item[directive];
    if (verb === undefined) items.push(item);
    else if (verb === "replace") replace = true;
    else if (verb === "merge")
      throw new PatchError("merging lists cannot yet be specified in the patch", true);
    else if (verb !== "delete") throw unknownPatchType(verb, item);
    else if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
    else deleted.add(item[key]);
  }
  if (replace) return orderItems(items, [], items, key);
  const base = old.filter((item) => !deleted.has(item[key]));
  const merged: Json[] = [...base];
  /** The first item of each key. */
  const places = new Map(merged.map((item, at) => [item[key], at] as const).toReversed());
  for (const item of items) {
    if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
    const at = places.get(item[key]);
    const found = at === undefined ? undefined : merged[at];
    if (at === undefined || found === undefined) places.set(item[key], merged.push(item) - 1);
    else merged[at] = mergeObject(found, item, type);
  }
  return orderItems(merged, items, base, key);
}

function lookUp(type: Type | undefined, key: string): FieldMerge {
  const message = type === undefined ? undefined : resolve(type);
  if (message?.kind !== "message") {
    const kind = message?.kind === "map" ? "map" : "interface";
    throw new PatchError(`merging an object in json but data type is not struct, instead is: ${kind}`, true);
  }
  const field = message.fields.get(key);
  if (field === undefined) {
    const struct = message.name.slice(message.name.lastIndexOf(".") + 1);
    throw new PatchError(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(key)}`,
      true,
    );
  }
  return {
    type: field.type,
    merges: field.merge !== undefined,
    replaces: field.replace === true,
    key: typeof field.merge === "string" ? field.merge : undefined,
  };
}

function lookUpItems(type: Type | undefined, key: string): FieldMerge {
  const field = lookUp(type, key);
  const list = field.type === undefined ? undefined : resolve(field.type);
  return { ...field, type: list?.kind === "list" ? list.of : undefined };
}
