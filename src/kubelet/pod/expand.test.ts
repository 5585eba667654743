import fc from "fast-check";
import { expect, test } from "vitest";
import { expand } from "./expand.ts";

const variables = new Map([
  ["A", "one"],
  ["B", "$(A)"],
  ["EMPTY", ""],
  ["with space", "two"],
]);

test.each([
  ["$(A)", "one"],
  ["x$(A)y$(A)z", "xoneyonez"],
  ["$(EMPTY)", ""],
  ["$(with space)", "two"],
  ["$(UNKNOWN)", "$(UNKNOWN)"],
  ["$()", "$()"],
  // What a variable holds is not looked into again.
  ["$(B)", "$(A)"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$one"],
  ["$$$$(A)", "$$(A)"],
  ["$A", "$A"],
  ["${A}", "${A}"],
  ["100$", "100$"],
  ["$(A", "$(A"],
  ["$(A $$", "$(A $"],
  // A name goes on to the first closing parenthesis, whatever is in it.
  ["$(X$(A))", "$(X$(A))"],
  ["$((A))", "$((A))"],
  ["$($(A)", "$($(A)"],
])("%j expands to %j", (text, expanded) => {
  expect(expand(text, variables)).toBe(expanded);
});

test("text without a dollar stays as it is, and escaped text comes out as it went in", () => {
  const property = fc.property(fc.string({ unit: fc.constantFrom("$", "(", ")", "A", "é") }), (text) => {
    expect(expand(text.replaceAll("$", ""), variables)).toBe(text.replaceAll("$", ""));
    expect(expand(text.replaceAll("$", "$$$$"), variables)).toBe(text);
  });
  fc.assert(property);
});

test("text of many references that never end takes no longer for it", () => {
  const text = "$(".repeat(1_000_000);
  expect(expand(text, variables)).toBe(text);
  expect(expand(`${text})`, variables)).toBe(`${text})`);
});
