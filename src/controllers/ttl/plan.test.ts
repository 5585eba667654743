import { expect, test } from "vitest";
import { ttlSeconds } from "./plan.ts";

/** The cases of upstream's TestDesiredTTL, with the count after the node came or went. */
test.each([
  [1, 0, 0],
  [100, 0, 0],
  [101, 0, 15],
  [100, 15, 15],
  [90, 15, 15],
  [92, 15, 15],
  [89, 15, 0],
  [1799, 300, 60],
  [9999, 300, 300],
  [600, 0, 30],
  [95, 300, 15],
])("%d nodes after a time of %d s have %d s", (count, before, expected) => {
  expect(ttlSeconds(count, before)).toBe(expected);
});
