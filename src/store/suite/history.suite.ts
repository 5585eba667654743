import { describe, expect, test } from "vitest";
import { CompactedError, FutureRevisionError } from "../errors.ts";
import { noRevision, toRevision } from "../revision.ts";
import type { Bench } from "./bench.suite.ts";
import { put, remove, text, take } from "./values.suite.ts";

export function historySuite(bench: Bench): void {
  const { clock, open, watch } = bench;
  describe("history", () => {
    test("a future revision is refused", async () => {
      const ahead = toRevision((await bench.store.commit([put("a", "1")])) + 1);
      expect(() => bench.store.read("a", ahead)).toThrow(FutureRevisionError);
      expect(() => bench.store.list("", { at: ahead })).toThrow(FutureRevisionError);
      expect(() => watch("", ahead)).toThrow(FutureRevisionError);
      await expect(bench.store.compact(ahead)).rejects.toThrow(FutureRevisionError);
    });

    test("compaction forgets exactly the entries that were superseded before", async () => {
      const first = await bench.store.commit([put("a", "1"), put("b", "1")]);
      const second = await bench.store.commit([put("a", "2"), remove("b")]);
      const third = await bench.store.commit([put("a", "3")]);
      await bench.store.compact(second);
      expect(bench.store.compacted).toBe(second);
      expect(() => bench.store.read("a", first)).toThrow(new CompactedError(first, second));
      expect(() => bench.store.list("", { at: first })).toThrow(CompactedError);
      expect(() => watch("", first)).toThrow(CompactedError);
      expect(text(bench.store.read("a", second))).toBe("2");
      expect(bench.store.read("b", second)).toBeUndefined();
      expect((await take(watch("", second), 1)).map(({ revision }) => revision)).toEqual([third]);
      await bench.store.compact(first);
      expect(bench.store.compacted).toBe(second);
    });

    test("compaction up to the present works, including deletes", async () => {
      await bench.store.commit([put("a", "1")]);
      const last = await bench.store.commit([remove("a")]);
      await bench.store.compact(last);
      expect([bench.store.revision, bench.store.compacted]).toEqual([last, last]);
      expect(await bench.store.commit([put("a", "2")])).toBeGreaterThan(last);
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

    test("the oldest history is compacted early when it exceeds its budget", async () => {
      const small = await open({ clock, historyBytes: 1000 });
      for (let i = 0; i < 20; i++)
        await small.commit([{ type: "put", key: "a", value: new Uint8Array(100) }]);
      await small.compact(noRevision);
      expect(small.compacted).toBeGreaterThanOrEqual(8);
      expect(small.compacted).toBeLessThan(15);
      await small.close();
    });
  });
}
