import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeName, unescapeName } from "./escaping.ts";

describe("escaped names", () => {
  test.each<[string, string | undefined]>([
    ["a", "a"],
    ["a_b", "a_b"],
    ["a-b", "a__dash__b"],
    ["a.b/c", "a__dot__b__slash__c"],
    ["a__b", "a__underscores__b"],
    ["a___b", "a__underscores___b"],
    ["namespace", "__namespace__"],
    ["namespaces", "namespaces"],
    ["in", "__in__"],
    ["-a", "__dash__a"],
    ["1a", undefined],
    ["a b", undefined],
    ["é", undefined],
    ["", undefined],
  ])("property %j is escaped as %j", (property, name) => {
    expect(escapeName(property)).toBe(name);
  });

  test.each<[string, string | undefined]>([
    ["a__namespace__", undefined],
    ["__nope__", undefined],
    ["__dash__", "-"],
    ["a__dash_b", "a__dash_b"],
    ["_____", "_____"],
  ])("name %j means property %j", (name, property) => {
    expect(unescapeName(name)).toBe(property);
  });

  test("an escaped property is unescaped to itself", () => {
    const property = fc.string({
      unit: fc.constantFrom("a", "B", "1", "_", "-", ".", "/", "in"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(property, (text) => {
        const name = escapeName(text);
        if (name !== undefined) expect(unescapeName(name)).toBe(text);
      }),
    );
  });
});
