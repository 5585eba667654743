import { describe, expect, test } from "vitest";
import { StoreClosedError } from "../errors.ts";
import { noRevision } from "../revision.ts";
import type { Bench } from "./bench.suite.ts";
import { put, collect } from "./values.suite.ts";

export function lifeSuite(bench: Bench): void {
  const { watch } = bench;
  describe("life", () => {
    test("close waits for commits in progress and delivers them", async () => {
      const changes = collect(watch(""));
      const commits = Array.from({ length: 100 }, (_, i) => bench.store.commit([put(`k${i}`, "")]));
      await bench.store.close();
      await Promise.all(commits);
      expect((await changes).flat()).toHaveLength(100);
      await bench.store.close();
    });

    test("a closed store refuses everything", async () => {
      await bench.store.close();
      expect(() => bench.store.read("a")).toThrow(StoreClosedError);
      expect(() => bench.store.list("")).toThrow(StoreClosedError);
      expect(() => watch("")).toThrow(StoreClosedError);
      await expect(bench.store.commit([put("a", "1")])).rejects.toThrow(StoreClosedError);
      await expect(bench.store.sync()).rejects.toThrow(StoreClosedError);
      await expect(bench.store.probe()).rejects.toThrow(StoreClosedError);
      await expect(bench.store.compact(noRevision)).rejects.toThrow(StoreClosedError);
    });

    test("probe resolves while the store accepts writes", async () => {
      await bench.store.probe();
      await bench.store.commit([put("a", "1")]);
      await bench.store.probe();
    });

    test("sync returns a revision that covers every acknowledged commit", async () => {
      const revision = await bench.store.commit([put("a", "1")]);
      expect(await bench.store.sync()).toBe(revision);
    });
  });
}
