import { describe, expect, test } from "vitest";
import { deployments } from "../api/apps/deployment/schema.ts";
import { replicaSets } from "../api/apps/replica-set/schema.ts";
import { configMaps } from "../api/core/config-map/schema.ts";
import { pods } from "../api/core/pod/schema.ts";
import { secrets } from "../api/core/secret/schema.ts";
import { FakeApi } from "../client/fake-api.suite.ts";
import { InProcessTransport } from "../client/in-process.ts";
import type { KubeObject } from "../meta/kind.ts";
import { parseSelector } from "../meta/label-parser.ts";
import { failure } from "../meta/status.ts";
import { type Logger, silentLogger } from "../util/logger.ts";
import { seededRandom } from "../util/random.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { type Controller, controller } from "./controller.ts";
import { TerminalError } from "./errors.ts";
import { Manager, type ManagerOptions } from "./manager.ts";

function setUp(controllers: readonly Controller[], more: Partial<ManagerOptions> = {}) {
  const api = new FakeApi("configmaps", "deployments", "replicasets", "pods", "events", "leases");
  const clock = new VirtualClock();
  const failures: string[] = [];
  const note = (message: string) => void (message.startsWith("Cannot reconcile") && failures.push(message));
  const log: Logger = { ...silentLogger, warn: note, error: note, with: () => log };
  const manager = new Manager({
    transport: new InProcessTransport(api.handle, { name: "manager", groups: [] }),
    env: { clock, random: seededRandom(1), log },
    ...more,
  });
  for (const one of controllers) manager.add(one);
  const stop = new AbortController();
  const run = manager.run(stop.signal);
  return { api, clock, failures, manager, stop: () => (stop.abort(), run) };
}

function object(kind: string, name: string, more: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name, namespace: "x", ...more } };
}

const ownedBy = (kind: string, name: string, apiVersion = "apps/v1") => ({
  ownerReferences: [{ apiVersion, kind, name, uid: `uid of ${name}`, controller: true }],
});

