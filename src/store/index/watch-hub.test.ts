import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import { toRevision } from "../revision.ts";
import { SlowWatcherError } from "../errors.ts";
import { type Change, changedKey, maxPendingChanges } from "../store.ts";
import { WatchHub } from "./watch-hub.ts";
import type { Watcher } from "./watcher.ts";

const revision = toRevision(1);

function created(key: string): Change {
  return { type: "put", revision, entry: { key, value: new Uint8Array(), revision, created: revision } };
}

async function batchesOf(watcher: Watcher): Promise<(readonly Change[])[]> {
  const batches: (readonly Change[])[] = [];
  for await (const batch of watcher) batches.push(batch);
  return batches;
}

async function keysOf(watcher: Watcher): Promise<string[]> {
  watcher.finish();
  return (await batchesOf(watcher)).flat().map(changedKey);
}

test("a change reaches the watchers of each of its prefixes, and no others", async () => {
  const hub = new WatchHub();
  const { signal } = new AbortController();
  const prefixes = [
    "",
    "/pods/",
    "/pods/default/",
    "/pods/other/",
    "/nodes/",
    "/pods/default/a",
    "/pods/default/abc",
  ];
  const watchers = prefixes.map((prefix) => hub.open(prefix, [], signal));
  const twin = hub.open("/pods/", [], signal);
  hub.publish([created("/pods/default/ab"), created("/nodes/n")]);
  expect(await Promise.all(watchers.map(keysOf))).toEqual([
    ["/pods/default/ab", "/nodes/n"],
    ["/pods/default/ab"],
    ["/pods/default/ab"],
    [],
    ["/nodes/n"],
    ["/pods/default/ab"],
    [],
  ]);
  expect(await keysOf(twin)).toEqual(["/pods/default/ab"]);
});

test("a change costs nothing for watchers of other prefixes", () => {
  const hub = new WatchHub();
  const { signal } = new AbortController();
  const asked: string[] = [];
  for (let i = 0; i < 1000; i++) {
    const watcher = hub.open(`/registry/kind-${i}/`, [], signal);
    watcher.push = () => asked.push(watcher.prefix);
  }
  hub.publish([created("/registry/kind-7/x")]);
  expect(asked).toEqual(["/registry/kind-7/"]);
});

test("an ended watch gets no more changes, and its twin continues", async () => {
  const hub = new WatchHub();
  const stop = new AbortController();
  const ended = hub.open("a", [], stop.signal);
  const twin = hub.open("a", [], new AbortController().signal);
  stop.abort();
  hub.publish([created("ab")]);
  expect(await keysOf(ended)).toEqual([]);
  expect(await keysOf(twin)).toEqual(["ab"]);
});

test("a prefix can be watched again after its last watch has ended", async () => {
  const hub = new WatchHub();
  const { signal } = new AbortController();
  for (let i = 0; i < 3; i++) {
    const watcher = hub.open("a", [], signal);
    hub.publish([created("ab")]);
    expect(await keysOf(watcher)).toEqual(["ab"]);
  }
});

test("a change is looked up once for each length of prefix that is still watched", () => {
  const hub = new WatchHub();
  const { signal } = new AbortController();
  const lookups = () => {
    const slice = vi.spyOn(String.prototype, "slice");
    hub.publish([created("/pods/a")]);
    const { length } = slice.mock.calls;
    slice.mockRestore();
    return length;
  };
  const [first, second, other] = ["/pods/", "/pods/", "/jobs/"].map((prefix) => hub.open(prefix, [], signal));
  const long = hub.open("/a-prefix-beyond-the-key/", [], signal);
  const all = hub.open("", [], signal);
  expect(lookups()).toBe(2);
  for (const [watcher, left] of [
    [first, 2],
    [second, 2],
    [other, 1],
    [long, 1],
    [all, 0],
  ] as const) {
    watcher?.finish();
    expect(lookups()).toBe(left);
  }
});

test("a watch that ends leaves nothing with its signal", async () => {
  const hub = new WatchHub();
  const { signal } = new AbortController();
  const watchers = [1, 2].map(() => hub.open("a", [created("a")], signal));
  const listeners = () => getEventListeners(signal, "abort").length;
  expect(listeners()).toBe(2);
  watchers[0]?.finish();
  expect(listeners()).toBe(1);
  // A consumer that stops reading ends the watch, too.
  for await (const _ of watchers[1] ?? []) break;
  expect(listeners()).toBe(0);
});

test("a watch that waits for changes lets others run, and wakes up for the next one", async () => {
  const hub = new WatchHub();
  const batches = hub.open("a", [], new AbortController().signal)[Symbol.asyncIterator]();
  const next = batches.next();
  await new Promise<void>((resolve) => void setImmediate(resolve));
  const change = created("ab");
  hub.publish([change]);
  expect(await next).toEqual({ done: false, value: [change] });
});

test("a queue holds as many changes as it may beyond its history, and not one more", async () => {
  const hub = new WatchHub();
  const change = created("ab");
  const open = () => hub.open("a", [change, change], new AbortController().signal);
  const [kept, cut] = [open(), open()];
  const changes = Array.from({ length: maxPendingChanges }, () => change);
  hub.publish(changes);
  kept.finish();
  expect(await batchesOf(kept)).toEqual([[change, change, ...changes]]);
  hub.publish([change]);
  await expect(batchesOf(cut)).rejects.toThrow(SlowWatcherError);
});
