import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { type Bed, inDefault, type Json, podBody, startBed, type Watching } from "../server.suite.ts";

const configMaps = inDefault("configmaps");
const story = ({ lines }: Watching): string[] =>
  lines.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason ?? ""}`.trim());

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const make = (name: string, labels: object = {}) => bed.make(configMaps, { metadata: { name, labels } });
const label = (name: string, value: string | null) =>
  bed.patch(`${configMaps}/${name}`, { metadata: { labels: { tier: value } } });
const watch = (query: string, headers = {}) => bed.watch(`${configMaps}?watch=1&${query}`, { headers });

describe("a watch starts", () => {
  test("without a revision, or at 0: with the present state", async () => {
    await make("a");
    for (const query of ["", "resourceVersion=0"]) {
      const watching = await watch(query);
      await make(`b${query.length}`);
      await bed.clock.settle();
      expect(story(watching).at(0)).toBe("ADDED a");
      expect(story(watching).at(-1)).toBe(`ADDED b${query.length}`);
      watching.stop();
    }
  });

  test("at a revision: with the first change after it", async () => {
    await make("a");
    const from = bed.revision;
    await make("b");
    await bed.delete(`${configMaps}/a`);
    const watching = await watch(`resourceVersion=${from}`);
    await label("b", "x");
    await bed.clock.settle();
    expect(story(watching)).toEqual(["ADDED b", "DELETED a", "MODIFIED b"]);
    const revisions = watching.lines.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(revisions).toEqual([from + 1, from + 2, from + 3]);
    for (const { object } of watching.lines)
      expect(object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
    expect(watching.lines).toEqual(watching.events);
  });

  test("with initial events requested: with a bookmark that ends them, even when there are none", async () => {
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const empty = await watch(query);
    expect(empty.lines).toEqual([
      {
        type: "BOOKMARK",
        object: {
          kind: "ConfigMap",
          apiVersion: "v1",
          metadata: {
            resourceVersion: String(bed.revision),
            annotations: { "k8s.io/initial-events-end": "true" },
          },
        },
      },
    ]);
    await make("a");
    const watching = await watch(query);
    await make("b");
    await bed.clock.settle();
    expect(story(watching)).toEqual(["ADDED a", "BOOKMARK", "ADDED b"]);
  });

  test("with initial events disabled: with the next change", async () => {
    await make("a");
    const watching = await watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
    await make("b");
    await bed.clock.settle();
    expect(story(watching)).toEqual(["ADDED b"]);
  });

  test.each([
    ["sendInitialEvents=true", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"],
    [
      "resourceVersionMatch=NotOlderThan",
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    ],
    ["sendInitialEvents=true&resourceVersionMatch=Exact", 'supported values: "NotOlderThan"'],
  ])("?%s is refused", async (query, message) => {
    const { status, body } = await bed.get(`${configMaps}?watch=1&${query}`);
    expect(status).toBe(422);
    expect(body.message).toContain(message);
  });

  test("ahead of the server: not yet", async () => {
    expect(await bed.get(`${configMaps}?watch=1&resourceVersion=99999`)).toMatchObject({ status: 504 });
  });
});

describe("a watch that cannot be resumed", () => {
  test("ends with 410 as an event", async () => {
    const from = bed.revision;
    await make("x");
    // More changes than can be replayed: none may be dropped silently.
    const value = Buffer.from(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"","name":"y"}}',
    );
    for (let i = 0; i < 16_400; i++)
      await bed.store.commit([{ type: "put", key: "/registry/configmaps/default/y", value }]);
    await bed.clock.settle();
    const watching = await watch(`resourceVersion=${from}`);
    expect(watching.ended).toBe(true);
    expect(watching.lines).toMatchObject([
      { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } },
    ]);
    expect(watching.lines[0].object.message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
    expect(story(await watch(`resourceVersion=${bed.revision}`))).toEqual([]);
  });
});

describe("selectors of a watch", () => {
  test("turn a new match into ADDED and a lost match into DELETED", async () => {
    const watching = await watch("labelSelector=tier%3Dweb");
    await make("a");
    await label("a", "web");
    await bed.patch(`${configMaps}/a`, { data: { k: "v" } });
    await label("a", "db");
    await label("a", "web");
    await bed.delete(`${configMaps}/a`);
    await make("b");
    await bed.clock.settle();
    expect(story(watching)).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "DELETED a"]);
    expect(watching.lines[2].object.metadata.labels).toEqual({ tier: "web" });
    expect(watching.lines[4].object.metadata.resourceVersion).toBe(String(bed.revision - 1));
  });

  test("on a Pod's node match after its binding", async () => {
    const pods = inDefault("pods");
    const watching = await bed.watch("/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn1");
    for (const name of ["a", "b"]) await bed.make(pods, podBody(name));
    for (const [name, node] of [
      ["a", "n1"],
      ["b", "n2"],
    ]) {
      await bed.post(`${pods}/${name}/binding`, { metadata: { name }, target: { kind: "Node", name: node } });
    }
    await bed.delete(`${pods}/a?gracePeriodSeconds=0`);
    await bed.clock.settle();
    expect(story(watching)).toEqual(["ADDED a", "DELETED a"]);
  });

  test("of one name, by path or by field, exclude the others", async () => {
    const byField = await watch("fieldSelector=metadata.name%3Da");
    const byPath = await bed.watch(`/api/v1/watch/namespaces/default/configmaps/a`);
    await make("a");
    await make("b");
    await bed.clock.settle();
    expect(story(byField)).toEqual(["ADDED a"]);
    expect(story(byPath)).toEqual(["ADDED a"]);
  });
});

describe("bookmarks", () => {
  test("come every minute, and two seconds before the end", async () => {
    const from = `resourceVersion=${bed.revision}`;
    const watching = await watch(`${from}&allowWatchBookmarks=true&timeoutSeconds=100`);
    await bed.make(inDefault("secrets"), { metadata: { name: "elsewhere" } });
    await bed.clock.advance(59_000);
    expect(watching.lines).toHaveLength(0);
    await bed.clock.advance(2_000);
    expect(watching.lines).toEqual([
      {
        type: "BOOKMARK",
        object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: String(bed.revision) } },
      },
    ]);
    await bed.clock.advance(36_500);
    expect(watching).toMatchObject({ ended: false, lines: [{}] });
    await bed.clock.advance(1_000);
    expect(watching.lines).toHaveLength(2);
    await bed.clock.advance(2_000);
    expect(watching.ended).toBe(true);
  });

  test("are sent only on request", async () => {
    const watching = await watch("timeoutSeconds=100");
    await bed.clock.advance(99_000);
    expect(watching).toMatchObject({ ended: false, lines: [] });
    await bed.clock.advance(2_000);
    expect(watching).toMatchObject({ ended: true, lines: [] });
  });

  test("are never ahead of an event", async () => {
    const watching = await watch("allowWatchBookmarks=true&timeoutSeconds=600");
    for (let i = 0; i < 8; i++) {
      await make(`m${i}`);
      await bed.clock.advance(60_000);
    }
    const revisions = watching.lines.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    expect(story(watching).filter((one) => one.startsWith("ADDED"))).toHaveLength(8);
  });
});

describe("the life of a watch", () => {
  test("ends when the client disconnects, and with the server", async () => {
    const { hub } = bed.server.services;
    const watching = await watch("");
    expect(hub.watchers.get("configmaps")).toBe(1);
    watching.stop();
    await bed.clock.settle();
    expect(watching.ended).toBe(true);
    expect(hub.watchers.get("configmaps")).toBe(0);
  });

  test("ends for a client that does not read, which may resume", async () => {
    const controller = new AbortController();
    const response = await bed.server.handle({
      method: "GET",
      path: configMaps,
      query: new URLSearchParams("watch=1&resourceVersion=0"),
      headers: {},
      body: { type: "none" },
      caller: { type: "component", user: { name: "admin", groups: ["system:masters"] } },
      signal: controller.signal,
    });
    if (response.body.type !== "events") throw new Error("no watch");
    const events = response.body.batches[Symbol.asyncIterator]();
    const first = events.next();
    await make("first");
    await first;
    const value = Buffer.from(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"","name":"y"}}',
    );
    for (let i = 0; i < 10_100; i++)
      await bed.store.commit([{ type: "put", key: "/registry/configmaps/default/y", value }]);
    await bed.clock.settle();
    expect(bed.server.services.hub.watchers.get("configmaps")).toBe(0);
    expect((await events.next()).done).toBe(true);
    const resumed = await watch(`resourceVersion=${bed.revision - 3}`);
    expect(resumed.lines).toHaveLength(3);
  });
});

describe("forms of a watch", () => {
  const accept = (as: string) => ({ accept: `application/json;as=${as};v=v1;g=meta.k8s.io` });

  test("as Tables: columns once, then rows", async () => {
    await make("a");
    const watching = await watch("allowWatchBookmarks=true&timeoutSeconds=90", accept("Table"));
    await make("b");
    await bed.clock.advance(61_000);
    const [first, end, second, bookmark] = watching.lines;
    expect(end.type).toBe("BOOKMARK");
    expect(first.object).toMatchObject({ kind: "Table", rows: [{ cells: ["a", 0, "0s"] }] });
    expect(first.object.columnDefinitions.map(({ name }: Json) => name)).toEqual(["Name", "Data", "Age"]);
    expect(second.object).toMatchObject({ columnDefinitions: null, rows: [{ cells: ["b", 0, "0s"] }] });
    expect(bookmark).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "Table", metadata: { resourceVersion: String(bed.revision) } },
    });
  });

  test("as metadata", async () => {
    const watching = await watch("", accept("PartialObjectMetadata"));
    await make("a");
    await bed.clock.settle();
    expect(watching.lines).toMatchObject([
      { type: "ADDED", object: { kind: "PartialObjectMetadata", metadata: { name: "a" } } },
    ]);
    expect(watching.lines[0].object).not.toHaveProperty("data");
  });
});

describe("list and watch agree", () => {
  const write = fc.record({
    name: fc.constantFrom("a", "b", "c", "d"),
    deed: fc.constantFrom("put", "put", "web", "db", "delete"),
    value: fc.integer({ min: 0, max: 3 }),
  });

  async function carryOut({
    name,
    deed,
    value,
  }: {
    name: string;
    deed: string;
    value: number;
  }): Promise<void> {
    const url = `${configMaps}/${name}`;
    if (deed === "delete") await bed.delete(url);
    else if (deed === "put") {
      const { status } = await bed.patch(url, { data: { value: String(value) } });
      if (status === 404) await make(name, value === 0 ? { tier: "web" } : {});
    } else await label(name, deed);
  }

  test("a list with the changes of a watch since equals a later list", async () => {
    const selectors = [
      "",
      "labelSelector=tier%3Dweb",
      "fieldSelector=metadata.name%3Da",
      "labelSelector=%21tier",
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { maxLength: 12 }),
        fc.array(write, { maxLength: 20 }),
        fc.constantFrom(...selectors),
        async (before, after, selector) => {
          bed = await startBed();
          for (const one of before) await carryOut(one);
          const list = async () => (await bed.get(`${configMaps}?${selector}`)).body;
          const start = await list();
          const seen = new Map<string, Json>(start.items.map((one: Json) => [one.metadata.name, one]));
          const half = Math.floor(after.length / 2);
          for (const one of after.slice(0, half)) await carryOut(one);
          // Some of the changes are history when the watch begins.
          const watching = await watch(`${selector}&resourceVersion=${start.metadata.resourceVersion}`);
          for (const one of after.slice(half)) await carryOut(one);
          await bed.clock.settle();
          for (const { type, object } of watching.lines) {
            const { name } = object.metadata;
            expect(seen.has(name)).toBe(type !== "ADDED");
            if (type === "DELETED") seen.delete(name);
            else seen.set(name, object);
          }
          const end = await list();
          const expected = [...seen.values()].toSorted((a, b) =>
            a.metadata.name < b.metadata.name ? -1 : 1,
          );
          expect(expected.map(({ apiVersion: _, kind: __, ...item }) => item)).toEqual(end.items);
          watching.stop();
        },
      ),
      { numRuns: 60 },
    );
  });
});
