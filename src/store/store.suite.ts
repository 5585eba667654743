import fc from "fast-check";
import { VirtualClock } from "../util/virtual-clock.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CompactedError,
  ExpectationError,
  FutureRevisionError,
  InvalidCommitError,
  SlowWatcherError,
  StoreClosedError,
} from "./errors.ts";
import { noRevision, toRevision } from "./revision.ts";
import {
  type Change,
  type Entry,
  maxPendingChanges,
  type Revision,
  type Store,
  type StoreOptions,
  type Write,
} from "./store.ts";
import { NaiveStore } from "./naive-store.ts";

/** Opens an empty store. Whoever opens it closes it. */
export type OpenStore = (options: StoreOptions) => Promise<Store>;

/** What every implementation of `Store` must do. */
export function storeSuite(name: string, open: OpenStore): void {
  describe(name, () => {
    const clock = new VirtualClock();
    let store: Store;
    let stop: AbortController;

    beforeEach(async () => {
      store = await open({ clock });
      stop = new AbortController();
    });
    afterEach(async () => {
      stop.abort();
      await store.close();
    });

    const watch = (prefix: string, after: Revision = noRevision) => store.watch(prefix, after, stop.signal);

    describe("commits", () => {
      test("an empty store is at revision 0", () => {
        expect([store.revision, store.compacted]).toEqual([0, 0]);
        expect(store.list("")).toEqual({ entries: [], revision: 0, remaining: 0 });
        expect(store.list("", { at: noRevision }).entries).toEqual([]);
      });

      test("an entry shows when it was created and when it was written last", async () => {
        const created = await store.commit([put("a", "1")]);
        const written = await store.commit([put("a", "2")]);
        expect(store.read("a")).toMatchObject({ key: "a", revision: written, created });
        expect(text(store.read("a"))).toBe("2");
        expect(written).toBeGreaterThan(created);
      });

      test("a key that comes back was created anew", async () => {
        await store.commit([put("a", "1")]);
        await store.commit([remove("a")]);
        expect(store.read("a")).toBeUndefined();
        const again = await store.commit([put("a", "2")]);
        expect(store.read("a")).toMatchObject({ created: again, revision: again });
      });

      test("the writes of one commit share its revision", async () => {
        await store.commit([put("a", "1")]);
        const revision = await store.commit([put("c", "2"), remove("a"), put("b", "2")]);
        expect(store.list("").entries.map((entry) => [entry.key, entry.revision])).toEqual([
          ["b", revision],
          ["c", revision],
        ]);
      });

      test("a commit that changes nothing returns the present revision", async () => {
        const revision = await store.commit([put("a", "1")]);
        expect(await store.commit([])).toBe(revision);
        expect(await store.commit([remove("absent")])).toBe(revision);
        expect(await store.commit([], [{ key: "a", revision }])).toBe(revision);
        expect(store.revision).toBe(revision);
      });

      test("a delete that finds the key gone already is acknowledged after the delete before it", async () => {
        await store.commit([put("a", "1")]);
        const first = store.commit([remove("a")]);
        expect(await store.commit([remove("a")])).toBe(await first);
        expect(store.read("a")).toBeUndefined();
      });

      test("a refused commit writes nothing", async () => {
        const revision = await store.commit([put("a", "1")]);
        const bad = toRevision(revision + 1);
        await expect(
          store.commit([put("b", "1"), remove("a")], [{ key: "a", revision: bad }]),
        ).rejects.toThrow(new ExpectationError({ key: "a", revision: bad }, { revision }));
        await expect(store.commit([put("b", "1")], [{ key: "a", revision: 0 }])).rejects.toThrow(
          ExpectationError,
        );
        await expect(store.commit([put("b", "1")], [{ key: "c", revision }])).rejects.toThrow(/c is absent/);
        expect(store.list("").entries.map(({ key }) => key)).toEqual(["a"]);
        expect(store.revision).toBe(revision);
      });

      test("a commit that names a key twice, an empty one, or half a character is refused", async () => {
        await expect(store.commit([put("a", "1"), remove("a")])).rejects.toThrow(
          "Cannot commit: it writes a twice",
        );
        await expect(store.commit([put("", "1")])).rejects.toThrow(InvalidCommitError);
        await expect(store.commit([put("a\ud800", "1")])).rejects.toThrow(InvalidCommitError);
        expect(store.revision).toBe(0);
      });

      test("of writers that race for one key exactly one wins", async () => {
        const attempts = Array.from({ length: 50 }, (_, i) =>
          store.commit([put("a", `${i}`)], [{ key: "a", revision: 0 }]),
        );
        const outcomes = await Promise.allSettled(attempts);
        expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        expect(text(store.read("a"))).toBe("0");
      });

      test("racing increments lose none", async () => {
        await store.commit([put("n", "0")]);
        const increment = async (): Promise<void> => {
          const entry = store.read("n");
          try {
            const writes = [put("n", `${Number(text(entry)) + 1}`)];
            await store.commit(writes, [{ key: "n", revision: entry?.revision ?? 0 }]);
          } catch (error) {
            if (!(error instanceof ExpectationError)) throw error;
            await store.commit([]);
            await increment();
          }
        };
        await Promise.all(Array.from({ length: 20 }, increment));
        expect(text(store.read("n"))).toBe("20");
      });

      test("commits made without waiting take effect in the order of the calls", async () => {
        const revisions = await Promise.all(
          Array.from({ length: 200 }, (_, i) => store.commit([put("a", `${i}`)])),
        );
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
        expect(new Set(revisions).size).toBe(200);
        expect(text(store.read("a"))).toBe("199");
      });

      test("a stamp writes the revision into the value that everybody sees", async () => {
        const stamp = (value: Uint8Array, revision: Revision) =>
          Buffer.from(`${text({ value })}@${revision}`);
        const stamped = await open({ clock, stamp });
        const revision = await stamped.commit([put("a", "x")]);
        expect(text(stamped.read("a"))).toBe(`x@${revision}`);
        await stamped.close();
      });

      test("a stored value holds on to no more memory than it has bytes", async () => {
        await store.commit([{ type: "put", key: "a", value: Buffer.from("small and pooled") }]);
        const value = store.read("a")?.value;
        expect(value?.buffer.byteLength).toBe(16);
      });
    });

    describe("lists", () => {
      test("keys come in the order of their UTF-8 bytes", async () => {
        const keys = ["b", "a/b", "a", "a0", "é", "z", "\uffee", "\u{1f600}", "a\0", "\ue000"];
        for (const key of keys) await store.commit([put(key, key)]);
        const byBytes = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(store.list("").entries.map(({ key }) => key)).toEqual(byBytes);
        expect(store.list("", { after: "\uffee" }).entries.map(({ key }) => key)).toEqual(["\u{1f600}"]);
      });

      test("a page says how much of the prefix follows it", async () => {
        await store.commit(["p/1", "p/2", "p/3", "p/4", "q/1", "o"].map((key) => put(key, key)));
        const page = store.list("p/", { limit: 3 });
        expect([page.entries.map(({ key }) => key), page.remaining]).toEqual([["p/1", "p/2", "p/3"], 1]);
        const rest = store.list("p/", { limit: 3, after: "p/3" });
        expect([rest.entries.map(({ key }) => key), rest.remaining]).toEqual([["p/4"], 0]);
        expect(store.list("p/", { limit: 0 })).toMatchObject({ entries: [], remaining: 4 });
      });

      test("a position outside the prefix skips nothing of it, or all", async () => {
        await store.commit([put("p/1", ""), put("p/2", "")]);
        expect(store.list("p/", { after: "a" }).entries).toHaveLength(2);
        expect(store.list("p/", { after: "p/" }).entries).toHaveLength(2);
        expect(store.list("p/", { after: "q" })).toMatchObject({ entries: [], remaining: 0 });
      });

      test("pages of one revision fit together whatever is written meanwhile", async () => {
        await store.commit(
          Array.from({ length: 25 }, (_, i) => put(`p/${String.fromCharCode(97 + i)}`, "old")),
        );
        const at = store.revision;
        const seen: Entry[] = [];
        for (let after = ""; ; after = seen.at(-1)?.key ?? "") {
          const page = store.list("p/", { at, limit: 10, after });
          expect(page.revision).toBe(at);
          seen.push(...page.entries);
          expect(page.remaining).toBe(25 - seen.length);
          if (page.remaining === 0) break;
          await store.commit([remove("p/c"), put("p/x", "new"), put(`p/b${seen.length}`, "new")]);
        }
        expect(seen.map(text)).toEqual(Array(25).fill("old"));
      });
    });

    describe("history", () => {
      test("a revision that is not there yet is refused", async () => {
        const ahead = toRevision((await store.commit([put("a", "1")])) + 1);
        expect(() => store.read("a", ahead)).toThrow(FutureRevisionError);
        expect(() => store.list("", { at: ahead })).toThrow(FutureRevisionError);
        expect(() => watch("", ahead)).toThrow(FutureRevisionError);
        await expect(store.compact(ahead)).rejects.toThrow(FutureRevisionError);
      });

      test("compaction forgets what was superseded before, and nothing else", async () => {
        const first = await store.commit([put("a", "1"), put("b", "1")]);
        const second = await store.commit([put("a", "2"), remove("b")]);
        const third = await store.commit([put("a", "3")]);
        await store.compact(second);
        expect(store.compacted).toBe(second);
        expect(() => store.read("a", first)).toThrow(new CompactedError(first, second));
        expect(() => store.list("", { at: first })).toThrow(CompactedError);
        expect(() => watch("", first)).toThrow(CompactedError);
        expect(text(store.read("a", second))).toBe("2");
        expect(store.read("b", second)).toBeUndefined();
        expect((await take(watch("", second), 1)).map(({ revision }) => revision)).toEqual([third]);
        await store.compact(first);
        expect(store.compacted).toBe(second);
      });

      test("the present can be compacted up to, deletes included", async () => {
        await store.commit([put("a", "1")]);
        const last = await store.commit([remove("a")]);
        await store.compact(last);
        expect([store.revision, store.compacted]).toEqual([last, last]);
        expect(await store.commit([put("a", "2")])).toBeGreaterThan(last);
      });

      test("superseded revisions expire with the history window", async () => {
        const windowed = await open({ clock, historyMs: 60_000 });
        const first = await windowed.commit([put("a", "1")]);
        const second = await windowed.commit([put("a", "2")]);
        await clock.advance(30_000);
        const third = await windowed.commit([put("a", "3")]);
        await clock.advance(29_000);
        expect(text(windowed.read("a", first))).toBe("1");
        await clock.advance(7_000);
        await windowed.compact(noRevision);
        expect(() => windowed.read("a", first)).toThrow(CompactedError);
        expect(text(windowed.read("a", second))).toBe("2");
        await clock.advance(60_000);
        await windowed.compact(noRevision);
        expect(windowed.compacted).toBe(third);
        expect(text(windowed.read("a"))).toBe("3");
        await windowed.close();
        expect(clock.untilNext()).toBeUndefined();
      });

      test("the oldest history goes early when it outgrows its budget", async () => {
        const small = await open({ clock, historyBytes: 1000 });
        for (let i = 0; i < 20; i++)
          await small.commit([{ type: "put", key: "a", value: new Uint8Array(100) }]);
        await small.compact(noRevision);
        expect(small.compacted).toBeGreaterThanOrEqual(8);
        expect(small.compacted).toBeLessThan(15);
        await small.close();
      });
    });

    describe("watches", () => {
      test("history comes first, then what happens", async () => {
        const first = await store.commit([put("p/a", "1")]);
        await store.commit([put("q", "1")]);
        const changes = take(watch("p/", noRevision), 3);
        const second = await store.commit([put("p/a", "2")]);
        const third = await store.commit([remove("p/a"), put("p", "1")]);
        expect((await changes).map(summary)).toEqual([
          `put p/a 1@${first}`,
          `put p/a 2@${second} over 1@${first}`,
          `delete p/a over 2@${second} at ${third}`,
        ]);
      });

      test("a batch holds whole commits, in order of revision and then of key", async () => {
        const all = collect(watch("p/"));
        const commits = Array.from({ length: 30 }, (_, i) =>
          store.commit(["c", "a", "b"].map((key) => put(`p/${key}`, `${i}`))),
        );
        await Promise.all(commits);
        await store.close();
        for (const batch of await all) {
          expect(batch.length % 3).toBe(0);
          expect(batch.map((change) => change.type === "put" && change.entry.key.slice(2)).join("")).toBe(
            "abc".repeat(batch.length / 3),
          );
        }
        const revisions = (await all).flat().map(({ revision }) => revision);
        expect(revisions).toHaveLength(90);
        expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
      });

      test("commits made in one turn arrive in fewer batches than commits", async () => {
        const all = collect(watch(""));
        await Promise.all(Array.from({ length: 30 }, (_, i) => store.commit([put(`${i}`, "")])));
        await store.close();
        expect((await all).flat()).toHaveLength(30);
        expect((await all).length).toBeLessThan(5);
      });

      test("nobody sees a write before its commit is acknowledged to be durable", async () => {
        const order: string[] = [];
        const watching = take(watch(""), 1).then(([change]) => order.push(`watched ${change?.revision}`));
        const committing = store
          .commit([put("a", "1")])
          .then((revision) => order.push(`committed ${revision}`));
        if (store.read("a") !== undefined) expect(store.revision).toBe(1);
        else expect(store.revision).toBe(0);
        await Promise.all([watching, committing]);
        expect(order.toSorted()).toEqual(["committed 1", "watched 1"]);
      });

      test("a watch ends when its signal fires, also before it is read", async () => {
        await store.commit([put("a", "1")]);
        const unread = watch("");
        const reading = collect(watch("", store.revision));
        stop.abort();
        expect(await reading).toEqual([]);
        expect(await collect(unread)).toEqual([]);
        expect(await collect(watch(""))).toEqual([]);
      });

      test("a consumer that leaves its loop is forgotten", async () => {
        await store.commit([put("a", "1")]);
        for await (const batch of watch("")) {
          expect(batch).toHaveLength(1);
          break;
        }
        await store.commit([put("a", "2")]);
      });

      test("a consumer that does not read is cut off, and the others are not", async () => {
        const idle = watch("slow/")[Symbol.asyncIterator]();
        const other = collect(watch("other/"));
        const keys = Array.from({ length: 1000 }, (_, i) => `slow/${i}`);
        for (let written = 0; written <= maxPendingChanges; written += keys.length) {
          await store.commit(keys.map((key) => put(key, "")));
        }
        await store.commit([put("other/a", "")]);
        await expect(idle.next()).rejects.toThrow(SlowWatcherError);
        expect(await idle.next()).toEqual({ done: true, value: undefined });
        await store.close();
        expect((await other).flat()).toHaveLength(1);
      });

      test("what a watch reports turns an old list into the present one", async () => {
        const program = fc.array(fc.array(arbitraryWrite, { maxLength: 4 }), { maxLength: 40 });
        await fc.assert(
          fc.asyncProperty(program, fc.nat(40), async (commits, since) => {
            const fresh = await open({ clock });
            let start = { after: fresh.revision, entries: fresh.list("a").entries };
            for (const [i, writes] of commits.entries()) {
              await fresh.commit(distinct(writes));
              if (i === since) start = { after: fresh.revision, entries: fresh.list("a").entries };
            }
            const changes = collect(fresh.watch("a", start.after, stop.signal));
            const present = fresh.list("a").entries;
            await fresh.close();
            expect(replay(start.entries, (await changes).flat())).toEqual(present);
          }),
          { numRuns: 30 },
        );
      });
    });

    describe("life", () => {
      test("close waits for commits under way and delivers them", async () => {
        const changes = collect(watch(""));
        const commits = Array.from({ length: 100 }, (_, i) => store.commit([put(`k${i}`, "")]));
        await store.close();
        await Promise.all(commits);
        expect((await changes).flat()).toHaveLength(100);
        await store.close();
      });

      test("a closed store refuses everything", async () => {
        await store.close();
        expect(() => store.read("a")).toThrow(StoreClosedError);
        expect(() => store.list("")).toThrow(StoreClosedError);
        expect(() => watch("")).toThrow(StoreClosedError);
        await expect(store.commit([put("a", "1")])).rejects.toThrow(StoreClosedError);
        await expect(store.sync()).rejects.toThrow(StoreClosedError);
        await expect(store.compact(noRevision)).rejects.toThrow(StoreClosedError);
      });

      test("sync returns a revision that covers every acknowledged commit", async () => {
        const revision = await store.commit([put("a", "1")]);
        expect(await store.sync()).toBe(revision);
      });
    });

    test("every revision reads like a naive model that copies the world at each commit", async () => {
      const step = fc.oneof(
        {
          weight: 8,
          arbitrary: fc.record({ writes: fc.array(arbitraryWrite, { minLength: 1, maxLength: 5 }) }),
        },
        { weight: 1, arbitrary: fc.record({ compact: fc.double({ min: 0, max: 1, noNaN: true }) }) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.boolean(), async (steps, waits) => {
          const real = await open({ clock });
          const model = new NaiveStore();
          for (const step of steps) {
            if ("writes" in step) {
              const revision = model.commit(distinct(step.writes));
              const commit = real.commit(distinct(step.writes));
              if (waits) expect(await commit).toBe(revision);
            } else {
              const before = toRevision(Math.floor((await real.commit([])) * step.compact));
              await real.compact(before);
              model.compact(before);
            }
          }
          expect(await real.commit([])).toBe(model.revision);
          expect(real.compacted).toBe(model.compacted);
          for (let at = model.compacted; at <= model.revision; at = toRevision(at + 1)) {
            for (const options of [{ at }, { at, after: "ab" }, { at, limit: 2 }]) {
              expect(plain(real.list("a", options))).toEqual(plain(model.list("a", options)));
            }
            expect(plain(real.read("a", at))).toEqual(
              plain(model.list("a", { at, limit: 1 }).entries.find(({ key }) => key === "a")),
            );
          }
          await real.close();
        }),
        { numRuns: 40 },
      );
    });
  });
}

