import { describe, expect, test } from "vitest";
import { rateOf, type Sample, sampleAtStart } from "./rates.ts";

const sample = (at: number, cpuNanos: number, memoryBytes = 7): Sample => ({ at, cpuNanos, memoryBytes });

describe("a rate", () => {
  test("is the CPU time within the window, and the memory at its end", () => {
    expect(rateOf(sample(1_000, 5e9, 1), sample(11_000, 7.5e9, 9.6))).toEqual({
      at: 11_000,
      windowMs: 10_000,
      cpuNanoCores: 250_000_000,
      memoryBytes: 10,
    });
  });

  test.each([
    ["the CPU time went back", sample(1_000, 5), sample(2_000, 4), 0],
    ["no time passed", sample(1_000, 5), sample(1_000, 6), undefined],
    ["the clock went back", sample(1_000, 5), sample(900, 6), undefined],
  ])("when %s is %s → %s: %s", (_, before, after, expected) => {
    expect(rateOf(before, after)?.cpuNanoCores).toBe(expected);
  });
});

test.each([
  [undefined, false],
  [9_999, false],
  [10_000, true],
  [15_000, true],
  [15_001, false],
])("a container of the age %s ms has a sample at its start: %s", (age, isThere) => {
  const after = sample(100_000, 1);
  const before = sampleAtStart(age === undefined ? undefined : 100_000 - age, after);
  expect(before !== undefined).toBe(isThere);
});
