import { describe, expect, test } from "vitest";
import { events } from "../api/core/event/schema.ts";
import { failure } from "../meta/status.ts";
import type { Handler } from "../meta/exchange.ts";
import { sleep } from "../util/clock.ts";
import { silentLogger } from "../util/logger.ts";
import { seededRandom } from "../util/random.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { Client } from "./client.ts";
import { ConnectionError } from "./errors.ts";
import { EventCorrelator, type Sighting } from "./event-correlator.ts";
import { EventRecorder } from "./event-recorder.ts";
import { FakeApi } from "./fake-api.suite.ts";
import { InProcessTransport } from "./in-process.ts";

const sighting = (message: string, more: Partial<Sighting> = {}): Sighting => ({
  component: "kubelet",
  host: "node-1",
  involved: {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "x",
    name: "a",
    uid: "u",
    fieldPath: "",
    resourceVersion: "1",
  },
  type: "Normal",
  reason: "Pulled",
  message,
  ...more,
});

describe("an event correlator", () => {
  test("counts repeats", () => {
    const correlator = new EventCorrelator();
    const first = correlator.correlate(sighting("m"), 0);
    expect(first).toMatchObject({ name: undefined, count: 1, message: "m" });
    correlator.written(first!, "a.1");
    const second = correlator.correlate(sighting("m"), 5_000);
    expect(second).toMatchObject({
      name: "a.1",
      count: 2,
      firstTimestamp: "1970-01-01T00:00:00Z",
      lastTimestamp: "1970-01-01T00:00:05Z",
    });
  });

  test("combines the tenth of similar messages and all further ones into one", () => {
    const correlator = new EventCorrelator();
    const messages = Array.from({ length: 12 }, (_, i) => {
      const correlated = correlator.correlate(sighting(`m${i}`), i);
      if (correlated !== undefined) correlator.written(correlated, `name-${i}`);
      return `${correlated?.message} ${correlated?.count}`;
    });
    expect(messages.slice(8)).toEqual([
      "m8 1",
      "(combined from similar events): m9 1",
      "(combined from similar events): m10 2",
      "(combined from similar events): m11 3",
    ]);
    expect(correlator.correlate(sighting("m0"), 700_000)?.message).toBe("m0");
  });

  test("lets a source send 25 Events about an object, then one each five minutes", () => {
    const correlator = new EventCorrelator();
    const said = (now: number) => correlator.correlate(sighting("m"), now) !== undefined;
    expect(Array.from({ length: 26 }, () => said(0)).filter(Boolean).length).toBe(25);
    expect([said(299_999), said(300_000), said(300_001)]).toEqual([false, true, false]);
    expect(correlator.correlate(sighting("m", { host: "node-2" }), 0)).toBeDefined();
  });
});

function setUp() {
  const api = new FakeApi("events");
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const env = { clock, random: seededRandom(1), log: silentLogger };
  const client = new Client(new InProcessTransport(api.handle, { name: "test", groups: [] }));
  const recorder = new EventRecorder(client, env, { component: "replicaset-controller" });
  const stop = new AbortController();
  const run = recorder.run(stop.signal);
  return { api, clock, client, env, recorder, stop: () => (stop.abort(), run) };
}

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "x", uid: "u", resourceVersion: "1" },
};

