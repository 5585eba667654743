import { describe, expect, test } from "vitest";
import { ExpectationError, InvalidCommitError } from "../errors.ts";
import { noRevision, toRevision } from "../revision.ts";
import type { Revision, Value } from "../store.ts";
import type { Bench } from "./bench.suite.ts";
import { put, remove, text } from "./values.suite.ts";

export function commitSuite(bench: Bench): void {
  const { clock, open } = bench;
  describe("commits", () => {
    test("an empty store is at revision 0", () => {
      expect([bench.store.revision, bench.store.compacted]).toEqual([0, 0]);
      expect(bench.store.list("")).toEqual({ entries: [], revision: 0, remaining: 0 });
      expect(bench.store.list("", { at: noRevision }).entries).toEqual([]);
    });

    test("an entry shows the revisions of its creation and its last write", async () => {
      const created = await bench.store.commit([put("a", "1")]);
      const written = await bench.store.commit([put("a", "2")]);
      expect(bench.store.read("a")).toMatchObject({ key: "a", revision: written, created });
      expect(text(bench.store.read("a"))).toBe("2");
      expect(written).toBeGreaterThan(created);
    });

    test("a key that was deleted and put again has a new creation revision", async () => {
      await bench.store.commit([put("a", "1")]);
      await bench.store.commit([remove("a")]);
      expect(bench.store.read("a")).toBeUndefined();
      const again = await bench.store.commit([put("a", "2")]);
      expect(bench.store.read("a")).toMatchObject({ created: again, revision: again });
    });

    test("the writes of one commit share its revision", async () => {
      await bench.store.commit([put("a", "1")]);
      const revision = await bench.store.commit([put("c", "2"), remove("a"), put("b", "2")]);
      expect(bench.store.list("").entries.map((entry) => [entry.key, entry.revision])).toEqual([
        ["b", revision],
        ["c", revision],
      ]);
    });

    test("a commit that changes nothing returns the present revision", async () => {
      const revision = await bench.store.commit([put("a", "1")]);
      expect(await bench.store.commit([])).toBe(revision);
      expect(await bench.store.commit([remove("absent")])).toBe(revision);
      expect(await bench.store.commit([], [{ key: "a", revision }])).toBe(revision);
      expect(bench.store.revision).toBe(revision);
    });

    test("a delete of a key that is being deleted is acknowledged after the first delete", async () => {
      await bench.store.commit([put("a", "1")]);
      const first = bench.store.commit([remove("a")]);
      expect(await bench.store.commit([remove("a")])).toBe(await first);
      expect(bench.store.read("a")).toBeUndefined();
    });

    test("a refused commit writes nothing", async () => {
      const revision = await bench.store.commit([put("a", "1")]);
      const bad = toRevision(revision + 1);
      await expect(
        bench.store.commit([put("b", "1"), remove("a")], [{ key: "a", revision: bad }]),
      ).rejects.toThrow(new ExpectationError({ key: "a", revision: bad }, { revision }));
      await expect(bench.store.commit([put("b", "1")], [{ key: "a", revision: 0 }])).rejects.toThrow(
        ExpectationError,
      );
      await expect(bench.store.commit([put("b", "1")], [{ key: "c", revision }])).rejects.toThrow(
        /c is absent/,
      );
      expect(bench.store.list("").entries.map(({ key }) => key)).toEqual(["a"]);
      expect(bench.store.revision).toBe(revision);
    });

    test("a commit with a key twice, an empty key, or half a character is refused", async () => {
      await expect(bench.store.commit([put("a", "1"), remove("a")])).rejects.toThrow(
        "Cannot commit: it writes a twice",
      );
      await expect(bench.store.commit([put("", "1")])).rejects.toThrow(InvalidCommitError);
      await expect(bench.store.commit([put("a\ud800", "1")])).rejects.toThrow(InvalidCommitError);
      expect(bench.store.revision).toBe(0);
    });

    test("exactly one of several writers of one key succeeds", async () => {
      const attempts = Array.from({ length: 50 }, (_, i) =>
        bench.store.commit([put("a", `${i}`)], [{ key: "a", revision: 0 }]),
      );
      const outcomes = await Promise.allSettled(attempts);
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(text(bench.store.read("a"))).toBe("0");
    });

    test("concurrent increments lose none", async () => {
      await bench.store.commit([put("n", "0")]);
      const increment = async (): Promise<void> => {
        const entry = bench.store.read("n");
        try {
          const writes = [put("n", `${Number(text(entry)) + 1}`)];
          await bench.store.commit(writes, [{ key: "n", revision: entry?.revision ?? 0 }]);
        } catch (error) {
          if (!(error instanceof ExpectationError)) throw error;
          await bench.store.commit([]);
          await increment();
        }
      };
      await Promise.all(Array.from({ length: 20 }, increment));
      expect(text(bench.store.read("n"))).toBe("20");
    });

    test("commits made without waiting take effect in the order of the calls", async () => {
      const revisions = await Promise.all(
        Array.from({ length: 200 }, (_, i) => bench.store.commit([put("a", `${i}`)])),
      );
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
      expect(new Set(revisions).size).toBe(200);
      expect(text(bench.store.read("a"))).toBe("199");
    });

    test("a stamp writes the revision into the value that all readers see, and the entry keeps its memo", async () => {
      const stamp = ({ value, memo }: Value, revision: Revision) => ({
        value: Buffer.from(`${text({ value })}@${revision}`),
        memo: { memo, revision },
      });
      const stamped = await open({ clock, stamp });
      const memo = { of: "x" };
      const revision = await stamped.commit([{ type: "put", key: "a", value: Buffer.from("x"), memo }]);
      expect(text(stamped.read("a"))).toBe(`x@${revision}`);
      expect(stamped.read("a")?.memo).toEqual({ memo, revision });
      await stamped.close();
    });

    test("a value that outlives its history keeps no more memory than its bytes", async () => {
      const revision = await bench.store.commit([
        { type: "put", key: "a", value: Buffer.from("small and pooled") },
      ]);
      await bench.store.compact(revision);
      const value = bench.store.read("a")?.value;
      expect(value?.buffer.byteLength).toBe(16);
      expect(text(bench.store.read("a"))).toBe("small and pooled");
    });
  });
}
