import { describe, expect, it } from "vitest";
import { mergeValues } from "./merge.ts";

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