describe("an event recorder", () => {
  test("writes its Event beside another recorder's about the same object at the same time", async () => {
    const { clock, client, env, recorder, stop } = setUp();
    const other = new EventRecorder(client, env, { component: "other-controller" });
    const ended = new AbortController();
    const run = other.run(ended.signal);
    recorder.event(pod, "Normal", "Created", "made it");
    other.event(pod, "Normal", "Seen", "saw it");
    await clock.settle();
    const { items } = await client.of(events, "x").list();
    expect(new Set(items.map(({ reason }) => reason))).toEqual(new Set(["Created", "Seen"]));
    ended.abort();
    await Promise.all([run, stop()]);
  });

  test("writes an Event, and counts it up when it repeats", async () => {
    const { clock, client, recorder, stop } = setUp();
    recorder.event(pod, "Normal", "Created", "made it");
    await clock.advance(2_000);
    recorder.event(pod, "Normal", "Created", "made it");
    await clock.settle();
    const { items } = await client.of(events, "x").list();
    expect(items).toMatchObject([
      {
        metadata: { name: expect.stringMatching(/^a\.18867251e[de][0-9a-f]{6}$/), namespace: "x" },
        involvedObject: {
          apiVersion: "v1",
          kind: "Pod",
          namespace: "x",
          name: "a",
          uid: "u",
          resourceVersion: "1",
        },
        reason: "Created",
        message: "made it",
        type: "Normal",
        count: 2,
        source: { component: "replicaset-controller" },
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:02Z",
        reportingComponent: "replicaset-controller",
      },
    ]);
    await stop();
  });

  test("creates an expired Event anew, and puts Events of cluster-scoped objects into default", async () => {
    const { api, clock, client, recorder, stop } = setUp();
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
    recorder.event(node, "Warning", "Down", "gone");
    await clock.settle();
    const [first] = (await client.of(events).list()).items;
    expect(first?.metadata.namespace).toBe("default");
    api.remove("events", "default", first?.metadata.name ?? "");
    recorder.event(node, "Warning", "Down", "gone");
    await clock.settle();
    expect((await client.of(events).list()).items).toMatchObject([{ count: 2 }]);
    await stop();
  });

  test("drops an Event that the server refuses, and retries one that did not reach the server", async () => {
    const { api, clock, recorder, stop } = setUp();
    api.failures.push(failure(403, "Forbidden", "no"));
    recorder.event(pod, "Normal", "First", "m");
    await clock.advance(60_000);
    expect(api.objects("events")).toEqual([]);
    const handle = api.handle;
    let away = 3;
    const flaky = new Client(
      new InProcessTransport(
        (request) => (away-- > 0 ? Promise.reject(new ConnectionError("connect", "away")) : handle(request)),
        { name: "test", groups: [] },
      ),
    );
    const other = new EventRecorder(
      flaky,
      { clock, random: seededRandom(1), log: silentLogger },
      { component: "c" },
    );
    const done = new AbortController();
    const run = other.run(done.signal);
    other.event(pod, "Normal", "Second", "m");
    await clock.advance(31_000);
    expect(api.objects("events")).toMatchObject([{ reason: "Second" }]);
    done.abort();
    await Promise.all([run, stop()]);
  });

  test("writes Events of many objects at the same time, and those of one object one after the other", async () => {
    const api = new FakeApi("events");
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const env = { clock, random: seededRandom(1), log: silentLogger };
    let most = 0;
    let busy = 0;
    const slow: Handler = async (request) => {
      if (request.method === "GET") return api.handle(request);
      most = Math.max(most, ++busy);
      await sleep(clock, 1000);
      busy--;
      return api.handle(request);
    };
    const client = new Client(new InProcessTransport(slow, { name: "test", groups: [] }));
    const recorder = new EventRecorder(client, env, { component: "c" });
    const stop = new AbortController();
    const run = recorder.run(stop.signal);
    const about = (name: string) => ({ ...pod, metadata: { ...pod.metadata, name, uid: name } });
    for (let i = 0; i < 250; i++) recorder.event(about(`p${i}`), "Normal", "Created", "m");
    for (let i = 0; i < 3; i++) recorder.event(about("p0"), "Normal", "Started", "m");
    await clock.advance(3_500);
    expect(api.objects("events")).toHaveLength(251);
    expect(most).toBe(100);
    await clock.advance(2_000);
    const { items } = await client.of(events, "x").list();
    expect(items.filter(({ reason }) => reason === "Started")).toMatchObject([{ count: 3 }]);
    stop.abort();
    await run;
  });
});
