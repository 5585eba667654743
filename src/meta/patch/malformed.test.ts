import { expect, test } from "vitest";
import { keyed, list, map, messages, optional, set, string } from "../schema.ts";
import { asList, discardNulls, print, withoutDirectives } from "./directives.ts";
import { elementKind } from "./element-order.ts";
import { PatchError, PatchTooLargeError } from "./errors.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { mergePatch } from "./merge-patch.ts";
import { strategicMerge } from "./strategic-merge.ts";

const message = messages("io.test");
const Item = message("Item", "An item.", {
  name: optional(1, string, "A key."),
  image: optional(2, string, "A value."),
});
const Thing = message("Thing", "An object to patch.", {
  labels: optional(1, map(map(string)), "A map."),
  items: optional(2, keyed(Item, "name"), "Merged by name.", { merge: "name" }),
  finalizers: optional(3, set(string), "Merged as a set.", { merge: true }),
  lists: optional(4, list(list(string)), "Lists of lists.", { merge: true }),
  text: optional(5, string, "A text."),
  unkeyed: optional(6, list(Item), "Without a key.", { merge: true }),
});

/** The error of an action, as `malformed: message` or `unfit: message`. */
function errorOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof PatchError) return `${error.malformed ? "malformed" : "unfit"}: ${error.message}`;
    throw error;
  }
  return "none";
}

const order = "$setElementOrder";

/** Messages as apimachinery's `strategicpatch` has them. */
test.each<[unknown, unknown, string]>([
  [{}, [], "malformed: invalid JSON document"],
  [
    {},
    { $patch: "merge", a: [1, true, null] },
    "malformed: unknown patch type: merge in map: map[$patch:merge a:[1 true <nil>]]",
  ],
  [{}, { $setElementOrder: [] }, "malformed: invalid patch format of setElementOrder list"],
  [{}, { "$deleteFromPrimitiveList.a": [] }, "malformed: invalid patch format of primitive list"],
  [{}, { [`${order}/items`]: null }, "malformed: expected a []interface {}, but received a %!s(<nil>)"],
  [
    {},
    { [`${order}/items`]: {} },
    "malformed: expected a []interface {}, but received a map[string]interface {}",
  ],
  [{}, { [`${order}/items`]: true }, "malformed: expected a []interface {}, but received a bool"],
  [{}, { [`${order}/items`]: 1 }, "malformed: expected a []interface {}, but received a int64"],
  [{}, { [`${order}/items`]: 1.5 }, "malformed: expected a []interface {}, but received a float64"],
  [{}, { [`${order}/items`]: "a" }, "malformed: expected a []interface {}, but received a string"],
  [
    { items: [{ name: "a" }] },
    { items: [{ image: "1" }] },
    "malformed: map: map[image:1] does not contain declared merge key: name",
  ],
  [
    { items: [{ name: "a" }] },
    { items: [{ $patch: "delete" }] },
    "malformed: map: map[$patch:delete] does not contain declared merge key: name",
  ],
  [
    { items: [{ name: "a" }] },
    { items: [{ name: "a", $patch: "merge" }] },
    "malformed: merging lists cannot yet be specified in the patch",
  ],
  [
    { items: [{ name: "a" }] },
    { items: [{ name: "a", $patch: "other" }] },
    "malformed: unknown patch type: other in map: map[$patch:other name:a]",
  ],
  [
    { items: [{ name: "a" }] },
    { items: ["a"] },
    "unfit: list element types are not identical: [[map[name:a] a]]",
  ],
  [{ items: [null] }, { items: [null] }, "unfit: list element types are not identical: [[<nil> <nil>]]"],
  [{ lists: [["a"]] }, { lists: [["b"]] }, "unfit: lists of lists are not supported"],
  [
    { unkeyed: [{ name: "a" }] },
    { unkeyed: [{ name: "b" }] },
    "malformed: cannot merge lists without merge key for slice",
  ],
  [
    { items: [{ name: "a" }] },
    { items: [{ name: "b" }, { name: "a" }], [`${order}/items`]: [{ name: "a" }, { name: "b" }] },
    `malformed: The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match ${order} list:\n[map[name:a] map[name:b]]\n`,
  ],
  [
    { other: {} },
    { other: { a: 1 } },
    'malformed: unable to find api field in struct Thing for the json field "other"',
  ],
  [
    { labels: { a: { b: "1" } } },
    { labels: { a: { c: "d" } } },
    "malformed: merging an object in json but data type is not struct, instead is: map",
  ],
  [{}, { $retainKeys: ["a"], b: 1 }, "malformed: invalid patch format of retainKeys"],
  [{}, { $retainKeys: ["a"], a: 1, b: 1 }, "malformed: invalid patch format of retainKeys"],
  [{}, { $retainKeys: "a" }, "malformed: invalid patch format of retainKeys"],
  [{}, { $retainKeys: ["a"], a: 1, b: null }, "none"],
])("strategic merge of %j with %j: %s", (target, patch, expected) => {
  expect(errorOf(() => strategicMerge(Thing, target, patch))).toBe(expected);
});