describe("a manager", () => {
  test("queues an object's own key, its managing owner's, and the keys that a watch maps to", async () => {
    const keys: string[] = [];
    const { api, clock, stop } = setUp([
      controller({
        name: "test",
        for: deployments,
        owns: [replicaSets],
        watches: [{ kind: pods, map: (pod) => [`${pod.metadata.namespace}/from-${pod.spec.nodeName}`] }],
        reconcile: ({ key }) => (keys.push(key), Promise.resolve()),
      }),
    ]);
    await clock.settle();
    const changes: readonly (readonly [string, KubeObject])[] = [
      ["deployments", object("Deployment", "web")],
      ["replicasets", object("ReplicaSet", "web-1", ownedBy("Deployment", "owner", "apps/v1beta2"))],
      ["replicasets", object("ReplicaSet", "other", ownedBy("Deployment", "not-ours", "example.com/v1"))],
      ["pods", { ...object("Pod", "p"), spec: { nodeName: "n1" } } as KubeObject],
    ];
    for (const [resource, one] of changes) {
      api.put(resource, one);
      await clock.settle();
    }
    expect(keys).toEqual(["x/web", "x/owner", "x/from-n1"]);
    api.put("pods", { ...object("Pod", "p"), spec: { nodeName: "n2" } } as KubeObject);
    await clock.settle();
    expect(keys.slice(3)).toEqual(["x/from-n1", "x/from-n2"]);
    await stop();
  });

  test("queues only the changes that pass the filter, which may read the cache", async () => {
    const keys: string[] = [];
    const chosen = ({ metadata }: KubeObject) => metadata.labels?.["chosen"];
    const { api, clock, stop } = setUp([
      controller({
        name: "test",
        for: deployments,
        filter: ({ object }, cache) => cache.get(configMaps, "x", chosen(object) ?? "") !== undefined,
        reads: [configMaps],
        reconcile: ({ key }) => (keys.push(key), Promise.resolve()),
      }),
    ]);
    api.put("configmaps", object("ConfigMap", "present"));
    await clock.settle();
    api.put("deployments", object("Deployment", "a", { labels: { chosen: "absent" } }));
    api.put("deployments", object("Deployment", "b", { labels: { chosen: "present" } }));
    await clock.settle();
    expect(keys).toEqual(["x/b"]);
    await stop();
  });

  test("starts a controller when all kinds it reads are in the cache, and shares informers between controllers", async () => {
    const seen: string[] = [];
    const define = (name: string) =>
      controller({
        name,
        for: deployments,
        reads: [configMaps],
        reconcile: ({ namespace, name: object, cache }) => {
          const maps = cache.list(configMaps, { namespace, selector: parseSelector("!off") });
          seen.push(`${name} ${object} ${maps.map(({ metadata }) => metadata.name).join()}`);
          expect(cache.get(deployments, namespace, object)?.metadata.name).toBe(object);
          expect(() => cache.list(secrets)).toThrow("must declare it");
          return Promise.resolve();
        },
      });
    const api = new FakeApi("deployments");
    api.put("deployments", object("Deployment", "web"));
    api.put("configmaps", object("ConfigMap", "settings"));
    api.put("configmaps", object("ConfigMap", "ignored", { labels: { off: "" } }));
    const transport = new InProcessTransport(api.handle, { name: "manager", groups: [] });
    const { clock, stop } = setUp([define("one"), define("two")], { transport });
    await clock.advance(10_000);
    expect(seen).toEqual([]);
    api.served.add("configmaps");
    await clock.advance(60_000);
    expect(seen).toEqual(["one web settings", "two web settings"]);
    const opened = api.requests.filter((request) => request.includes("/deployments?"));
    expect(opened.length).toBe(1);
    await stop();
  });

  test("holds up only the controller of a kind that is not served", async () => {
    const seen: string[] = [];
    const reconcile: Controller["reconcile"] = ({ key }) => (seen.push(key), Promise.resolve());
    const { api, clock, stop } = setUp([
      controller({ name: "stuck", for: secrets, reconcile }),
      controller({ name: "fine", for: configMaps, reconcile }),
    ]);
    api.put("configmaps", object("ConfigMap", "a"));
    await clock.advance(300_000);
    expect(seen).toEqual(["x/a"]);
    await stop();
  });

  test("retries errors with growing delays, but not terminal ones", async () => {
    const at: number[] = [];
    let error: Error | undefined = new Error("broken");
    const { api, clock, failures, stop } = setUp([
      controller({
        name: "test",
        for: configMaps,
        reconcile: () => {
          at.push(clock.monotonic());
          return error === undefined ? Promise.resolve() : Promise.reject(error);
        },
      }),
    ]);
    await clock.settle();
    api.put("configmaps", object("ConfigMap", "a"));
    await clock.advance(40);
    expect(at).toEqual([0, 5, 15, 35]);
    error = new TerminalError("hopeless");
    await clock.advance(1_000_000);
    expect(at.length).toBe(5);
    error = undefined;
    api.put("configmaps", object("ConfigMap", "a"));
    await clock.settle();
    expect(at.length).toBe(6);
    expect(failures).toEqual([
      ...Array(4).fill("Cannot reconcile: will try again"),
      "Cannot reconcile: will not try again until the object changes",
    ]);
    await stop();
  });

  test("waits as long as an overloaded server asks", async () => {
    let tries = 0;
    const { api, clock, stop } = setUp([
      controller({
        name: "test",
        for: configMaps,
        reconcile: async ({ client }) => {
          tries += 1;
          if (tries === 1)
            api.failures.push(failure(429, "TooManyRequests", "slow", { retryAfterSeconds: 7 }));
          await client.of(configMaps, "x").get("a");
        },
      }),
    ]);
    await clock.settle();
    api.put("configmaps", object("ConfigMap", "a"));
    await clock.advance(6_999);
    expect(tries).toBe(1);
    await clock.advance(1);
    expect(tries).toBe(2);
    await stop();
  });

  test("survives every error of a controller, also a synchronous one", async () => {
    const { api, clock, failures, stop } = setUp([
      controller({
        name: "test",
        for: configMaps,
        watches: [
          {
            kind: pods,
            map: () => {
              throw new Error("map");
            },
          },
        ],
        run: () => Promise.reject(new Error("run")),
        reconcile: () => {
          throw new Error("synchronous");
        },
      }),
    ]);
    await clock.settle();
    api.put("pods", object("Pod", "a"));
    api.put("configmaps", object("ConfigMap", "a"));
    await clock.advance(20);
    expect(failures).toEqual(Array(3).fill("Cannot reconcile: will try again"));
    await stop();
  });

  test("reconciles again after the time that a reconciler returns", async () => {
    const at: number[] = [];
    const { api, clock, stop } = setUp([
      controller({
        name: "test",
        for: configMaps,
        reconcile: () => (at.push(clock.monotonic()), Promise.resolve({ requeueAfterMs: 60_000 })),
      }),
    ]);
    await clock.settle();
    api.put("configmaps", object("ConfigMap", "a"));
    await clock.advance(125_000);
    expect(at).toEqual([0, 60_000, 120_000]);
    await stop();
  });

  test("reconciles several keys at a time, never one twice", async () => {
    const active = new Set<string>();
    let most = 0;
    const { api, clock, failures, stop } = setUp([
      controller({
        name: "test",
        for: configMaps,
        workers: 3,
        reconcile: async ({ key, client }) => {
          expect(active.has(key)).toBe(false);
          active.add(key);
          most = Math.max(most, active.size);
          await client.of(configMaps, "x").get("a");
          active.delete(key);
        },
      }),
    ]);
    await clock.settle();
    for (let i = 0; i < 5; i++)
      for (const name of ["a", "b", "c", "d"]) api.put("configmaps", object("ConfigMap", name));
    await clock.settle();
    expect(most).toBe(3);
    expect(failures).toEqual([]);
    await stop();
  });

  test("gives each controller the identity that was chosen for it", async () => {
    const users: string[] = [];
    const api = new FakeApi("configmaps", "events");
    const as = (name: string) =>
      new InProcessTransport(
        (request) => {
          if (request.caller.type === "component")
            users.push(`${request.method} ${request.caller.user.name}`);
          return api.handle(request);
        },
        { name, groups: [] },
      );
    const { clock, stop } = setUp(
      [
        controller({
          name: "test",
          for: configMaps,
          reconcile: async ({ client, events, cache, key }) => {
            const found = cache.get(configMaps, "x", "a");
            if (found !== undefined) events.event(found, "Normal", "Seen", key);
            await client.of(configMaps, "x").get("a");
          },
        }),
      ],
      { transport: as("manager"), transportFor: as },
    );
    api.put("configmaps", object("ConfigMap", "a"));
    await clock.settle();
    expect(users).toEqual(["GET manager", "GET test", "POST test"]);
    expect(api.objects("events")).toMatchObject([{ source: { component: "test" }, reason: "Seen" }]);
    await stop();
  });

  test("lets sockets have their turn while a queue is never empty", async () => {
    let runs = 0;
    let turns = 0;
    const { api, clock, stop } = setUp([
      controller({
        name: "test",
        for: configMaps,
        reconcile: () => {
          runs += 1;
          if (runs < 500) api.put("configmaps", object("ConfigMap", `a${runs}`));
          return Promise.resolve();
        },
      }),
    ]);
    await clock.settle();
    const tick = () => {
      turns += 1;
      if (runs < 500) setImmediate(tick);
    };
    api.put("configmaps", object("ConfigMap", "a"));
    setImmediate(tick);
    await clock.settle();
    expect(runs).toBe(500);
    expect(turns).toBeGreaterThan(20);
    await stop();
  });

  test("runs its controllers only while it leads", async () => {
    const seen: string[] = [];
    const define = (name: string) =>
      controller({
        name,
        for: configMaps,
        reconcile: ({ key }) => (seen.push(`${name} ${key}`), Promise.resolve()),
      });
    const api = new FakeApi("configmaps", "leases");
    const transport = new InProcessTransport(api.handle, { name: "manager", groups: [] });
    const clock = new VirtualClock();
    const start = (identity: string) => {
      const env = { clock, random: seededRandom(1), log: silentLogger };
      const leaderElection = { namespace: "kube-system", name: "managers", identity };
      const stop = new AbortController();
      const run = new Manager({ transport, env, leaderElection }).add(define(identity)).run(stop.signal);
      return () => (stop.abort(), run);
    };
    api.put("configmaps", object("ConfigMap", "a"));
    const stopOne = start("one");
    await clock.settle();
    const stopTwo = start("two");
    await clock.advance(30_000);
    expect(seen).toEqual(["one x/a"]);
    await stopOne();
    await clock.advance(10_000);
    expect(seen).toEqual(["one x/a", "two x/a"]);
    await stopTwo();
  });

  test("stops when its signal fires, and closes every watch", async () => {
    const { api, clock, stop } = setUp([
      controller({ name: "test", for: configMaps, owns: [pods], reconcile: () => Promise.resolve() }),
      controller({ name: "waiting", for: secrets, reconcile: () => Promise.resolve() }),
    ]);
    await clock.settle();
    expect(api.openWatches).toBe(2);
    await stop();
    expect(api.openWatches).toBe(0);
    expect(clock.untilNext()).toBeUndefined();
  });
});
