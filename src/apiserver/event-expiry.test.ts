import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { toRevision } from "../store/revision.ts";
import type { Entry } from "../store/store.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { expireEvents, lastToForget } from "./event-expiry.ts";

const keyOf = (name: string) => `/registry/events/default/${name}`;

async function storeOf(...names: readonly string[]) {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock, stamp: (value) => value });
  for (const name of names) await put(store, name);
  return { clock, store };
}

async function put(store: MemoryStore, name: string): Promise<void> {
  await store.commit([{ type: "put", key: keyOf(name), value: Buffer.alloc(1000) }]);
}

const namesIn = (store: MemoryStore) =>
  store.list("/registry/events/").entries.map(({ key }) => key.slice(keyOf("").length));

test("Events are deleted an hour after their last write", async () => {
  const { clock, store } = await storeOf("a", "b");
  const stop = new AbortController();
  void expireEvents(store, clock, stop.signal);
  await clock.advance(1_800_000);
  await put(store, "b");
  await clock.advance(1_860_000);
  expect(namesIn(store)).toEqual(["b"]);
  await clock.advance(1_800_000);
  expect(namesIn(store)).toEqual([]);
  stop.abort();
});

test.each([
  [600_000, []],
  [Infinity, ["a"]],
])("Events have a time to live of %d ms", async (ttlMs, left) => {
  const { clock, store } = await storeOf("a");
  const stop = new AbortController();
  void expireEvents(store, clock, stop.signal, { ttlMs });
  await clock.advance(540_000);
  expect(namesIn(store)).toEqual(["a"]);
  await clock.advance(120_000);
  expect(namesIn(store)).toEqual(left);
  stop.abort();
});

test("the oldest Events are deleted early while all together are too large", async () => {
  const { clock, store } = await storeOf("a", "b", "c", "d");
  await put(store, "a");
  const stop = new AbortController();
  void expireEvents(store, clock, stop.signal, { limitBytes: 2500 });
  await clock.advance(60_000);
  expect(namesIn(store)).toEqual(["a", "d"]);
  stop.abort();
});

test("the oldest Events beyond the limit are forgotten, and no others", () => {
  const revision = fc.integer({ min: 1, max: 2000 }).map(toRevision);
  const event = fc.record({ revision, bytes: fc.nat({ max: 20 }) });
  const events = fc.uniqueArray(event, { selector: ({ revision }) => revision, maxLength: 60 });
  fc.assert(
    fc.property(events, fc.nat({ max: 2000 }), fc.nat({ max: 400 }), (some, from, limit) => {
      const entries = some.map(({ revision, bytes }): Entry => ({
        key: keyOf(String(revision)),
        value: new Uint8Array(bytes),
        revision,
        created: revision,
      }));
      const bytesAfter = (after: number) =>
        entries.reduce((sum, { revision, value }) => sum + (revision > after ? value.length : 0), 0);
      const last = lastToForget(entries, { from, to: 2000 }, limit);
      expect(last).toBeGreaterThanOrEqual(from);
      expect(bytesAfter(last)).toBeLessThanOrEqual(limit);
      // One Event more would be too much.
      const next = Math.max(...entries.map(({ revision }) => (revision <= last ? revision : 0)));
      if (next > from) expect(bytesAfter(next - 1)).toBeGreaterThan(limit);
    }),
  );
});
