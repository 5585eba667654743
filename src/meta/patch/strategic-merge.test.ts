import { describe, expect, it } from "vitest";
import { keyed, list, map, messages, optional, set, string } from "../schema.ts";
import { strategicMerge } from "./strategic-merge.ts";

const message = messages("test");
const Item = message("Item", "An item.", {
  name: optional(1, string, "A key."),
  image: optional(2, string, "A value."),
});
const Strategy = message("Strategy", "A union.", {
  type: optional(1, string, "Which."),
  rolling: optional(2, string, "One."),
});
const Thing = message("Thing", "What is patched.", {
  labels: optional(1, map(string), "A map."),
  items: optional(2, keyed(Item, "name"), "Merged by name.", { merge: "name" }),
  finalizers: optional(3, set(string), "Merged as a set.", { merge: true }),
  args: optional(4, list(string), "Replaced."),
  strategy: optional(5, Strategy, "A union.", { retainKeys: true }),
  lists: optional(6, list(list(string)), "Lists of lists.", { merge: true }),
  nested: optional(7, map(map(string)), "A map of maps."),
  whole: optional(8, Strategy, "An object that is replaced.", { replace: true }),
});

const merge = (target: unknown, patch: unknown) => strategicMerge(Thing, target, patch);

describe("strategic merge", () => {
  it("merges keyed lists by their key", () => {
    const target = { items: [{ name: "a", image: "1" }, { name: "b" }] };
    expect(merge(target, { items: [{ name: "b", image: "2" }] })).toEqual({
      items: [
        { name: "a", image: "1" },
        { name: "b", image: "2" },
      ],
    });
  });

  it("replaces lists without a merge strategy", () => {
    expect(merge({ args: ["a"] }, { args: ["b"] })).toEqual({ args: ["b"] });
  });

  it("deletes by null and adds nothing for it", () => {
    expect(merge({ labels: { a: "1", b: "2" } }, { labels: { a: null }, strategy: { type: null } })).toEqual({
      labels: { b: "2" },
      strategy: {},
    });
  });

  it("deletes items and objects with $patch: delete", () => {
    const target = { items: [{ name: "a" }, { name: "b" }], strategy: { type: "x" } };
    const patch = { items: [{ name: "a", $patch: "delete" }], strategy: { $patch: "delete" } };
    expect(merge(target, patch)).toEqual({ items: [{ name: "b" }], strategy: {} });
  });

  it("replaces objects with $patch: replace", () => {
    const target = { items: [{ name: "a" }], labels: { a: "1" } };
    const patch = { items: [{ $patch: "replace" }, { name: "b" }], labels: { $patch: "replace", b: "2" } };
    expect(merge(target, patch)).toEqual({ items: [{ name: "b" }], labels: { b: "2" } });
  });

  it("replaces an object if its field specifies so, and merges others", () => {
    const value = { type: "x", rolling: "y" };
    const patch = { type: "z" };
    expect(merge({ whole: value, strategy: value }, { whole: patch, strategy: patch })).toEqual({
      whole: { type: "z" },
      strategy: { type: "z", rolling: "y" },
    });
    expect(merge({ whole: value }, { whole: null })).toEqual({});
  });

  it("drops what $retainKeys does not name", () => {
    const target = { strategy: { type: "Rolling", rolling: "x" } };
    expect(merge(target, { strategy: { $retainKeys: ["type"], type: "Recreate" } })).toEqual({
      strategy: { type: "Recreate" },
    });
  });

  it("removes values from a list of scalars and adds others in one patch", () => {
    const patch = { "$deleteFromPrimitiveList/finalizers": ["b"], finalizers: ["d"] };
    expect(merge({ finalizers: ["a", "b", "c"] }, patch)).toEqual({ finalizers: ["d", "a", "c"] });
  });

  it("sorts items by $setElementOrder, and keeps the positions of others", () => {
    const target = { items: [{ name: "a" }, { name: "live" }, { name: "b" }] };
    const patch = {
      "$setElementOrder/items": [{ name: "new" }, { name: "b" }, { name: "a" }],
      items: [{ name: "new" }],
    };
    expect(merge(target, patch)).toEqual({
      items: [{ name: "new" }, { name: "live" }, { name: "b" }, { name: "a" }],
    });
  });

  it("sets a key named __proto__ as a key", () => {
    const patch: unknown = JSON.parse('{"labels":{"__proto__":"x"}}');
    expect(JSON.stringify(merge({ labels: {} }, patch))).toBe('{"labels":{"__proto__":"x"}}');
  });

  it.each([
    [{ items: [{ image: "x" }] }, "map: map[image:x] does not contain declared merge key: name"],
    [
      { labels: { $patch: { toString: null } } },
      "unknown patch type: map[toString:<nil>] in map: map[$patch:map[toString:<nil>]]",
    ],
    [{ labels: { $patch: "jump" } }, "unknown patch type: jump in map: map[$patch:jump]"],
    [{ items: [{ name: "a", $patch: "merge" }] }, "merging lists cannot yet be specified in the patch"],
    [{ $retainKeys: ["a"], items: [] }, "invalid patch format of retainKeys"],
    [{ $deleteFromPrimitiveList: ["x"] }, "invalid patch format of primitive list"],
    [{ $setElementOrder: [] }, "invalid patch format of setElementOrder list"],
    [{ "$setElementOrder/items": "x" }, "expected a []interface {}, but received a string"],
    [{ nested: { a: { b: "2" } } }, "merging an object in json but data type is not struct, instead is: map"],
    [[], "invalid JSON document"],
  ])("reports %j as malformed", (patch, text) => {
    const target = { items: [{ name: "a" }], labels: {}, nested: { a: { b: "1" } } };
    expect(() => merge(target, patch)).toThrow(expect.objectContaining({ malformed: true, message: text }));
  });

  it("refuses lists of lists, and mixed lists", () => {
    const fits = (patch: unknown) => () => merge({ lists: [["a"]], finalizers: ["a"] }, patch);
    expect(fits({ lists: [["b"]] })).toThrow(
      expect.objectContaining({ malformed: false, message: "lists of lists are not supported" }),
    );
    expect(fits({ finalizers: [1] })).toThrow(expect.objectContaining({ malformed: false }));
  });
});
