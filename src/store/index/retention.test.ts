import { beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { StoreClosedError } from "../errors.ts";
import { toRevision } from "../revision.ts";
import type { Entry, Revision, StoreOptions } from "../store.ts";
import { History } from "./history.ts";
import { Retention } from "./retention.ts";
import { SortedMap } from "./sorted-map.ts";

let clock: VirtualClock;
let history: History;
/** The revisions up to which history was compacted, with the seconds since the start. */
let compactions: [before: number, seconds: number][];
let started: number;
let refuses = false;

beforeEach(() => {
  clock = new VirtualClock();
  started = clock.now();
  history = new History(SortedMap.empty<Entry>(), toRevision(0));
  compactions = [];
  refuses = false;
});

function retention(options: Partial<StoreOptions> = {}): Retention {
  const compact = (before: Revision) => {
    compactions.push([before, (clock.now() - started) / 1000]);
    if (refuses) return Promise.reject(new StoreClosedError());
    history.compact(before);
    return Promise.resolve();
  };
  return new Retention({ clock, historyMs: 60_000, ...options }, history, compact);
}

/** A commit that writes 100 bytes over 100 bytes. */
function commit(kept: Retention): void {
  const revision = toRevision(history.current + 1);
  const state = SortedMap.empty<Entry>();
  const entry = { key: "a", value: new Uint8Array(100), revision, created: revision };
  const change = { type: "put", revision, entry, previous: entry } as const;
  history.record({ revision, time: clock.now(), changes: [change] }, state);
  kept.notice();
}

describe("the retention of history", () => {
  test("a commit expires once the window has passed", async () => {
    const kept = retention();
    commit(kept);
    await clock.advance(59_000);
    expect(compactions).toEqual([]);
    await clock.advance(1000);
    expect(compactions).toEqual([[1, 60]]);
    expect(clock.untilNext()).toBeUndefined();
  });

  test("the window is five minutes without another setting", async () => {
    const { historyMs: _, ...options } = { historyMs: 0, clock };
    const kept = new Retention(options, history, (before) => {
      compactions.push([before, (clock.now() - started) / 1000]);
      return Promise.resolve();
    });
    commit(kept);
    await clock.advance(300_000);
    expect(compactions.at(0)).toEqual([1, 300]);
    kept.stop();
  });

  test("commits that expire one after the other are compacted a tenth of the window apart", async () => {
    const kept = retention();
    for (let i = 0; i < 9; i++) {
      commit(kept);
      await clock.advance(1000);
    }
    await clock.advance(120_000);
    expect(compactions).toEqual([
      [1, 60],
      [7, 66],
      [9, 72],
    ]);
    expect(clock.untilNext()).toBeUndefined();
  });

  test("a later commit does not move the timer of the oldest", async () => {
    const kept = retention();
    commit(kept);
    await clock.advance(30_000);
    commit(kept);
    await clock.advance(30_000);
    expect(compactions).toEqual([[1, 60]]);
    await clock.advance(30_000);
    expect(compactions.at(-1)).toEqual([2, 90]);
  });

  test("history beyond its budget is compacted at once, down to three quarters", async () => {
    const kept = retention({ historyBytes: 1000 });
    for (let i = 0; i < 10; i++) commit(kept);
    await clock.settle();
    expect(compactions).toEqual([]);
    commit(kept);
    await clock.settle();
    expect(compactions).toEqual([[4, 0]]);
    expect(history.supersededBytes).toBe(700);
    kept.stop();
  });

  test("with a window without an end, only the budget counts, and there is no timer", async () => {
    const kept = retention({ historyMs: Infinity, historyBytes: 1000 });
    for (let i = 0; i < 10; i++) commit(kept);
    expect(clock.untilNext()).toBeUndefined();
    commit(kept);
    await clock.settle();
    expect(compactions).toEqual([[4, 0]]);
  });

  test("a store that cannot compact now is asked again", async () => {
    refuses = true;
    const kept = retention();
    commit(kept);
    await clock.advance(60_000);
    expect(compactions).toEqual([[1, 60]]);
    refuses = false;
    await clock.advance(6000);
    expect(compactions).toEqual([
      [1, 60],
      [1, 66],
    ]);
  });

  test("nothing is compacted after the stop", async () => {
    const kept = retention({ historyBytes: 100 });
    commit(kept);
    kept.stop();
    expect(clock.untilNext()).toBeUndefined();
    commit(kept);
    await clock.advance(120_000);
    expect(compactions).toEqual([]);
  });

  test("there is one timer, at the time at which the oldest commit expires", async () => {
    const kept = retention({ historyBytes: 1000 });
    commit(kept);
    expect(clock.untilNext()).toBe(60_000);
    await clock.advance(30_000);
    // Ten more are beyond the budget; their compaction leaves the timer as it is.
    for (let i = 0; i < 10; i++) commit(kept);
    await clock.settle();
    expect(compactions).toEqual([[4, 30]]);
    expect(clock.untilNext()).toBe(30_000);
    // What is left has not expired yet.
    await clock.advance(30_000);
    expect(compactions).toEqual([[4, 30]]);
    expect(clock.untilNext()).toBe(30_000);
    kept.stop();
    expect(clock.untilNext()).toBeUndefined();
  });

  test("a commit compacts nothing while the budget holds, even when others have expired", async () => {
    const kept = retention({ historyBytes: 1000 });
    for (let i = 0; i < 4; i++) {
      commit(kept);
      await clock.advance(1000);
    }
    await clock.advance(58_000);
    expect(compactions).toEqual([[1, 60]]);
    for (let i = 0; i < 7; i++) commit(kept);
    await clock.settle();
    expect(history.supersededBytes).toBe(1000);
    expect(compactions).toEqual([[1, 60]]);
    kept.stop();
  });

  test("expired commits go, and others stay while the budget holds", async () => {
    const kept = retention({ historyBytes: 1000 });
    commit(kept);
    await clock.advance(30_000);
    for (let i = 0; i < 9; i++) commit(kept);
    await clock.advance(30_000);
    expect(compactions).toEqual([[1, 60]]);
    expect(history.supersededBytes).toBe(900);
    kept.stop();
  });

  test("exactly three quarters of the budget may stay", async () => {
    const kept = retention({ historyBytes: 800 });
    for (let i = 0; i < 9; i++) commit(kept);
    await clock.settle();
    expect(history.supersededBytes).toBe(600);
    kept.stop();
  });

  test("one compaction runs at a time, and none of it arms a timer after the stop", async () => {
    let finish = () => {};
    const kept = new Retention({ clock, historyMs: 60_000, historyBytes: 100 }, history, (before) => {
      compactions.push([before, 0]);
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    for (let i = 0; i < 4; i++) commit(kept);
    await clock.settle();
    expect(compactions).toEqual([[2, 0]]);
    kept.stop();
    finish();
    await clock.settle();
    expect(clock.untilNext()).toBeUndefined();
  });
});
