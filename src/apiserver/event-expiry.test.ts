import { expect, test } from "vitest";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { expireEvents } from "./event-expiry.ts";

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
