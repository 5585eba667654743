import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { webcrypto } from "node:crypto";
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type IncomingHttpHeaders,
} from "node:http2";
import { connect as connectTcp, createServer, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { configMaps } from "../api/core/config-map/schema.ts";
import { pods } from "../api/core/pod/schema.ts";
import type { Handler, ResponseBody } from "../meta/exchange.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { Client } from "./client.ts";
import { ConnectionError } from "./errors.ts";
import { HttpTransport, type Connection } from "./http.ts";
import { describeTransport } from "./transport.suite.ts";
import { maxAnswerBytes } from "./transport.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

async function selfSigned(name: string): Promise<{ certificate: string; key: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${name}`,
      notBefore: new Date("2020-01-01"),
      notAfter: new Date("2100-01-01"),
      signingAlgorithm: algorithm,
      keys,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }])],
    },
    webcrypto,
  );
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { certificate: certificate.toString("pem"), key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
}

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: string) => void;

let identity: { certificate: string; key: string };
let user: { certificate: string; key: string };
let server: Http2SecureServer;
let port: number;
let url: string;
let answer: Answer;
const sessions: ServerHttp2Session[] = [];
const sockets: Socket[] = [];
const transports: HttpTransport[] = [];

beforeAll(async () => {
  [identity, user] = await Promise.all([selfSigned("server"), selfSigned("jane")]);
  server = createSecureServer({
    key: identity.key,
    cert: identity.certificate,
    ca: [user.certificate],
    requestCert: true,
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: 3 },
  });
  server.on("connection", (socket: Socket) => sockets.push(socket));
  server.on("session", (session) => sessions.push(session));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    void text(stream).then(
      (body) => answer(stream, headers, body),
      () => {},
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" ? (address?.port ?? 0) : 0;
  url = `https://127.0.0.1:${port}`;
});

afterEach(async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.close()));
  sessions.length = 0;
  sockets.length = 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function connect(more: Partial<Connection> = {}, clock = new VirtualClock()) {
  const transport = new HttpTransport({ server: url, ca: identity.certificate, ...more }, { clock });
  transports.push(transport);
  return { transport, client: new Client(transport), clock };
}

function json(stream: ServerHttp2Stream, value: unknown, status = 200): void {
  stream.respond({ ":status": status, "content-type": "application/json" });
  stream.end(JSON.stringify(value));
}

