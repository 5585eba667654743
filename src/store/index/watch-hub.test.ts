import { expect, test } from "vitest";
import { toRevision } from "../revision.ts";
import type { Change } from "../store.ts";
import { WatchHub } from "./watch-hub.ts";
import type { Watcher } from "./watcher.ts";

const revision = toRevision(1);

function created(key: string): Change {
  return { type: "put", revision, entry: { key, value: new Uint8Array(), revision, created: revision } };
}

async function keysOf(watcher: Watcher): Promise<string[]> {
  watcher.finish();
  const keys: string[] = [];
  for await (const batch of watcher) {
    for (const change of batch) if (change.type === "put") keys.push(change.entry.key);
  }
  return keys;
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
