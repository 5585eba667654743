import { expect, test } from "vitest";
import { compare } from "./compare.ts";
import { itemElement, type KeyedShape } from "./shape.ts";

const byConstructor: KeyedShape = {
  kind: "keyed",
  keys: [{ name: "constructor", label: '"constructor":', fallback: undefined }],
  of: { kind: "leaf" },
};

test("the key of a list may have the name of a method, and items without it have no identity", () => {
  expect(itemElement(byConstructor, { constructor: "a" })).toBe('k:{"constructor":"a"}');
  expect(itemElement(byConstructor, { other: "a" })).toBeUndefined();
  expect(compare(byConstructor, [{ other: "a" }], [{ other: "b" }])).toBeUndefined();
});
