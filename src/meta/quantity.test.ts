import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from "./quantity.ts";

describe("quantity", () => {
  it.each([
    ["1000m", "1"],
    ["1500m", "1500m"],
    ["0.1", "100m"],
    ["100000", "100k"],
    ["1024Ki", "1Mi"],
    ["1000Ki", "1000Ki"],
    ["1.5Gi", "1536Mi"],
    ["0.5Ki", "512"],
    ["1e3", "1e3"],
    ["12e6", "12e6"],
    ["1E", "1E"],
    ["1E3", "1e3"],
    ["0", "0"],
    ["-1000m", "-1"],
    ["+5", "5"],
    [".5", "500m"],
    ["1.0000000001", "1000000001n"],
    ["9223372036854775808", "9223372036854775807"],
    ["1e999999999", "9223372036854775807"],
  ])("writes %s as %s", (text, form) => {
    expect(canonicalQuantity(text)).toBe(form);
  });

  it.each(["", ".", "1.2.3", "1 Gi", "abc", "1ki", "--1", "1e", "0x10"])("refuses %j", (text) => {
    expect(() => parseQuantity(text)).toThrow(/quantit/);
  });

  it("rounds up to whole units and thousandths", () => {
    expect(quantityValue(parseQuantity("1500m"))).toBe(2);
    expect(quantityMilliValue(parseQuantity("1.0001"))).toBe(1001);
    expect(quantityValue(parseQuantity("-1500m"))).toBe(-1);
  });

  it("keeps its value through the canonical form", () => {
    const suffix = fc.constantFrom("n", "u", "m", "", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "e-2");
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), suffix, (number, unit) => {
        const parsed = parseQuantity(`${number}${unit}`);
        const again = parseQuantity(formatQuantity(parsed));
        expect(compareQuantities(parsed, again)).toBe(0);
        expect(formatQuantity(again)).toBe(formatQuantity(parsed));
      }),
    );
  });
});
