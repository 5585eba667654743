import { expect, test } from "vitest";
import type { Ruleset } from "./render.ts";
import { replace } from "./replace.ts";

const ruleset = (...names: readonly string[]): Ruleset => ({
  chains: names.map((name) => `chain-${name}`),
  sets: names.map((name) => `set-${name}`),
  text: `table ip t { ${names.join(" ")} }\n`,
});

test("an unknown table is replaced as a whole", () => {
  expect(replace("t", undefined, ruleset("a"))).toBe("add table ip t\ndelete table ip t\ntable ip t { a }\n");
});

test("a known table is flushed first, and sets that stay keep their clients", () => {
  expect(replace("t", ruleset("a", "b"), ruleset("b", "c"))).toBe(
    "flush table ip t\ndelete chain ip t chain-a\ndelete set ip t set-a\ntable ip t { b c }\n",
  );
});
