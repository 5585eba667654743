import { describe, expect, it } from "vitest";
import { repeats } from "./repeats.ts";
import { ownValue, table } from "./table.ts";

describe("a table", () => {
  it("holds its own entries, and nothing that objects have", () => {
    const numbers = table({ one: 1 });
    expect(numbers["one"]).toBe(1);
    for (const name of ["constructor", "toString", "__proto__"]) expect(numbers[name]).toBeUndefined();
  });

  it("is not needed to ask an object what it holds itself", () => {
    expect(ownValue({ a: 1 }, "a")).toBe(1);
    expect(ownValue({ a: 1 }, "valueOf")).toBeUndefined();
    expect(ownValue(undefined, "a")).toBeUndefined();
  });
});

it("repeats are the places of values that stood before", () => {
  expect([...repeats(["a", "b", "a", "a", "c"])]).toEqual([2, 3]);
});
