import { expect, test } from "vitest";
import { fnv32a } from "./fnv.ts";

// The published test vectors of FNV-1a.
test.each([
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["foobar", 0xbf9cf968],
])("%j has its published hash", (text, hash) => {
  expect(fnv32a(text)).toBe(hash);
});
