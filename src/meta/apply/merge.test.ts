import { describe, expect, it } from "vitest";
import { mergeValues } from "./merge.ts";
import type { Shape } from "./shape.ts";

const letters = (text: string) => text.split("");

describe("merging an applied list into a live one", () => {
  // The expected lists are those of structured-merge-diff 6.3.
  it.each([
    ["abc", "adb", "adbc"],
    ["abx", "acb", "acbx"],
    ["abx", "acdb", "acdbx"],
    ["abc", "ca", "bca"],
    ["xca", "ac", "xac"],
    ["axb", "ba", "xba"],
    ["ab", "cd", "abcd"],
  ])("orders live %s and applied %s as %s", (live, applied, merged) => {
    expect(mergeValues({ kind: "set" }, letters(live), letters(applied))).toEqual(letters(merged));
  });

  it("keeps the live value if null is applied", () => {
    expect(mergeValues({ kind: "set" }, ["a"], null)).toEqual(["a"]);
    expect(mergeValues({ kind: "map", of: { kind: "leaf" } }, { a: "1" }, null)).toEqual({ a: "1" });
  });
});

/** Cases of structured-merge-diff: a configuration of another type replaces the value. */
describe("merging values of different types", () => {
  const map = { kind: "map", of: { kind: "leaf" } } as const;
  const set = { kind: "set" } as const;
  it.each<[Shape, live: unknown, applied: unknown, merged: unknown]>([
    [map, { a: "1" }, { b: "2" }, { a: "1", b: "2" }],
    [map, { a: "1" }, {}, { a: "1" }],
    [map, {}, { a: "1" }, { a: "1" }],
    [map, "x", { a: "1" }, { a: "1" }],
    [map, null, { a: "1" }, { a: "1" }],
    [map, { a: "1" }, "x", "x"],
    [set, "x", ["a"], ["a"]],
    [set, [], ["a"], ["a"]],
    [set, ["a"], [], ["a"]],
    [set, ["a"], "x", "x"],
    [set, undefined, ["a"], ["a"]],
    [set, ["a"], undefined, ["a"]],
    [{ kind: "any" }, { a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
    [{ kind: "any" }, { a: 1 }, [1], [1]],
  ])("%j: %j and %j give %j", (shape, live, applied, merged) => {
    expect(mergeValues(shape, live, applied)).toEqual(merged);
  });
});
