import { describe, expect, it } from "vitest";
import { repeats } from "./repeats.ts";
import { ownValue, table } from "./table.ts";

describe("a table", () => {
  it("holds its own entries, and no inherited members", () => {
    const numbers = table({ one: 1 });
    expect(numbers["one"]).toBe(1);
    for (const name of ["constructor", "toString", "__proto__"]) expect(numbers[name]).toBeUndefined();
  });

  it("is not needed to read an object's own value", () => {
    expect(ownValue({ a: 1 }, "a")).toBe(1);
    expect(ownValue({ a: 1 }, "valueOf")).toBeUndefined();
    expect(ownValue(undefined, "a")).toBeUndefined();
  });
});

it("repeats are the indexes of values that occur earlier", () => {
  expect([...repeats(["a", "b", "a", "a", "c"])]).toEqual([2, 3]);
});
