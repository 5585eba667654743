import fc from "fast-check";
import { expect, test } from "vitest";
import { orderKey, prefixEnd, successor } from "./order-key.ts";

/** Characters on both sides of every border between UTF-16 and UTF-8 order. */
const border = fc.constantFrom(
  "\0",
  "a",
  "\x7f",
  "\x80",
  "é",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "\u{10000}",
  "\u{10ffff}",
);
const text = fc.oneof(
  fc.array(border).map((units) => units.join("")),
  fc.string({ unit: "binary" }),
);

const less = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

test("order keys compare as the UTF-8 bytes of their keys do", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(orderKey(a) < orderKey(b)).toBe(less(a, b));
    }),
    { numRuns: 2000 },
  );
});

test("the end of a prefix separates the keys that have it from those that follow", () => {
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      const end = prefixEnd(orderKey(prefix));
      const inRange = orderKey(other) >= orderKey(prefix) && (end === undefined || orderKey(other) < end);
      expect(inRange).toBe(other.startsWith(prefix));
      expect(end === undefined || orderKey(prefix + other) < end).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("nothing lies between a key and its successor", () => {
  fc.assert(
    fc.property(text, text, (key, other) => {
      expect(orderKey(other) >= successor(orderKey(key))).toBe(less(key, other));
    }),
  );
});
