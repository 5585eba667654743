import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyFields, FieldSelector, parseFieldSelector } from "./fields.ts";
import { SelectorError } from "./labels.ts";

describe("field selector", () => {
  test.each([
    ["", []],
    ["a==b,,", [{ field: "a", operator: "=", value: "b" }]],
    [
      "spec.nodeName!=x,metadata.name=a\\,b\\=c\\\\",
      [
        { field: "metadata.name", operator: "=", value: "a,b=c\\" },
        { field: "spec.nodeName", operator: "!=", value: "x" },
      ],
    ],
    ["=", []],
    ["=a", [{ field: "", operator: "=", value: "a" }]],
    ["a=", [{ field: "a", operator: "=", value: "" }]],
  ])("reads %j as upstream does", (text, terms) => {
    expect(parseFieldSelector(text).terms).toEqual(terms);
  });

  test.each([
    ["a,b=c", "invalid selector: 'a,b=c'; can't understand 'a'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a=\\b", "invalid field selector: invalid escape sequence: \\b"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ])("refuses %j with upstream's words", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new SelectorError(message));
  });

  test("any value survives printing and parsing", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("=" as const, "!=" as const), (value, operator) => {
        const selector = new FieldSelector([{ field: "spec.x", operator, value }]);
        expect(parseFieldSelector(selector.toString()).terms).toEqual(selector.terms);
      }),
    );
  });

  test("matches when all terms hold", () => {
    const fields: Record<string, string> = { "metadata.name": "a", "status.phase": "Running" };
    const matches = (text: string) => parseFieldSelector(text).matches((field) => fields[field] ?? "");
    expect(matches("metadata.name=a,status.phase!=Failed")).toBe(true);
    expect(matches("metadata.name=a,status.phase!=Running")).toBe(false);
    expect(matches("spec.nodeName=")).toBe(true);
  });

  test("has one exact value for a field that must equal it", () => {
    const selector = parseFieldSelector("a!=1,b=2,c=3");
    expect(["a", "b", "c", "d"].map((field) => selector.exactValue(field))).toEqual([
      undefined,
      "2",
      "3",
      undefined,
    ]);
  });

  test("is written with its terms in order; only one without terms is empty", () => {
    expect(String(parseFieldSelector("b!=2,a==1"))).toBe("a=1,b!=2");
    expect([anyFields, parseFieldSelector("a=1")].map(({ empty }) => empty)).toEqual([true, false]);
  });
});