export function put(key: string, value: string): Write {
  return { type: "put", key, value: Buffer.from(value) };
}

export function remove(key: string): Write {
  return { type: "delete", key };
}

export function text(entry: Pick<Entry, "value"> | undefined): string | undefined {
  return entry && Buffer.from(entry.value).toString();
}

/** Few keys, so that they meet, and none of the orders agree on them. */
const arbitraryKey = fc.constantFrom("a", "ab", "a/", "a/b", "b", "a\u{1f600}", "a\uffee", "aé");

const arbitraryWrite: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(arbitraryKey, fc.string()).map(([key, value]) => put(key, value)) },
  { weight: 1, arbitrary: arbitraryKey.map(remove) },
);

function distinct(writes: readonly Write[]): Write[] {
  return [...new Map(writes.map((write) => [write.key, write])).values()];
}

/** Values as text, so that a Buffer equals an array with the same bytes. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, inner: unknown) =>
      inner instanceof Uint8Array ? text({ value: inner }) : inner,
    ) ?? "null",
  );
}

function summary(change: Change): string {
  const previous = change.previous && `${text(change.previous)}@${change.previous.revision}`;
  if (change.type === "delete") return `delete ${change.previous.key} over ${previous} at ${change.revision}`;
  const { key, revision } = change.entry;
  return `put ${key} ${text(change.entry)}@${revision}${previous ? ` over ${previous}` : ""}`;
}

export async function collect(watch: AsyncIterable<readonly Change[]>): Promise<(readonly Change[])[]> {
  const batches: (readonly Change[])[] = [];
  for await (const batch of watch) batches.push(batch);
  return batches;
}

export async function take(watch: AsyncIterable<readonly Change[]>, count: number): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const batch of watch) {
    changes.push(...batch);
    if (changes.length >= count) break;
  }
  return changes;
}

function replay(entries: readonly Entry[], changes: readonly Change[]): Entry[] {
  const state = new Map(entries.map((entry) => [entry.key, entry]));
  for (const change of changes) {
    if (change.type === "put") {
      expect(state.get(change.entry.key)).toEqual(change.previous);
      state.set(change.entry.key, change.entry);
    } else {
      expect(state.get(change.previous.key)).toEqual(change.previous);
      state.delete(change.previous.key);
    }
  }
  return [...state.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
