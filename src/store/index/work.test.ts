import { afterEach, describe, expect, test, vi } from "vitest";
import { toRevision } from "../revision.ts";
import type { Change, Entry } from "../store.ts";
import { History } from "./history.ts";
import { SortedMap } from "./sorted-map.ts";
import { Leaf } from "./sorted-map-node.ts";
import { VersionedIndex } from "./versioned-index.ts";

/** The results are the same without checkpoints, merges and caches; these tests count the work instead. */

afterEach(() => void vi.restoreAllMocks());

function mapOf(size: number): SortedMap<number> {
  const map = SortedMap.empty<number>();
  for (let n = 0; n < size; n++) map.set(`${n}`.padStart(6, "0"), n);
  return map;
}

/** The number of leaves that a range of positions is read from. */
function leavesOf(map: SortedMap<unknown>, start: number, end: number): number {
  const collect = vi.spyOn(Leaf.prototype, "collect");
  map.range(start, end);
  const { length } = collect.mock.calls;
  collect.mockRestore();
  return length;
}

/** The number of keys, values and children that work copies. */
function copiesIn(work: () => void): number {
  const slice = vi.spyOn(Array.prototype, "slice");
  work();
  const sum = slice.mock.results.reduce((all, { value }) => all + (value as readonly unknown[]).length, 0);
  slice.mockRestore();
  return sum;
}

describe("a sorted map", () => {
  test("has leaves of at most 64 values, more than half full when they were filled in order", () => {
    const map = mapOf(64);
    expect(leavesOf(map, 0, 64)).toBe(1);
    map.set("1", 1);
    expect(leavesOf(map, 0, 65)).toBe(2);
    expect(leavesOf(mapOf(10_000), 0, 10_000)).toBeLessThanOrEqual(10_000 / 32);
  });

  test("reads a page from the leaves of the page", () => {
    const map = mapOf(10_000);
    expect(leavesOf(map, 0, 1)).toBe(1);
    expect(leavesOf(map, 5000, 5001)).toBe(1);
    expect(leavesOf(map, 32, 64)).toBe(1);
    expect(leavesOf(map, 5000, 5100)).toBeLessThanOrEqual(5);
    expect(leavesOf(map, 10_000, 20_000)).toBe(0);
  });

  test("copies only the nodes on the way to a key, once after each fork", () => {
    const map = mapOf(100_000);
    const fork = map.fork();
    const write = () => void map.set("050000", -1);
    expect(copiesIn(write)).toBeLessThanOrEqual(2 * 64 * 3);
    expect(copiesIn(write)).toBe(0);
    expect(copiesIn(() => void map.delete("050000"))).toBe(0);
    expect(copiesIn(() => void fork.set("050000", -1))).toBeGreaterThan(0);
  });

  test("merges leaves that have become small, and not those that have not", () => {
    const map = mapOf(10_000);
    const before = leavesOf(map, 0, map.size);
    for (let n = 0; n < 10_000; n += 2) map.delete(`${n}`.padStart(6, "0"));
    expect(leavesOf(map, 0, map.size)).toBe(before);
    for (let n = 1; n < 10_000; n += 2) if (n % 16 !== 1) map.delete(`${n}`.padStart(6, "0"));
    expect(map.size).toBe(625);
    expect(leavesOf(map, 0, map.size)).toBeLessThanOrEqual(625 / 16);
  });
});

function changeAt(n: number, key = `k${n % 100}`): Change {
  const revision = toRevision(n);
  return { type: "put", revision, entry: { key, value: new Uint8Array(1), revision, created: revision } };
}

describe("history", () => {
  /** The changes that are replayed to read the state at a revision. */
  function replays(history: History, revision: number): number {
    const set = vi.spyOn(SortedMap.prototype, "set");
    history.at(toRevision(revision));
    const { length } = set.mock.calls;
    set.mockRestore();
    return length;
  }

  function historyOf(commits: number): History {
    const present = SortedMap.empty<Entry>();
    const history = new History(present, toRevision(0));
    for (let n = 1; n <= commits; n++) {
      const change = changeAt(n);
      if (change.type === "put") present.set(change.entry.key, change.entry);
      history.record({ revision: toRevision(n), time: n, changes: [change] }, present);
    }
    return history;
  }

  test("replays the changes since the last checkpoint, which is every 1024 changes", () => {
    const history = historyOf(3000);
    expect([1, 1023, 1024, 1025, 2047, 2048, 3000].map((at) => replays(history, at))).toEqual([
      1,
      1023,
      0,
      1,
      1023,
      0,
      3000 - 2048,
    ]);
  });

  test("keeps the eight states that were read last", () => {
    const history = historyOf(20);
    for (let at = 1; at <= 9; at++) expect(replays(history, at)).toBe(at);
    for (let at = 2; at <= 9; at++) expect(replays(history, at)).toBe(0);
    expect(replays(history, 1)).toBe(1);
  });

  test("keeps the checkpoints after the compacted revision", () => {
    const history = historyOf(3000);
    history.compact(toRevision(1500));
    expect([1501, 2047, 2048, 2500].map((at) => replays(history, at))).toEqual([1, 547, 0, 452]);
    history.compact(toRevision(2048));
    expect(replays(history, 2100)).toBe(52);
    history.compact(toRevision(1500));
    expect(history.compacted).toBe(2048);
  });
});

describe("an index", () => {
  function indexOf(commits: number): VersionedIndex {
    const index = new VersionedIndex(SortedMap.empty<Entry>(), toRevision(0));
    for (let n = 1; n <= commits; n++)
      index.apply({ revision: toRevision(n), time: n, changes: [changeAt(n)] });
    return index;
  }

  test("rebuilds no state for an entry that has not changed since, nor for a list of the present", () => {
    const index = indexOf(50);
    const at = vi.spyOn(index.history, "at");
    expect(index.read("k3", toRevision(3))?.revision).toBe(3);
    expect(index.read("k3", toRevision(40))?.revision).toBe(3);
    expect(index.list("k", { at: toRevision(50) }).entries).toHaveLength(50);
    expect(at).not.toHaveBeenCalled();
    expect(index.read("k3", toRevision(2))).toBeUndefined();
    expect(at).toHaveBeenCalledOnce();
  });

  test("lets others run while it compacts many changes", async () => {
    const index = indexOf(5000);
    let isDone = false;
    const compaction = index.compact(toRevision(5000)).then(() => (isDone = true));
    await Promise.resolve();
    expect(isDone).toBe(false);
    expect(index.compacted).toBe(0);
    await compaction;
    expect(index.compacted).toBe(5000);
  });
});
