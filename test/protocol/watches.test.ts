import { once } from "node:events";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { configMaps as configMapKind } from "../../src/api/core/config-map/schema.ts";
import { type Json } from "../../src/apiserver/server.suite.ts";
import { decodeEnvelope } from "../../src/meta/protobuf/envelope.ts";
import { useHttpsServer } from "../apiserver/https-server.suite.ts";
import { configMaps, type Exchange, lines, openStream, protobuf, testExchanges } from "./wire.suite.ts";

const server = useHttpsServer();
const story = (bytes: Buffer) =>
  lines(bytes).map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason ?? ""}`.trim());
const until = (count: number) => (bytes: Buffer) => bytes.toString().split("\n").length > count;

const watch = (query: string, headers = {}) =>
  openStream(server().session, `${configMaps}?watch=1&${query}`, headers);
const label = (name: string, tier: string) =>
  server().bed.patch(`${configMaps}/${name}`, { metadata: { labels: { tier } } });

describe("a watch is refused", () => {
  const options = 'ListOptions.meta.k8s.io "" is invalid: ';
  const requires =
    "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
  const refused: readonly (readonly [query: string, code: number, message: string | RegExp])[] = [
    [
      "resourceVersion=x",
      400,
      'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
    ["resourceVersion=999999", 504, /^Timeout: Too large resource version: 999999, current: \d+$/],
    ["sendInitialEvents=true", 422, options + requires],
    ["sendInitialEvents=false", 422, options + requires],
    [
      "sendInitialEvents=true&resourceVersionMatch=Exact",
      422,
      `${options}[${requires}, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
    ],
    [
      "resourceVersionMatch=NotOlderThan",
      422,
      `${options}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    ],
    ["labelSelector=a%20b", 400, /^unable to parse requirement: /],
  ];
  testExchanges(
    server,
    refused.map(([query, code, message]): Exchange => [
      `?${query}`,
      "GET",
      `${configMaps}?watch=1&${query}`,
      {},
      { code, message, json: { kind: "Status" } },
    ]),
  );
});

describe("a watch", () => {
  beforeAll(async () => {
    for (const name of ["a", "b"]) await server().bed.make(configMaps, { metadata: { name } });
  });

  test("answers at once, before any event", async () => {
    const watching = await watch(`resourceVersion=${server().bed.revision}`);
    expect(watching.headers).toMatchObject({ ":status": "200", "content-type": "application/json" });
    expect(watching.headers).not.toHaveProperty("content-length");
    watching.close();
  });

  test("is one line for each event, with kind and apiVersion in each object", async () => {
    const { bed } = server();
    const watching = await watch(`resourceVersion=${bed.revision}`);
    await bed.patch(`${configMaps}/a`, { data: { k: "v\n" } });
    const [event, ...others] = lines(await watching.upTo(until(1)));
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: "MODIFIED",
      object: { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { k: "v\n" } },
    });
    watching.close();
  });

  test("is chunked over HTTP/1.1", async () => {
    const { raw, bed } = server();
    const socket = raw();
    await once(socket, "secureConnect");
    socket.write(`GET ${configMaps}?watch=1&resourceVersion=${bed.revision} HTTP/1.1\r\nhost: x\r\n\r\n`);
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += String(chunk)));
    while (!text.includes("\r\n\r\n")) await once(socket, "data");
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toMatch(/\r\ntransfer-encoding: chunked\r\n/i);
    await bed.patch(`${configMaps}/a`, { data: { k: "w" } });
    while (!text.includes("}\n")) await once(socket, "data");
    expect(text).toContain('{"type":"MODIFIED","object":{');
    socket.destroy();
  });

  test.each([
    ["", ["ADDED a", "ADDED b"]],
    ["resourceVersion=0", ["ADDED a", "ADDED b"]],
    ["fieldSelector=metadata.name%3Db&resourceVersion=0", ["ADDED b"]],
  ])("?%s begins with the existing objects", async (query, expected) => {
    const watching = await watch(query);
    expect(story(await watching.upTo(until(expected.length)))).toEqual(expected);
    watching.close();
  });

  test("by the path of one object shows only that object", async () => {
    const { session, bed } = server();
    const watching = await openStream(
      session,
      "/api/v1/watch/namespaces/default/configmaps/b?timeoutSeconds=5",
    );
    for (const name of ["a", "b"]) await bed.patch(`${configMaps}/${name}`, { data: { by: "path" } });
    await bed.clock.advance(6000);
    expect(story(await watching.toEnd())).toEqual(["ADDED b", "MODIFIED b"]);
  });

  test("ends its initial events with an annotated bookmark, even when there are none", async () => {
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    for (const [selector, expected] of [
      ["", ["ADDED a", "ADDED b", "BOOKMARK"]],
      ["&resourceVersion=1", ["ADDED a", "ADDED b", "BOOKMARK"]],
      ["&labelSelector=none", ["BOOKMARK"]],
    ] as const) {
      const watching = await watch(query + selector);
      const bytes = await watching.upTo(until(expected.length));
      expect(story(bytes)).toEqual(expected);
      expect(lines(bytes).at(-1).object).toEqual({
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          resourceVersion: String(server().bed.revision),
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      });
      watching.close();
    }
  });

  test.each(["", "&resourceVersion=0"])(
    "that begins with the existing objects marks their end without a request for it%s",
    async (from) => {
      const watching = await watch(`allowWatchBookmarks=true${from}`);
      const bytes = await watching.upTo(until(3));
      expect(story(bytes)).toEqual(["ADDED a", "ADDED b", "BOOKMARK"]);
      expect(lines(bytes).at(-1).object.metadata.annotations).toEqual({
        "k8s.io/initial-events-end": "true",
      });
      watching.close();
    },
  );

  test("shows an object that enters its selection as ADDED and one that leaves it as DELETED", async () => {
    const { bed } = server();
    const watching = await watch(`labelSelector=tier%3Dweb&resourceVersion=${bed.revision}`);
    for (const tier of ["web", "db", "web"]) await label("a", tier);
    await bed.patch(`${configMaps}/a`, { data: { k: "x" } });
    await label("a", "none");
    const bytes = await watching.upTo(until(5));
    expect(story(bytes)).toEqual(["ADDED a", "DELETED a", "ADDED a", "MODIFIED a", "DELETED a"]);
    expect(lines(bytes).at(-1).object.metadata).toMatchObject({
      labels: { tier: "web" },
      resourceVersion: String(bed.revision),
    });
    watching.close();
  });

  test("gets bookmarks with kind, version and revision on request, and ends after its timeout", async () => {
    const { bed } = server();
    const from = bed.revision;
    const watching = await watch(`resourceVersion=${from}&allowWatchBookmarks=true&timeoutSeconds=100`);
    const silent = await watch(`resourceVersion=${from}&timeoutSeconds=100`);
    await bed.clock.advance(101_000);
    const bookmark = {
      type: "BOOKMARK",
      object: { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: String(from) } },
    };
    expect(lines(await watching.toEnd())).toEqual([bookmark, bookmark]);
    expect(await silent.toEnd()).toHaveLength(0);
  });

  test("without timeoutSeconds lasts for half an hour to an hour", async () => {
    const { bed } = server();
    const watching = await watch(`resourceVersion=${bed.revision}&allowWatchBookmarks=true`);
    await bed.clock.advance(1_795_000);
    expect(lines(await watching.upTo(until(29))).length).toBeGreaterThanOrEqual(29);
    await bed.clock.advance(1_810_000);
    expect(lines(await watching.toEnd()).length).toBeLessThanOrEqual(61);
  });
});

describe("forms of a watch", () => {
  let from: number;
  beforeEach(async () => {
    const { bed } = server();
    await bed.delete(`${configMaps}/formed`);
    from = bed.revision;
    await bed.make(configMaps, { metadata: { name: "formed" }, data: { k: "v" } });
    await bed.patch(`${configMaps}/formed`, { data: { l: "w" } });
  });
  const accept = (as: string) => ({
    accept: `application/json;as=${as};v=v1;g=meta.k8s.io,application/json`,
  });

  test("Tables: columns in the first event, a row in each, with a readable age", async () => {
    const watching = await watch(`resourceVersion=${from}`, accept("Table"));
    const [first, second] = lines(await watching.upTo(until(2))).map(({ object }: Json) => object);
    expect(first.columnDefinitions.map(({ name, format }: Json) => [name, format])).toEqual([
      ["Name", "name"],
      ["Data", ""],
      ["Age", ""],
    ]);
    expect(first.rows[0]).toMatchObject({
      cells: ["formed", 1, "0s"],
      object: { kind: "PartialObjectMetadata" },
    });
    expect(second).toMatchObject({
      kind: "Table",
      columnDefinitions: null,
      rows: [{ cells: ["formed", 2, "0s"] }],
    });
    watching.close();
  });

  test("metadata only", async () => {
    const watching = await watch(`resourceVersion=${from}`, accept("PartialObjectMetadata"));
    for (const { object } of lines(await watching.upTo(until(2)))) {
      expect(object).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" });
      expect(object).not.toHaveProperty("data");
    }
    watching.close();
  });

  test("protobuf: each event after its length, its object in an envelope", async () => {
    const watching = await watch(`resourceVersion=${from}`, { accept: protobuf });
    expect(watching.headers["content-type"]).toBe(`${protobuf};stream=watch`);
    const bytes = await watching.upTo((all) => frames(all).length >= 2);
    const events = frames(bytes).map(openEvent);
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED"]);
    expect(decodeEnvelope(events[1]?.object ?? new Uint8Array(), configMapKind.schema)).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "formed" },
      data: { k: "v", l: "w" },
    });
    watching.close();
  });
});

/** Splits bytes into frames, each after its length in four bytes. */
function frames(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    found.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return found;
}

/** Opens a `WatchEvent{1 type, 2 object{1 raw}}`. */
function openEvent(bytes: Buffer): { type: string; object: Buffer } {
  let at = 0;
  const open = () => {
    let length = 0;
    at += 1;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.readUInt8(at++);
      length += (byte & 127) << shift;
      if (byte < 128) return length;
    }
  };
  const typeLength = open();
  const type = bytes.subarray(at, (at += typeLength)).toString();
  open();
  const length = open();
  return { type, object: bytes.subarray(at, at + length) };
}
