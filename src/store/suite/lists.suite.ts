import { describe, expect, test } from "vitest";
import { type Entry } from "../store.ts";
import type { Bench } from "./bench.suite.ts";
import { put, remove, text } from "./values.suite.ts";

export function listSuite(bench: Bench): void {
  describe("lists", () => {
    test("keys come in the order of their UTF-8 bytes", async () => {
      const keys = ["b", "a/b", "a", "a0", "é", "z", "\uffee", "\u{1f600}", "a\0", "\ue000"];
      for (const key of keys) await bench.store.commit([put(key, key)]);
      const byBytes = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(bench.store.list("").entries.map(({ key }) => key)).toEqual(byBytes);
      expect(bench.store.list("", { after: "\uffee" }).entries.map(({ key }) => key)).toEqual(["\u{1f600}"]);
    });

    test("a page has the number of entries of the prefix that follow it", async () => {
      await bench.store.commit(["p/1", "p/2", "p/3", "p/4", "q/1", "o"].map((key) => put(key, key)));
      const page = bench.store.list("p/", { limit: 3 });
      expect([page.entries.map(({ key }) => key), page.remaining]).toEqual([["p/1", "p/2", "p/3"], 1]);
      const rest = bench.store.list("p/", { limit: 3, after: "p/3" });
      expect([rest.entries.map(({ key }) => key), rest.remaining]).toEqual([["p/4"], 0]);
      expect(bench.store.list("p/", { limit: 0 })).toMatchObject({ entries: [], remaining: 4 });
    });

    test("a position outside the prefix skips nothing of it, or all", async () => {
      await bench.store.commit([put("p/1", ""), put("p/2", "")]);
      expect(bench.store.list("p/", { after: "a" }).entries).toHaveLength(2);
      expect(bench.store.list("p/", { after: "p/" }).entries).toHaveLength(2);
      expect(bench.store.list("p/", { after: "q" })).toMatchObject({ entries: [], remaining: 0 });
    });

    test("pages of one revision are consistent, whatever is written meanwhile", async () => {
      await bench.store.commit(
        Array.from({ length: 25 }, (_, i) => put(`p/${String.fromCharCode(97 + i)}`, "old")),
      );
      const at = bench.store.revision;
      const seen: Entry[] = [];
      for (let after = ""; ; after = seen.at(-1)?.key ?? "") {
        const page = bench.store.list("p/", { at, limit: 10, after });
        expect(page.revision).toBe(at);
        seen.push(...page.entries);
        expect(page.remaining).toBe(25 - seen.length);
        if (page.remaining === 0) break;
        await bench.store.commit([remove("p/c"), put("p/x", "new"), put(`p/b${seen.length}`, "new")]);
      }
      expect(seen.map(text)).toEqual(Array(25).fill("old"));
    });
  });
}