async function collect<T>(batches: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

/** A proxy to the server that can drop all traffic, as a vanished peer does. */
async function openTunnel() {
  let blocked = false;
  const ends: Socket[] = [];
  const listener = createServer((near) => {
    const far = connectTcp(port, "127.0.0.1");
    ends.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk) => blocked || to.write(chunk));
      from.on("error", () => {});
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const address = listener.address();
  return {
    url: `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    block: () => (blocked = true),
    close: () => {
      for (const socket of ends) socket.destroy();
      listener.close();
    },
  };
}

/** Answers as the API server's listener does. */
async function serve(
  handler: Handler,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  body: string,
): Promise<void> {
  const gone = new AbortController();
  stream.once("close", () => gone.abort());
  const { pathname, searchParams } = new URL(headers[":path"] ?? "", url);
  const response = await handler({
    method: headers[":method"] ?? "",
    path: pathname,
    query: searchParams,
    headers: { accept: headers.accept, "content-type": headers["content-type"] },
    body: body === "" ? { type: "none" } : { type: "object", value: JSON.parse(body) as object },
    caller: { type: "connection", address: "127.0.0.1" },
    signal: gone.signal,
  });
  const { status, body: answered } = response;
  const contentType = "contentType" in answered ? answered.contentType : "application/json";
  stream.respond({ ...response.headers, ":status": status, "content-type": contentType });
  for await (const chunk of chunksOf(answered)) stream.write(chunk);
  stream.end();
}

async function* chunksOf(body: ResponseBody): AsyncIterable<Uint8Array> {
  switch (body.type) {
    case "empty":
      return;
    case "object":
      return yield Buffer.from(JSON.stringify(body.value));
    case "bytes":
      return yield body.bytes;
    case "list":
      return yield* body.chunks();
    case "stream":
      return yield* body.stream;
    case "events":
      for await (const batch of body.batches) for (const event of batch) yield event.encoded();
  }
}

describeTransport("HTTP transport", (handler) => {
  answer = (stream, headers, body) => void serve(handler, stream, headers, body).catch(() => stream.close());
  return connect().transport;
});

describe("an HTTP transport", () => {
  test("sends the client's request and decodes the answer", async () => {
    const seen: unknown[] = [];
    answer = (stream, headers, body) => {
      seen.push([
        headers[":method"],
        headers[":path"],
        headers["content-type"],
        headers.authorization,
        JSON.parse(body),
      ]);
      json(stream, { metadata: { name: "a b", namespace: "x" }, data: { k: "v" }, unknown: 1 }, 201);
    };
    const { client } = connect({ token: () => Promise.resolve("secret") });
    const created = await client
      .of(configMaps, "x")
      .create({ metadata: { name: "a b" } }, { fieldManager: "m&m", dryRun: true });
    expect(seen).toEqual([
      [
        "POST",
        "/api/v1/namespaces/x/configmaps?fieldManager=m%26m&dryRun=All",
        "application/json",
        "Bearer secret",
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a b" } },
      ],
    ]);
    expect(created).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a b", namespace: "x" },
      data: { k: "v" },
    });
  });

  test("fills in the kind and apiVersion that upstream's lists omit from their items", async () => {
    answer = (stream) =>
      json(stream, {
        kind: "PodList",
        metadata: { resourceVersion: "7" },
        items: [{ metadata: { name: "a" } }],
      });
    const list = await connect().client.of(pods).list({ labelSelector: "a in (b,c)", limit: 5 });
    expect(list.metadata.resourceVersion).toBe("7");
    expect(list.items[0]).toMatchObject({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: {} });
  });

  test("shows the server its client certificate", async () => {
    answer = (stream) => {
      const socket = stream.session?.socket as TLSSocket | undefined;
      json(stream, { metadata: { name: socket?.getPeerCertificate().subject?.CN ?? "nobody" } });
    };
    const named = await connect({ certificate: user }).client.of(configMaps, "x").get("a");
    const anonymous = await connect().client.of(configMaps, "x").get("a");
    expect([named.metadata.name, anonymous.metadata.name]).toEqual(["jane", "nobody"]);
  });

  test("refuses a server whose certificate it does not trust", async () => {
    answer = (stream) => json(stream, {});
    await expect(connect({ ca: user.certificate }).client.of(configMaps, "x").get("a")).rejects.toThrow(
      ConnectionError,
    );
    await connect({ ca: user.certificate, insecure: true }).client.of(configMaps, "x").get("a");
  });

  test("reads watch lines however the bytes are split", async () => {
    const event = (name: string) => ({
      type: "ADDED",
      object: { metadata: { name, annotations: { text: "žluť 🚢\u2028" } } },
    });
    const bytes = Buffer.from(["a", "b", "c"].map((name) => `${JSON.stringify(event(name))}\n`).join(""));
    answer = (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/json" });
      const send = (at: number): void => {
        if (at >= bytes.length) stream.end();
        else stream.write(bytes.subarray(at, at + 5), () => setImmediate(send, at + 5));
      };
      send(0);
    };
    const events = await collect(connect().client.of(configMaps).watch());
    expect(events).toEqual(
      ["a", "b", "c"].map((name) => ({
        type: "ADDED",
        object: { apiVersion: "v1", kind: "ConfigMap", metadata: event(name).object.metadata },
      })),
    );
  });

  test("ends a watch with an error when it is cut inside an event", async () => {
    answer = (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/json" });
      stream.end('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"ADDED","obj');
    };
    const seen: unknown[] = [];
    const watch = async () => {
      for await (const batch of connect().client.of(configMaps).watch()) seen.push(...batch);
    };
    await expect(watch()).rejects.toThrow("it ended inside an event");
    expect(seen.length).toBe(1);
  });

  test.each([
    ["the server drops the session", (stream: ServerHttp2Stream) => stream.session?.destroy()],
    ["the connection is reset", () => sockets.forEach((socket) => socket.resetAndDestroy())],
    ["the connection is lost", () => sockets.forEach((socket) => socket.destroy())],
  ])("ends requests and watches with a retryable error when %s", async (_, cut) => {
    answer = (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/json" });
      stream.write('{"type":"ADDED","object":{},"metadata":{"name":"a"}}\n', () =>
        setImmediate(() => cut(stream)),
      );
    };
    const { client } = connect();
    await expect(client.of(configMaps, "x").get("a")).rejects.toThrow(ConnectionError);
    await expect(collect(client.of(configMaps).watch())).rejects.toThrow(ConnectionError);
    answer = (stream) => json(stream, { metadata: { name: "b" } });
    expect((await client.of(configMaps, "x").get("b")).metadata.name).toBe("b");
  });

  test("finishes open requests and reconnects after GOAWAY", async () => {
    const { client } = connect();
    let release = () => {};
    answer = (stream) => {
      release = () => json(stream, { metadata: { name: "old" } });
      sessions[0]?.goaway();
      stream.session?.ping(() => answered.resolve());
    };
    const answered = Promise.withResolvers<void>();
    const old = client.of(configMaps, "x").get("a");
    await answered.promise;
    answer = (stream) => json(stream, { metadata: { name: "new" } });
    expect((await client.of(configMaps, "x").get("a")).metadata.name).toBe("new");
    release();
    expect((await old).metadata.name).toBe("old");
    expect(sessions.length).toBe(2);
  });

  test("opens a further connection when watches hold all streams of the first", async () => {
    answer = (stream, headers) => {
      if (headers[":path"]?.includes("watch=true") !== true) return json(stream, { metadata: { name: "a" } });
      stream.respond({ ":status": 200, "content-type": "application/json" });
      stream.write('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}\n');
    };
    const { client } = connect();
    const stop = new AbortController();
    const watches = Array.from({ length: 4 }, () =>
      client.of(configMaps).watch({ signal: stop.signal })[Symbol.asyncIterator](),
    );
    for (const watch of watches) await watch.next();
    expect((await client.of(configMaps, "x").get("a")).metadata.name).toBe("a");
    expect(sessions.length).toBe(2);
    stop.abort(new Error("enough"));
    await expect(watches[0]!.next()).rejects.toThrow("enough");
  });

  test("reads every answer completely, even when its last byte and the end of its stream arrive together", async () => {
    const filler = "x".repeat(10_000);
    answer = (stream) => json(stream, { metadata: { name: "a" }, data: { filler } });
    const all = connect().client.of(configMaps, "x");
    for (let round = 0; round < 300; round++) {
      const answers = await Promise.all(Array.from({ length: 3 }, () => all.get("a")));
      expect(answers.map(({ data }) => data?.["filler"]?.length)).toEqual([10_000, 10_000, 10_000]);
    }
  });

  test("reads an answer while large bodies are being sent", async () => {
    answer = (stream) => json(stream, { metadata: { name: "a" } }, 201);
    const { client } = connect();
    const create = (size: number) =>
      client.of(configMaps, "x").create({ metadata: { name: "a" }, data: { a: "x".repeat(size) } });
    const all = await Promise.all([create(12_000_000), create(12_000_000), create(1)]);
    expect(all.map(({ metadata }) => metadata.name)).toEqual(["a", "a", "a"]);
  });

  test("refuses an object beyond the limit of answers, but reads a long list", async () => {
    const filler = "x".repeat(maxAnswerBytes);
    answer = (stream) =>
      json(stream, { metadata: {}, items: [{ metadata: { name: "a" }, data: { filler } }] });
    const { client } = connect();
    await expect(client.of(configMaps, "x").get("a")).rejects.toThrow("the answer has more than");
    expect((await client.of(configMaps).list()).items.length).toBe(1);
  });

  test("closes a connection whose peer no longer answers pings", async () => {
    const tunnel = await openTunnel();
    const { client, clock } = connect({ server: tunnel.url });
    const asked = new Promise<void>((resolve) => (answer = () => resolve()));
    const request = client.of(configMaps, "x").get("a");
    const failed = expect(request).rejects.toThrow("the server does not answer");
    await asked;
    tunnel.block();
    await clock.advance(50_000);
    await failed;
    tunnel.close();
  });

  test("stops connecting to a server that accepts and stays silent", async () => {
    const tunnel = await openTunnel();
    tunnel.block();
    const { client, clock } = connect({ server: tunnel.url });
    const failed = expect(client.of(configMaps, "x").get("a")).rejects.toThrow("the server does not answer");
    await clock.advance(50_000);
    await failed;
    tunnel.close();
  });

  test("streams raw bytes", async () => {
    answer = (stream, headers) => {
      expect(headers[":path"]).toBe("/api/v1/namespaces/x/pods/a/log?follow=true");
      stream.respond({ ":status": 200, "content-type": "text/plain" });
      stream.end("line 1\nline 2\n");
    };
    const log = connect().client.of(pods, "x").subresource("a", "log");
    expect(await text(await log.stream(new URLSearchParams({ follow: "true" })))).toBe("line 1\nline 2\n");
  });

  test("refuses requests after it is closed, and closes its connections", async () => {
    answer = (stream) => json(stream, { metadata: {} });
    const { client, transport } = connect();
    await client.of(configMaps, "x").get("a");
    const closed = new Promise((resolve) => sessions[0]?.once("close", resolve));
    await transport.close();
    await closed;
    await expect(client.of(configMaps, "x").get("a")).rejects.toThrow("the transport is closed");
  });
});
