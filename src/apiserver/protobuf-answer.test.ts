import { beforeEach, expect, test } from "vitest";
import { decode } from "../meta/decode.ts";
import { configMaps } from "../api/core/config-map/schema.ts";
import type { ApiResponse } from "../meta/exchange.ts";
import { listMessage } from "../meta/list-message.ts";
import { decodeEnvelope } from "../meta/protobuf/envelope.ts";
import type { MessageType } from "../meta/schema.ts";
import { Status } from "./openapi/meta-messages.ts";
import { admin, type Bed, inDefault, type Json, requestOf, startBed } from "./server.suite.ts";
import { fieldsOf } from "../util/is-object.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const things = inDefault("configmaps");

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

function ask(method: string, url: string, accept: string, body?: unknown): Promise<ApiResponse> {
  return bed.server.handle(requestOf(method, url, body, { user: admin, headers: { accept } }));
}

function opened({ body }: ApiResponse, schema: MessageType): unknown {
  if (body.type !== "bytes" && body.type !== "list") throw new Error(`the answer is a ${body.type}`);
  expect(body.contentType).toBe(protobuf);
  const bytes = body.type === "list" ? Buffer.concat([...body.chunks()]) : body.bytes;
  const opened = decodeEnvelope(bytes, schema);
  const { kind, apiVersion } = opened as Json;
  return { kind, apiVersion, ...fieldsOf(decode(schema, opened)) };
}

test("an object, a list and an error are answered in protobuf when the client prefers it", async () => {
  const accept = `${protobuf},application/json`;
  const made = await ask("POST", things, accept, { metadata: { name: "a" }, data: { k: "v" } });
  expect(made.status).toBe(201);
  const { body: stored } = await bed.get(`${things}/a`);
  expect(opened(made, configMaps.schema)).toEqual(stored);
  const { body: list } = await bed.get(things);
  const { items, ...rest } = list;
  expect(opened(await ask("GET", things, accept), listMessage(configMaps))).toEqual({
    ...rest,
    items: items.map(({ kind: _, apiVersion: __, ...one }: Record<string, unknown>) => one),
  });
  const missing = await ask("GET", `${things}/b`, protobuf);
  expect(missing.status).toBe(404);
  expect(opened(missing, Status)).toMatchObject({ kind: "Status", reason: "NotFound", code: 404 });
});

test("a watch in protobuf is a sequence of events, each after its length", async () => {
  await bed.make(things, { metadata: { name: "a" } });
  const { body } = await ask("GET", `${things}?watch=1`, protobuf);
  if (body.type !== "events") throw new Error(`the answer is a ${body.type}`);
  expect(body.contentType).toBe(`${protobuf};stream=watch`);
  const { value: batch = [] } = (await body.batches[Symbol.asyncIterator]().next()) as {
    value?: readonly { encoded: () => Uint8Array }[];
  };
  const bytes = Buffer.from(batch[0]?.encoded() ?? []);
  expect(bytes.readUInt32BE()).toBe(bytes.length - 4);
  // Sealed, the event can be read by the reader of sealed objects: its object is an envelope of its own.
  const { type, object } = readEvent(bytes.subarray(4));
  expect(type).toBe("ADDED");
  expect(decodeEnvelope(object, configMaps.schema)).toMatchObject({
    kind: "ConfigMap",
    metadata: { name: "a" },
  });
});

/** Reads `WatchEvent{type, object{raw}}` field by field: all lengths here take one or two bytes. */
function readEvent(bytes: Buffer): { type: string; object: Uint8Array } {
  let at = 0;
  const field = () => {
    at += 1;
    let length = bytes.readUInt8(at++);
    if (length > 127) length += (bytes.readUInt8(at++) - 1) * 128;
    return bytes.subarray(at, (at += length));
  };
  const type = field().toString();
  const object = field();
  at -= object.length;
  return { type, object: field() };
}

test.each([
  [
    "a Table",
    `${protobuf};as=Table;g=meta.k8s.io;v=v1,application/json;as=Table;g=meta.k8s.io;v=v1`,
    "Table",
  ],
  ["a document without a message", protobuf, "APIResourceList"],
])("%s stays JSON", async (_, accept, kind) => {
  const { body } = await ask("GET", kind === "Table" ? things : "/api/v1", accept);
  expect(body).toMatchObject({ type: "object", value: { kind } });
});

test("metadata alone is answered in protobuf too", async () => {
  await bed.make(things, { metadata: { name: "a" } });
  const accept = `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
  const { body } = await ask("GET", `${things}/a`, accept);
  expect(body).toMatchObject({ type: "bytes", contentType: protobuf });
});