test.each([
  [[], "array"],
  [true, "bool"],
  ["a", "string"],
  [1, "number"],
])("the merge patch %j cannot be decoded", (patch, kind) => {
  const text = `json: cannot unmarshal ${kind} into Go value of type`;
  expect(errorOf(() => mergePatch({}, patch))).toBe(
    `malformed: error decoding patch: ${text} map[string]interface {}`,
  );
  if (kind === "array") return;
  expect(errorOf(() => applyJsonPatch({}, patch))).toBe(
    `malformed: error decoding patch: ${text} []handlers.jsonPatchOp`,
  );
});

test.each([
  [{ path: "/a" }, "unfit: a JSON patch operation must have an op"],
  [{ op: "add" }, "unfit: add operation must have a path"],
  [{ op: "move", path: "/a" }, "unfit: move operation must have a from"],
  [{ op: "copy", path: "/a" }, "unfit: copy operation must have a from"],
])("the JSON patch operation %j is incomplete", (operation, expected) => {
  expect(errorOf(() => applyJsonPatch({}, [operation]))).toBe(expected);
});

test("errors are told apart by their names", () => {
  expect(new PatchError("m", true).name).toBe("PatchError");
  expect(new PatchTooLargeError("m").name).toBe("PatchTooLargeError");
  expect(new PatchTooLargeError("m").malformed).toBe(true);
});

test("values are printed as Go prints them, keys sorted", () => {
  expect(print({ b: [1, "x", null, true], a: { c: {} } })).toBe("map[a:map[c:map[]] b:[1 x <nil> true]]");
});

test("nulls and directives are left out at every depth, in lists too", () => {
  expect(discardNulls({ a: null, b: [{ c: null, d: 1 }], e: { f: null } })).toEqual({ b: [{ d: 1 }], e: {} });
  expect(withoutDirectives([{ $patch: "delete" }, { a: { $patch: "delete" }, b: 1 }])).toEqual([{ b: 1 }]);
  expect(withoutDirectives({ $patch: "replace" })).toBeUndefined();
});

test("only a list is a list, and its items have one kind", () => {
  expect(asList([1])).toEqual([1]);
  expect(elementKind(["a", "b"])).toBe("string");
  expect(elementKind([{}])).toBe("object");
  expect(errorOf(() => elementKind([]))).toBe("malformed: no elements in any of the given slices");
  expect(errorOf(() => elementKind([1, "a"]))).toBe("unfit: list element types are not identical: [[1 a]]");
});

test("a list that is deleted from by null is deleted", () => {
  const target = { finalizers: ["a", "b"], text: "x" };
  const remove = (values: unknown) =>
    strategicMerge(Thing, target, { "$deleteFromPrimitiveList/finalizers": values });
  expect(remove(null)).toEqual({ text: "x" });
  expect(remove(["a", "c"])).toEqual({ finalizers: ["b"], text: "x" });
  expect(remove("a")).toEqual(target);
  expect(strategicMerge(Thing, target, { "$deleteFromPrimitiveList/text": ["x"] })).toEqual(target);
});

test("an order without a list sorts the live one; a list without a live one is taken", () => {
  const target = { items: [{ name: "a" }, { name: "b" }], finalizers: ["x", "y"] };
  expect(strategicMerge(Thing, target, { [`${order}/items`]: [{ name: "b" }, { name: "a" }] })).toEqual({
    items: [{ name: "b" }, { name: "a" }],
    finalizers: ["x", "y"],
  });
  const items = [{ name: "a" }, { name: "b", $patch: "delete" }];
  expect(strategicMerge(Thing, {}, { items, [`${order}/items`]: [{ name: "a" }] })).toEqual({
    items: [{ name: "a" }],
  });
  expect(strategicMerge(Thing, {}, { [`${order}/items`]: [{ name: "a" }] })).toEqual({});
  expect(strategicMerge(Thing, { items: [] }, { items: [] })).toEqual({ items: [] });
});
