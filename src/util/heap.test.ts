import fc from "fast-check";
import { expect, test } from "vitest";
import { Heap } from "./heap.ts";
import { LruMap } from "./lru.ts";

test("heap returns its items in order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (numbers) => {
      const heap = new Heap<number>((a, b) => a < b);
      for (const number of numbers) heap.push(number);
      const sorted = numbers.map(() => heap.pop());
      expect(sorted).toEqual([...numbers].sort((a, b) => a - b));
      expect(heap.pop()).toBeUndefined();
    }),
  );
});

test("LRU map drops the least recently used entry", () => {
  const map = new LruMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.get("a");
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
  expect(map.size).toBe(2);
});
