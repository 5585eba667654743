import { expect, test } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { storeSuite } from "../store.suite.ts";
import { put, remove, text } from "../suite/values.suite.ts";
import { MemoryStore } from "./memory-store.ts";

storeSuite("memory store", async (options) => new MemoryStore(options));

const clock = new VirtualClock();

test("a fork starts where the snapshot was taken, and neither side sees the other's writes", async () => {
  const original = new MemoryStore({ clock });
  await original.commit([put("a", "1"), put("b", "1")]);
  const snapshot = original.snapshot();
  await original.commit([put("a", "original"), remove("b")]);

  const fork = new MemoryStore({ clock, snapshot });
  const sibling = new MemoryStore({ clock, snapshot });
  expect([fork.revision, fork.compacted]).toEqual([1, 1]);
  await fork.commit([put("a", "fork")], [{ key: "a", revision: snapshot.revision }]);

  expect(text(original.read("a"))).toBe("original");
  expect(text(fork.read("a"))).toBe("fork");
  expect(fork.read("a")?.created).toBe(1);
  expect(text(sibling.read("a"))).toBe("1");
  expect(sibling.list("").entries.map(({ key }) => key)).toEqual(["a", "b"]);
});

test("forks share unchanged entries", async () => {
  const original = new MemoryStore({ clock });
  await original.commit(Array.from({ length: 10_000 }, (_, i) => put(`k${i}`, "")));
  const fork = new MemoryStore({ clock, snapshot: original.snapshot() });
  await fork.commit([put("k5", "new")]);
  expect(fork.read("k6")).toBe(original.read("k6"));
  expect(fork.read("k5")).not.toBe(original.read("k5"));
});

test("a write is in effect before commit returns its promise", async () => {
  const store = new MemoryStore({ clock });
  const commit = store.commit([put("a", "1")]);
  expect(text(store.read("a"))).toBe("1");
  await commit;
});
