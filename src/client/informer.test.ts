import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configMaps } from "../api/core/config-map/schema.ts";
import { errors, failure } from "../meta/status.ts";
import { silentLogger } from "../util/logger.ts";
import { seededRandom } from "../util/random.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { Client } from "./client.ts";
import { FakeApi } from "./fake-api.suite.ts";
import { InProcessTransport } from "./in-process.ts";
import { keyOf } from "./indexer.ts";
import { Informer } from "./informer.ts";

const user = { name: "test", groups: [] };
const map = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});

function setUp(api = new FakeApi("configmaps"), resyncMs?: number) {
  const clock = new VirtualClock();
  const env = { clock, random: seededRandom(1), log: silentLogger };
  const client = new Client(new InProcessTransport(api.handle, user));
  const informer = new Informer(client.of(configMaps), env, { name: "configmaps", resyncMs });
  const seen: string[] = [];
  informer.addHandler((delta) => {
    const initial = delta.type === "added" && delta.initial ? " initial" : "";
    seen.push(`${delta.type} ${delta.object.metadata.name}${initial}`);
  });
  const stop = new AbortController();
  const run = informer.run(stop.signal);
  return { api, clock, client, informer, seen, stop: () => (stop.abort(), run) };
}

describe("an informer", () => {
  test("hands out the initial state, then is synced, then follows changes", async () => {
    const api = new FakeApi("configmaps");
    api.put("configmaps", map("a"));
    const { clock, client, informer, seen, stop } = setUp(api);
    expect(informer.hasSynced).toBe(false);
    await clock.settle();
    expect(informer.hasSynced).toBe(true);
    const b = await client.of(configMaps).create({ metadata: { name: "b", namespace: "default" } });
    await client.of(configMaps).update({ ...b, data: { x: "1" } });
    await client.of(configMaps, "default").delete("a");
    await clock.settle();
    expect(seen).toEqual(["added a initial", "added b", "updated b", "deleted a"]);
    expect(informer.cache.list().map(keyOf)).toEqual(["default/b"]);
    expect(informer.cache.get("default/b")).toBe(api.objects("configmaps")[0]);
    await stop();
    expect(api.openWatches).toBe(0);
  });

  test("lists when the server does not stream", async () => {
    const { api, clock, informer, stop } = setUp(
      Object.assign(new FakeApi("configmaps"), { streams: false }),
    );
    api.put("configmaps", map("a"));
    await clock.settle();
    expect(informer.cache.size).toBe(1);
    expect(api.requests.map((request) => request.split("?")[0])).toEqual(
      Array(3).fill("GET /api/v1/configmaps"),
    );
    expect(api.requests[1]).toBe("GET /api/v1/configmaps");
    await stop();
  });

  test("resumes an ended watch without seeing a change twice", async () => {
    const { api, clock, seen, stop } = setUp();
    await clock.settle();
    await clock.advance(2_000);
    api.cutWatches();
    api.put("configmaps", map("a"));
    await clock.settle();
    api.cutWatches();
    await clock.settle();
    expect(seen).toEqual(["added a"]);
    expect(api.requests.at(-1)).toContain(`resourceVersion=${api.revision}`);
    await stop();
  });

  test("reports additions, changes and deletions after missed history", async () => {
    const api = new FakeApi("configmaps");
    for (const name of ["gone", "changed", "same", "replaced"]) api.put("configmaps", map(name));
    const { clock, seen, stop } = setUp(api);
    await clock.advance(2_000);
    seen.length = 0;
    api.remove("configmaps", "default", "gone", true);
    api.remove("configmaps", "default", "replaced", true);
    api.put("configmaps", map("replaced"), true);
    api.put("configmaps", map("changed", { x: "1" }), true);
    api.put("configmaps", map("new"), true);
    api.compact();
    api.cutWatches();
    await clock.advance(5_000);
    expect(seen.toSorted()).toEqual([
      "added new",
      "added replaced",
      "deleted gone",
      "deleted replaced",
      "updated changed",
    ]);
    await stop();
  });

  test("retries after refusals, and waits for a resource that is not served yet", async () => {
    const api = new FakeApi();
    api.failures.push(
      errors.forbidden({ group: "", resource: "configmaps" }, "", "not yet"),
      failure(500, "InternalError", "oops"),
    );
    const { clock, informer, stop } = setUp(api);
    await clock.advance(600_000);
    expect(informer.hasSynced).toBe(false);
    expect(api.requests.length).toBeGreaterThan(10);
    expect(api.requests.length).toBeLessThan(40);
    api.served.add("configmaps");
    await clock.runUntil(() => informer.hasSynced);
    await stop();
  });

  test("hands every existing object to a late handler", async () => {
    const api = new FakeApi("configmaps");
    api.put("configmaps", map("a"));
    const { clock, informer, stop } = setUp(api);
    await clock.settle();
    const late: string[] = [];
    const leave = informer.addHandler(({ type, object }) => late.push(`${type} ${object.metadata.name}`));
    leave();
    api.put("configmaps", map("b"));
    await clock.settle();
    expect(late).toEqual(["added a"]);
    await stop();
  });

  test("hands every object out again at each resync", async () => {
    const api = new FakeApi("configmaps");
    api.put("configmaps", map("a"));
    const { clock, seen, stop } = setUp(api, 60_000);
    await clock.advance(125_000);
    expect(seen).toEqual(["added a initial", "updated a", "updated a"]);
    await stop();
  });

  test("isolates the error of a handler from the informer and other handlers", async () => {
    const { api, clock, informer, stop } = setUp();
    const late: string[] = [];
    informer.addHandler(() => {
      throw new Error("broken");
    });
    informer.addHandler(({ object }) => late.push(object.metadata.name ?? ""));
    await clock.settle();
    api.put("configmaps", map("a"));
    await clock.settle();
    expect(late).toEqual(["a"]);
    await stop();
  });

  test("is equal to the server at the end of any history with cuts, losses and failures", async () => {
    const name = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(
      fc.record({ do: fc.constant("put" as const), name, silent: fc.boolean() }),
      fc.record({ do: fc.constant("remove" as const), name, silent: fc.boolean() }),
      fc.record({ do: fc.constantFrom("cut" as const, "fail" as const, "settle" as const, "wait" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, streams) => {
        const { api, clock, informer, stop } = setUp(Object.assign(new FakeApi("configmaps"), { streams }));
        const alive = new Set<string>();
        informer.addHandler(({ type, object }) => {
          const key = keyOf(object);
          if (type === "added") expect(alive.has(key)).toBe(false);
          else expect(alive.has(key)).toBe(true);
          if (type === "deleted") alive.delete(key);
          else alive.add(key);
        });
        for (const one of steps) {
          if (one.do === "put") api.put("configmaps", map(one.name), one.silent);
          else if (one.do === "remove") api.remove("configmaps", "default", one.name, one.silent);
          else if (one.do === "cut") api.cutWatches();
          else if (one.do === "fail") api.failures.push(failure(503, "ServiceUnavailable", "away"));
          else if (one.do === "settle") await clock.settle();
          else await clock.advance(700);
        }
        api.failures.length = 0;
        api.compact();
        api.cutWatches();
        await clock.advance(120_000);
        expect(informer.cache.list().toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))).toEqual(
          api.objects("configmaps").toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
        );
        expect([...alive].toSorted()).toEqual(informer.cache.keys().toSorted());
        await stop();
      }),
      { numRuns: 80 },
    );
  });
});
