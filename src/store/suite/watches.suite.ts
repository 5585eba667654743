import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SlowWatcherError } from "../errors.ts";
import { noRevision } from "../revision.ts";
import { maxPendingChanges } from "../store.ts";
import type { Bench } from "./bench.suite.ts";
import {
  put,
  remove,
  summary,
  collect,
  take,
  text,
  replay,
  distinct,
  arbitraryWrite,
} from "./values.suite.ts";

export function watchSuite(bench: Bench): void {
  const { clock, open, watch } = bench;
  describe("watches", () => {
    test("history comes first, then new changes", async () => {
      const first = await bench.store.commit([put("p/a", "1")]);
      await bench.store.commit([put("q", "1")]);
      const changes = take(watch("p/", noRevision), 3);
      const second = await bench.store.commit([put("p/a", "2")]);
      const third = await bench.store.commit([remove("p/a"), put("p", "1")]);
      expect((await changes).map(summary)).toEqual([
        `put p/a 1@${first}`,
        `put p/a 2@${second} over 1@${first}`,
        `delete p/a over 2@${second} at ${third}`,
      ]);
    });

    test("a batch holds whole commits, in order of revision and then of key", async () => {
      const all = collect(watch("p/"));
      const commits = Array.from({ length: 30 }, (_, i) =>
        bench.store.commit(["c", "a", "b"].map((key) => put(`p/${key}`, `${i}`))),
      );
      await Promise.all(commits);
      await bench.store.close();
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
      await Promise.all(Array.from({ length: 30 }, (_, i) => bench.store.commit([put(`${i}`, "")])));
      await bench.store.close();
      expect((await all).flat()).toHaveLength(30);
      expect((await all).length).toBeLessThan(5);
    });

    test("a commit can be read when a watcher receives it and when its writer is acknowledged", async () => {
      const watching = (async () => {
        const [change] = await take(watch(""), 1);
        expect(bench.store.revision).toBeGreaterThanOrEqual(change?.revision ?? Infinity);
        expect(bench.store.read("a")).toBeDefined();
      })();
      const revision = await bench.store.commit([put("a", "1")]);
      expect(bench.store.revision).toBe(revision);
      expect(text(bench.store.read("a"))).toBe("1");
      await watching;
    });

    test("a watch ends when its signal fires, even before it is read", async () => {
      await bench.store.commit([put("a", "1")]);
      const unread = watch("");
      const reading = collect(watch("", bench.store.revision));
      bench.stop.abort();
      expect(await reading).toEqual([]);
      expect(await collect(unread)).toEqual([]);
      expect(await collect(watch(""))).toEqual([]);
    });

    test("a consumer that leaves its loop is removed", async () => {
      await bench.store.commit([put("a", "1")]);
      for await (const batch of watch("")) {
        expect(batch).toHaveLength(1);
        break;
      }
      await bench.store.commit([put("a", "2")]);
    });

    test("a consumer that does not read is disconnected, and the others are not", async () => {
      const idle = watch("slow/")[Symbol.asyncIterator]();
      const other = collect(watch("other/"));
      const keys = Array.from({ length: 1000 }, (_, i) => `slow/${i}`);
      for (let written = 0; written <= maxPendingChanges; written += keys.length) {
        await bench.store.commit(keys.map((key) => put(key, "")));
      }
      await bench.store.commit([put("other/a", "")]);
      await expect(idle.next()).rejects.toThrow(SlowWatcherError);
      expect(await idle.next()).toEqual({ done: true, value: undefined });
      await bench.store.close();
      expect((await other).flat()).toHaveLength(1);
    });

    test("the changes of a watch turn an old list into the present one", async () => {
      const program = fc.array(fc.array(arbitraryWrite, { maxLength: 4 }), { maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(program, fc.nat(40), async (commits, since) => {
          const fresh = await open({ clock });
          let start = { after: fresh.revision, entries: fresh.list("a").entries };
          for (const [i, writes] of commits.entries()) {
            await fresh.commit(distinct(writes));
            if (i === since) start = { after: fresh.revision, entries: fresh.list("a").entries };
          }
          const changes = collect(fresh.watch("a", start.after, bench.stop.signal));
          const present = fresh.list("a").entries;
          await fresh.close();
          expect(replay(start.entries, (await changes).flat())).toEqual(present);
        }),
        { numRuns: 30 },
      );
    });
  });
}
