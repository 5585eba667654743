import { expect, test } from "vitest";
import { seededRandom } from "../../util/random.ts";
import { drawDelay, drawWeighted } from "./delay.ts";

const draws = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw);

test("a delay is drawn between its two durations, and without jitter it is exact", () => {
  const random = seededRandom(1);
  const drawn = draws(1000, () =>
    drawDelay({ durationMilliseconds: 1000, jitterDurationMilliseconds: 2000 }, random),
  );
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(1000);
  expect(Math.min(...drawn)).toBeLessThan(1020);
  expect(Math.max(...drawn)).toBeLessThan(2000);
  expect(Math.max(...drawn)).toBeGreaterThan(1980);
  expect(drawDelay({ durationMilliseconds: 5 }, random)).toBe(5);
  expect(drawDelay(undefined, random)).toBe(0);
});

test("items are drawn by their weights, which are 1 by default", () => {
  const random = seededRandom(1);
  const items = [{ name: "a", weight: 8 }, { name: "b" }, { name: "c", weight: 1 }];
  const counts = Map.groupBy(
    draws(10_000, () => drawWeighted(items, random)?.name),
    (name) => name,
  );
  expect(counts.get("a")?.length).toBeGreaterThan(7800);
  expect(counts.get("a")?.length).toBeLessThan(8200);
  expect(counts.get("b")?.length).toBeGreaterThan(850);
  expect(counts.get("c")?.length).toBeGreaterThan(850);
  expect(drawWeighted([], random)).toBeUndefined();
});
