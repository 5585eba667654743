import { deepEqual } from "../../util/deep-equal.ts";
import { setOwn } from "../decode.ts";
import { PatchError, PatchTooLargeError, undecodable } from "./errors.ts";
import { fieldsOf, isObject } from "../../util/is-object.ts";

/** The maximum number of operations (apiserver `MaxJSONPatchOperations`). */
export const maxOperations = 10_000;
/** The maximum JSON size of all copies in one patch (apiserver `JSONPatchMaxCopyBytes`). */
const maxCopied = 3 * 2 ** 20;
/**
 * The maximum number of shifted list items in one patch. 10,000 insertions before a million items would take
 * seconds.
 */
const maxShifted = 20_000_000;

/** The work of one patch so far. A few operations can multiply a small document. */
interface Work {
  copied: number;
  shifted: number;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * Applies a JSON patch (RFC 6902), as leniently as upstream (evanphx/json-patch): replace, copy and test
 * treat an absent member as null. The target is not changed. A patch that fails has no effect.
 */
export function applyJsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw new PatchError(undecodable(patch, "[]handlers.jsonPatchOp"), true);
  if (patch.length > maxOperations) {
    throw new PatchTooLargeError(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  const work: Work = { copied: 0, shifted: 0 };
  let document = structuredClone(target);
  for (const operation of patch) document = applyOperation(document, checkOperation(operation), work);
  return document;
}

function checkOperation(operation: unknown): Operation {
  const { op, path, from, value: operand } = fieldsOf(operation);
  if (typeof op !== "string") throw new PatchError("a JSON patch operation must have an op", false);
  if (typeof path !== "string") throw new PatchError(`${op} operation must have a path`, false);
  if (typeof from === "string") return { op, path, from, value: operand };
  if (op === "move" || op === "copy") throw new PatchError(`${op} operation must have a from`, false);
  return { op, path, value: operand };
}

function applyOperation(document: unknown, { op, path, from = "", value }: Operation, work: Work): unknown {
  const fail = (why: string) =>
    new PatchError(`${op} operation does not apply: doc is missing ${why}: ${path}: missing value`, false);
  const pointer = parsePointer(path);
  switch (op) {
    case "add":
      return put(document, pointer, structuredClone(value), { adding: true, work, fail });
    case "replace":
      return put(document, pointer, structuredClone(value), { adding: false, work, fail });
    case "remove":
      return take(document, pointer, work, fail).rest;
    case "copy": {
      const found = find(document, parsePointer(from), fail);
      countCopy(found, work);
      return put(document, pointer, structuredClone(found), { adding: true, work, fail });
    }
    case "move": {
      if (path.startsWith(`${from}/`))
        throw new PatchError(`cannot move ${from} into itself: ${path}`, false);
      const { taken, rest } = take(document, parsePointer(from), work, fail);
      return put(rest, pointer, taken, { adding: true, work, fail });
    }
    case "test":
      if (!deepEqual(find(document, pointer, fail), value ?? null)) {
        throw new PatchError(`testing value ${path} failed: test failed`, false);
      }
      return document;
    default:
      throw new PatchError(`Unexpected kind: ${op}`, false);
  }
}

/** Counts a copy before it is made: forty copies that each double a document would exhaust the memory. */
function countCopy(value: unknown, work: Work): void {
  work.copied += Buffer.byteLength(JSON.stringify(value));
  if (work.copied <= maxCopied) return;
  const grown = `the accumulated size increase of copy is ${work.copied}, exceeding the limit ${maxCopied}`;
  throw new PatchError(`Unable to complete the copy, ${grown}`, false);
}

function countShift(items: number, work: Work): void {
  work.shifted += items;
  if (work.shifted > maxShifted)
    throw new PatchTooLargeError(
      `The allowed maximum of shifted list items in a JSON patch is ${maxShifted}`,
    );
}

type Fail = (why: string) => PatchError;

interface Placement {
  /** False when the operation replaces an existing value. */
  readonly adding: boolean;
  readonly work: Work;
  readonly fail: Fail;
}

function parsePointer(text: string): string[] {
  if (text === "") return [];
  if (!text.startsWith("/")) throw new PatchError(`a JSON pointer must start with a slash: ${text}`, true);
  return text
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function look(document: unknown, pointer: readonly string[], fail: Fail): unknown {
  return pointer.reduce((value, part) => member(value, part, fail), document);
}

/** Finds the value of a pointer. An absent object member is null. */
function find(document: unknown, pointer: readonly string[], fail: Fail): unknown {
  const parent = look(document, pointer.slice(0, -1), fail);
  const last = pointer.at(-1);
  if (last === undefined) return document;
  if (isObject(parent) && !Object.hasOwn(parent, last)) return null;
  return member(parent, last, fail);
}

function member(value: unknown, part: string, fail: Fail): unknown {
  if (Array.isArray(value)) return value[indexIn(value, part, false, fail)];
  if (!isObject(value) || !Object.hasOwn(value, part)) throw fail("path");
  return value[part];
}

/**
 * The index of a pointer's part. An index has no sign and no leading zeros. `-` is the index after the last
 * item, for `add`.
 */
function indexIn(list: readonly unknown[], part: string, adding: boolean, fail: Fail): number {
  if (adding && part === "-") return list.length;
  if (!/^(0|[1-9]\d*)$/.test(part)) throw fail("a valid index");
  const index = Number(part);
  if (index >= list.length + Number(adding)) throw fail("key");
  return index;
}

function put(
  document: unknown,
  pointer: readonly string[],
  value: unknown,
  { adding, work, fail }: Placement,
): unknown {
  const last = pointer.at(-1);
  if (last === undefined) return value;
  const parent = look(document, pointer.slice(0, -1), fail);
  if (Array.isArray(parent)) {
    const index = indexIn(parent, last, adding, fail);
    if (adding) countShift(parent.length - index, work);
    parent.splice(index, adding ? 0 : 1, value);
  } else if (isObject(parent)) {
    setOwn(parent, last, value);
  } else {
    throw fail("key");
  }
  return document;
}

function take(
  document: unknown,
  pointer: readonly string[],
  work: Work,
  fail: Fail,
): { taken: unknown; rest: unknown } {
  const last = pointer.at(-1);
  if (last === undefined) throw fail("key");
  const parent = look(document, pointer.slice(0, -1), fail);
  const taken = member(parent, last, fail);
  if (Array.isArray(parent)) {
    countShift(parent.length - Number(last), work);
    parent.splice(Number(last), 1);
  } else if (isObject(parent)) delete parent[last];
  return { taken, rest: document };
}
