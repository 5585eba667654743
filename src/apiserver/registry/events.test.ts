import { describe, expect, test } from "vitest";
import { inDefault, type Json, startBed } from "../server.suite.ts";

const core = inDefault("events");
const series = inDefault("events", "events.k8s.io/v1");

const coreEvent = (name: string): Json => ({
  metadata: { name, namespace: "default" },
  involvedObject: { kind: "Pod", namespace: "default", name: "web" },
  reason: "Started",
  message: "It runs.",
  source: { component: "agent" },
  type: "Normal",
});
const seriesEvent = (name: string): Json => ({
  metadata: { name, namespace: "default" },
  regarding: { kind: "Pod", namespace: "default", name: "web" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  reason: "Started",
  action: "Starting",
  note: "It runs.",
  reportingController: "example.com/agent",
  reportingInstance: "agent-0",
  type: "Normal",
});

describe("events of both groups", () => {
  test("are the same objects under different names", async () => {
    const bed = await startBed();
    await bed.make(core, coreEvent("old"));
    await bed.make(series, seriesEvent("new"));
    const inCore = (await bed.get(core)).body;
    expect(inCore).toMatchObject({ kind: "EventList", apiVersion: "v1" });
    expect(inCore.items).toMatchObject([
      { metadata: { name: "new" }, message: "It runs.", involvedObject: { name: "web" } },
      { metadata: { name: "old" }, message: "It runs." },
    ]);
    const inSeries = (await bed.get(series)).body;
    expect(inSeries).toMatchObject({ kind: "EventList", apiVersion: "events.k8s.io/v1" });
    expect(inSeries.items).toMatchObject([
      { metadata: { name: "new" }, note: "It runs.", action: "Starting" },
      { metadata: { name: "old" }, note: "It runs." },
    ]);
    expect((await bed.get(`${series}/old`)).body).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding: { name: "web" },
      deprecatedSource: { component: "agent" },
      metadata: { resourceVersion: inCore.items[1].metadata.resourceVersion },
    });
    expect(inSeries.items[1]).not.toHaveProperty("involvedObject");
  });

  test("a name is unique across both groups", async () => {
    const bed = await startBed();
    await bed.make(core, coreEvent("one"));
    const { status, body } = await bed.post(series, seriesEvent("one"));
    expect(status).toBe(409);
    expect(body.message).toBe('events.events.k8s.io "one" already exists');
  });

  test("are selected and watched by the names of their group", async () => {
    const bed = await startBed();
    const watching = await bed.watch(
      `${series}?watch=1&fieldSelector=regarding.name%3Dweb&resourceVersion=0`,
    );
    await bed.make(core, coreEvent("a"));
    await bed.make(core, { ...coreEvent("b"), involvedObject: { namespace: "default", name: "other" } });
    await bed.patch(`${core}/a`, { count: 2 });
    await bed.delete(`${series}/a`);
    await bed.clock.settle();
    expect(watching.lines.map(({ type, object }) => [type, object.apiVersion, object.metadata.name])).toEqual(
      [
        ["ADDED", "events.k8s.io/v1", "a"],
        ["MODIFIED", "events.k8s.io/v1", "a"],
        ["DELETED", "events.k8s.io/v1", "a"],
      ],
    );
    expect(watching.lines[1].object).toMatchObject({ regarding: { name: "web" }, deprecatedCount: 2 });
    expect(watching.events.map(({ object }) => object)).toEqual(watching.lines.map(({ object }) => object));
    expect((await bed.get(`${series}?fieldSelector=regarding.name%3Dother`)).body.items).toHaveLength(1);
  });

  test("a series continues through either group", async () => {
    const bed = await startBed();
    await bed.make(series, seriesEvent("one"));
    const patched = await bed.patch(`${series}/one`, {
      series: { count: 3, lastObservedTime: "2026-01-01T00:01:00.000000Z" },
    });
    expect(patched).toMatchObject({
      status: 200,
      body: { apiVersion: "events.k8s.io/v1", series: { count: 3 } },
    });
    expect((await bed.get(`${core}/one`)).body.series.count).toBe(3);
    const before = bed.revision;
    await bed.put(`${series}/one`, patched.body);
    expect(bed.revision).toBe(before);
  });
});

describe("an Event", () => {
  test("is deleted an hour after its last write", async () => {
    const bed = await startBed();
    await bed.make(core, coreEvent("kept"));
    await bed.make(core, coreEvent("left"));
    await bed.clock.advance(40 * 60_000);
    await bed.patch(`${core}/kept`, { count: 2 });
    await bed.clock.advance(25 * 60_000);
    const names = async () => (await bed.get(core)).body.items.map(({ metadata }: Json) => metadata.name);
    expect(await names()).toEqual(["kept"]);
    await bed.clock.advance(40 * 60_000);
    expect(await names()).toEqual([]);
    expect((await bed.get("/api/v1/namespaces/default")).status).toBe(200);
  });
});
