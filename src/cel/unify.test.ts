import { expect, test } from "vitest";
import { compile } from "./compile.ts";
import { environment } from "./environment.ts";
import { standardLibrary } from "./standard/library.ts";
import { Substitution } from "./unify.ts";
import { bool, int, listOf, parameter, string } from "./types.ts";

test("a failed test does not change the bindings", () => {
  const substitution = new Substitution();
  const [a, b] = [parameter("a"), parameter("b")];
  expect(substitution.assign([a], [int])).toBe(true);
  expect(substitution.assign([b, a, listOf(b)], [bool, int, listOf(string)])).toBe(false);
  expect(substitution.resolve(b)).toBe(b);
  expect(substitution.resolve(a)).toBe(int);
  expect(substitution.assign([b], [string])).toBe(true);
});

test("thousands of literals without element types are checked quickly", () => {
  const source = `{${"'a': {},".repeat(10_000)}} == {}`;
  expect(compile(environment({ libraries: [standardLibrary] }), source).ok).toBe(true);
}, 3000);
