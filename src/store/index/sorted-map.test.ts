import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../util/random.ts";
import { SortedMap } from "./sorted-map.ts";

/** Enough keys for three levels of nodes, few enough that deletes often find their key. */
const key = fc.nat(3000).map((n) => `key-${n.toString(36).padStart(3, "0")}`);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ set: key }) },
  { weight: 4, arbitrary: fc.record({ delete: key }) },
  { weight: 1, arbitrary: fc.constant("fork" as const) },
);

function expectSame(map: SortedMap<number>, model: ReadonlyMap<string, number>): void {
  const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
  expect(map.size).toBe(sorted.length);
  expect(map.range(0, map.size)).toEqual(sorted.map(([, value]) => value));
  const middle = sorted.length >>> 1;
  expect(map.range(middle, middle + 100)).toEqual(
    sorted.slice(middle, middle + 100).map(([, value]) => value),
  );
  expect(sorted.map(([key]) => map.get(key))).toEqual(sorted.map(([, value]) => value));
  expect(sorted.map(([key]) => map.rank(key))).toEqual([...sorted.keys()]);
  expect(sorted.every(([key], position) => map.rank(`${key}\0`) === position + 1)).toBe(true);
}

test("a sorted map and its forks behave like independent plain maps", () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 4000, size: "max" });
  fc.assert(
    fc.property(steps, fc.boolean(), (steps, full) => {
      let map = SortedMap.empty<number>();
      let model = new Map<string, number>();
      if (full) {
        for (let n = 0; n <= 3000; n++) {
          const key = `key-${n.toString(36).padStart(3, "0")}`;
          expect(map.set(key, -n)).toBe(undefined);
          model.set(key, -n);
        }
      }
      const forks: [SortedMap<number>, Map<string, number>][] = [];
      for (const [i, step] of steps.entries()) {
        if (step === "fork") {
          if (forks.length > 5) continue;
          // Both sides change afterwards: the test continues with the fork.
          forks.push([map, model]);
          map = map.fork();
          model = new Map(model);
        } else if ("set" in step) {
          expect(map.set(step.set, i)).toBe(model.get(step.set));
          model.set(step.set, i);
        } else {
          expect(map.delete(step.delete)).toBe(model.get(step.delete));
          model.delete(step.delete);
        }
      }
      for (const [fork, forkModel] of [...forks, [map, model] as const]) expectSame(fork, forkModel);
    }),
    { numRuns: 20 },
  );
});

test("an emptied sorted map behaves like a new one", () => {
  const map = SortedMap.empty<number>();
  for (const round of [1, 2]) {
    for (let n = 0; n < 10_000; n++) map.set(`${n}`, round);
    for (let n = 9_999; n >= 0; n--) expect(map.delete(`${n}`)).toBe(round);
    expect([map.size, map.range(0, 10), map.rank("5")]).toEqual([0, [], 0]);
  }
});

test("a sorted map that shrinks from three levels stays in order", () => {
  const random = seededRandom(7);
  for (const share of [0.3, 0.7, 1]) {
    const map = SortedMap.empty<number>();
    const model = new Map<string, number>();
    for (let n = 0; n < 20_000; n++) {
      const key = `${n}`.padStart(5, "0");
      map.set(key, n);
      model.set(key, n);
    }
    // From the middle, the end and anywhere: merges with the left, with the right, and splits after them.
    const doomed = [...model.keys()].map((key, n) => ({
      key,
      order: random.next() < share ? random.next() : n,
    }));
    for (const [i, { key }] of doomed.sort((a, b) => a.order - b.order).entries()) {
      map.delete(key);
      model.delete(key);
      if (i % 2000 === 1999 || i > 19_900) expectSame(map, model);
    }
  }
});
