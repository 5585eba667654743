import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  addQuantities,
  canonicalAmount,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantityMilliValue,
  quantityValue,
} from "./quantity.ts";

/**
 * Upstream's results for a text: the canonical form and the rank in the order of all quantities, or the
 * error; and the form rounded up to thousandths, if it differs.
 */
type Answer = readonly [text: string, formOrProblem: string, rank?: number, amount?: string];

interface Ranked {
  readonly quantity: Quantity;
  readonly rank: number;
}

const fixture = new URL("../../test/fixtures/quantities.jsonl", import.meta.url);
const answers = readFileSync(fixture, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Answer);

describe("quantity", () => {
  it(`reads, writes and orders ${answers.length} texts as upstream does`, () => {
    const ranked: Ranked[] = [];
    for (const [text, answer, rank, amount = answer] of answers) {
      if (rank === undefined) {
        expect(() => parseQuantity(text), text).toThrow(answer);
        continue;
      }
      expect(canonicalQuantity(text), text).toBe(answer);
      expect(canonicalAmount(text), text).toBe(amount);
      ranked.push({ quantity: parseQuantity(text), rank });
    }
    const order = (a: Ranked, b: Ranked) => compareQuantities(a.quantity, b.quantity);
    const isWrong = (a: Ranked, b: Ranked) => order(a, b) !== Math.sign(a.rank - b.rank);
    expect(ranked.filter((a) => ranked.some((b) => isWrong(a, b)))).toEqual([]);
  });

  it("keeps the zeros of more than 999E", () => {
    expect(["1000E", "100000000000000000000000"].map(canonicalQuantity)).toEqual(["1000E", "100000E"]);
  });

  it("refuses large powers of ten", () => {
    expect(() => parseQuantity("1e999999999")).toThrow("unable to parse quantity's suffix");
    expect(canonicalQuantity("1e-999999999")).toBe("1e-9");
  });

  it.each(["9".repeat(200_000), `1${"0".repeat(200_000)}1`, `${"1".repeat(200_000)}x`])(
    "refuses a long text quickly",
    (text) => {
      try {
        expect(canonicalQuantity(text)).toBe(text);
      } catch (error) {
        expect(error).toBeInstanceOf(QuantityError);
      }
    },
    2000,
  );

  it("refuses texts of more than a thousand characters", () => {
    expect(canonicalAmount("1n".padStart(1000, "0"))).toBe("1m");
    const refusal = new QuantityError("unable to parse numeric part of quantity");
    expect(() => canonicalAmount("1n".padStart(1001, "0"))).toThrow(refusal);
    expect(refusal.name).toBe("QuantityError");
  });

  it.each([
    ["500m", "500m", "1"],
    ["1Ki", "1k", "2024"],
    ["1Ki", "1Ki", "2Ki"],
    ["1k", "1Ki", "2024"],
    ["0", "1Ki", "1Ki"],
    ["0Ki", "1e3", "1e3"],
    ["1", "-1001m", "-1m"],
  ])("%s and %s are %s: the first one decides the format, unless it is zero", (a, b, sum) => {
    expect(formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)))).toBe(sum);
  });

  it("rounds away from zero to whole units and thousandths", () => {
    expect(quantityValue(parseQuantity("1500m"))).toBe(2);
    expect(quantityMilliValue(parseQuantity("1.0001"))).toBe(1001);
    expect(quantityValue(parseQuantity("-1500m"))).toBe(-2);
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
