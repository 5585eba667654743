import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { ExpectationError, StoreFailedError } from "../errors.ts";
import { put, remove, text } from "../suite/values.suite.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { WriterThread } from "./writer-thread.ts";

/** Tests the time between a commit and its durability, by holding the disk's answers back. */
let folder: string;
let store: SqliteStore;
let hold: PromiseWithResolvers<void>;
let asked: PromiseWithResolvers<void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "knarr-store-"));
  hold = Promise.withResolvers();
  asked = Promise.withResolvers();
  hold.resolve();
  const thread = new WriterThread();
  const call = thread.call.bind(thread);
  thread.call = async (name, argument, transfer) => {
    asked.resolve();
    if (name === "write" || name === "probe") await hold.promise;
    return call(name, argument, transfer);
  };
  store = await SqliteStore.open(join(folder, "store.db"), { clock: new VirtualClock() }, thread);
  await store.commit([put("old", "1")]);
  hold = Promise.withResolvers();
  asked = Promise.withResolvers();
});
afterEach(async () => {
  hold.resolve();
  await store.close();
  await rm(folder, { recursive: true });
});

test("no commit can be read or watched before it is durable", async () => {
  const stop = new AbortController();
  const watch = store.watch("", store.revision, stop.signal)[Symbol.asyncIterator]();
  const next = watch.next();
  const commit = store.commit([put("a", "1")]);
  await asked.promise;
  expect(store.revision).toBe(1);
  expect(store.read("a")).toBeUndefined();
  expect(store.list("").entries).toHaveLength(1);
  expect(await Promise.race([next, Promise.resolve("nothing")])).toBe("nothing");
  hold.resolve();
  expect(await commit).toBe(2);
  expect(text(store.read("a"))).toBe("1");
  expect((await next).value).toHaveLength(1);
  stop.abort();
});

test("expectations are checked against commits in progress", async () => {
  const commit = store.commit([put("a", "1"), remove("old")]);
  const loser = store.commit([put("a", "2")], [{ key: "a", revision: 0 }]);
  await expect(loser).rejects.toThrow("Cannot commit: a is at revision 2, expected absent");
  const late = store.commit([put("old", "2")], [{ key: "old", revision: store.revision }]);
  await expect(late).rejects.toThrow(ExpectationError);
  hold.resolve();
  await commit;
});

test("a commit that changes nothing is acknowledged after the commits that it depends on", async () => {
  const order: string[] = [];
  const first = store.commit([remove("old")]).then(() => order.push("delete"));
  const second = store.commit([remove("old")]).then(() => order.push("nothing to delete"));
  await asked.promise;
  expect(order).toEqual([]);
  hold.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(["delete", "nothing to delete"]);
});

test("a refused write leaves no trace, and the store continues", async () => {
  const first = expect(store.commit([put("a", "1"), remove("old")])).rejects.toThrow(StoreFailedError);
  await asked.promise;
  const second = expect(store.commit([put("a", "2")])).rejects.toThrow("Cannot write: no space");
  hold.reject(new Error("no space"));
  await Promise.all([first, second]);
  expect([store.revision, store.list("").entries.map(({ key }) => key)]).toEqual([1, ["old"]]);

  hold = Promise.withResolvers();
  hold.resolve();
  const revision = await store.commit([put("a", "3")], [{ key: "a", revision: 0 }]);
  expect(store.read("a")).toMatchObject({ revision, created: revision });
  expect(revision).toBeGreaterThan(1);
});

test("a probe fails after a refused write, and resolves once a write succeeds again", async () => {
  await store.probe();
  const refused = expect(store.commit([put("a", "1")])).rejects.toThrow(StoreFailedError);
  await asked.promise;
  hold.reject(new Error("no space"));
  await refused;
  await expect(store.probe()).rejects.toThrow(new StoreFailedError(new Error("no space")));
  hold = Promise.withResolvers();
  const probes = [store.probe(), store.probe()];
  hold.resolve();
  await Promise.all(probes);
  hold = Promise.withResolvers();
  await store.probe();
});
