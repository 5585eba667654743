import { describe, expect, test } from "vitest";
import { matchesName } from "./glob.ts";
import { Ignore } from "./ignore.ts";

describe(".dockerignore", () => {
  test.each([
    ["*.md", "a.md", true],
    ["*.md", "d/a.md", false],
    ["**/*.md", "d/e/a.md", true],
    ["**/*.md", "a.md", true],
    ["node_modules", "node_modules/x/y", true],
    ["/a/", "a/b", true],
    ["a/../b", "b", true],
    ["# c\n\nx", "x", true],
    ["*.md\n!keep.md", "keep.md", false],
    ["*.md\n!keep.md\nkeep*", "keep.md", true],
    ["a/**/z", "a/b/c/z", true],
    ["a?c", "abc", true],
    ["[a-c]x", "bx", true],
    ["[^a-c]x", "bx", false],
  ])("%j, asked for %s: %s", (text, path, expected) => {
    expect(new Ignore(text).ignores(path)).toBe(expected);
  });

  test("refuses malformed patterns and too many", () => {
    expect(() => new Ignore("[a")).toThrow("syntax error in pattern");
    expect(() => new Ignore("a\n".repeat(1001))).toThrow("more than 1000 patterns");
  });

  test("matches hostile patterns without backtracking over all their stars", () => {
    const attempts = matchesName("*a".repeat(2000) + "b", "a".repeat(4000));
    expect(attempts).toBe(false);
  });
});
