import { once } from "node:events";
import { gunzipSync } from "node:zlib";
import { connect } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { configMaps as configMapKind } from "../../src/api/core/config-map/schema.ts";
import { encodeEnvelope } from "../../src/meta/protobuf/envelope.ts";
import { useHttpsServer } from "../apiserver/https-server.suite.ts";
import {
  accept,
  as,
  check,
  configMaps,
  inDefault,
  json,
  jsonPatch,
  lines,
  merge,
  mergePatch,
  openStream,
  protobuf,
  testExchanges,
} from "./wire.suite.ts";

/** Objects with this name are never admitted. */
const holding: string[] = [];
const hold = {
  name: "Hold",
  validate: ({ name }: { readonly name: string }) => {
    if (name !== "held") return;
    holding.push(name);
    return new Promise<void>(() => {});
  },
};
const server = useHttpsServer({ admission: [hold] });

beforeAll(async () => {
  await server().bed.make(configMaps, { metadata: { name: "one" }, data: { k: "v" } });
});

const sealed = (name: string) =>
  encodeEnvelope({ metadata: { name }, data: { k: "v" } }, { ...configMapKind });
const operations = (count: number) =>
  Array.from({ length: count }, () => ({ op: "test", path: "/data/k", value: "v" }));

describe("a request's body", () => {
  testExchanges(server, [
    [
      "in protobuf is read, and answered in JSON where that is accepted",
      "POST",
      configMaps,
      as(protobuf, sealed("sealed"), { accept: "application/json" }),
      {
        code: 201,
        headers: { "content-type": "application/json" },
        json: { metadata: { name: "sealed" }, data: { k: "v" } },
      },
    ],
    [
      "without a Content-Type is JSON",
      "POST",
      configMaps,
      { body: '{"metadata":{"name":"untyped"}}' },
      { code: 201 },
    ],
    [
      "may have a charset in its Content-Type",
      "POST",
      configMaps,
      as("application/json; charset=utf-8", { metadata: { name: "charset" } }),
      { code: 201 },
    ],
    [
      "must have a Content-Type if it is a patch",
      "PATCH",
      `${configMaps}/one`,
      { body: "{}" },
      { code: 415 },
    ],
    [
      "may have a charset if it is a patch, too",
      "PATCH",
      `${configMaps}/one`,
      as(`${mergePatch}; charset=utf-8`, {}),
      { code: 200 },
    ],
    [
      "is refused in CBOR",
      "POST",
      configMaps,
      as("application/cbor", "x"),
      { code: 415, json: { reason: "UnsupportedMediaType" } },
    ],
    [
      "may have 10 000 operations of a JSON patch",
      "PATCH",
      `${configMaps}/one`,
      as(jsonPatch, operations(10_000)),
      { code: 200 },
    ],
    [
      "may not have 10 001 operations: 413",
      "PATCH",
      `${configMaps}/one`,
      as(jsonPatch, operations(10_001)),
      {
        code: 413,
        json: { reason: "RequestEntityTooLarge" },
        message:
          "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
      },
    ],
    [
      "unknown headers and parameters change nothing",
      "GET",
      `${configMaps}/one?unknown=1&x=`,
      { headers: { "kubectl-command": "kubectl get", "kubectl-session": "s", "x-any": "y" } },
      { code: 200, json: { kind: "ConfigMap" } },
    ],
  ]);
});

describe("ALPN", () => {
  test.each([
    [["h2"], "h2"],
    [["http/1.1"], "http/1.1"],
    [["h2", "http/1.1"], "h2"],
  ])("offered %j settles on %s", async (ALPNProtocols, expected) => {
    const { port, pki } = server();
    const socket = connect({ host: "127.0.0.1", port, ca: pki.ca.certificate, ALPNProtocols });
    await once(socket, "secureConnect");
    expect(socket.alpnProtocol).toBe(expected);
    socket.destroy();
  });
});

describe("every answer names its media type, its caching and its audit ID", () => {
  test.each([
    ["GET", "/version", 200],
    ["GET", "/api", 200],
    ["GET", `${configMaps}/one`, 200],
    ["GET", configMaps, 200],
    ["GET", `${configMaps}/none`, 404],
    ["GET", "/nowhere", 404],
    ["DELETE", "/version", 405],
    ["GET", `${configMaps}?limit=x`, 400],
  ])("%s %s: %d", async (method, path, code) => {
    const answer = await server().send(method, path);
    const expected = {
      "content-type": "application/json",
      "cache-control": "no-cache, private",
      "audit-id": expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    };
    check(answer, { code, headers: expected });
    if (code >= 400)
      expect(answer.json).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code });
  });
});

describe("?timeout=", () => {
  const why = "invalid timeout specified in the request URL - time: ";
  test.each([
    ["32s", 200, ""],
    ["1m30s", 200, ""],
    ["1h", 200, ""],
    ["", 200, ""],
    ["0", 200, ""],
    ["-5s", 200, ""],
    ["x", 400, `${why}invalid duration "x"`],
    ["5", 400, `${why}missing unit in duration "5"`],
  ])("%s: %d", async (timeout, code, message) => {
    for (const path of [`${configMaps}/one`, "/api", "/version", "/openapi/v3", "/readyz"]) {
      const answer = await server().send("GET", `${path}?timeout=${timeout}`);
      expect([path, answer.code]).toEqual([path, code]);
      if (code === 400) expect(answer.json).toMatchObject({ reason: "BadRequest", message });
    }
  });

  test("is ignored by a watch", async () => {
    const { session, bed } = server();
    const query = `watch=1&timeout=x&timeoutSeconds=5&resourceVersion=${bed.revision}`;
    const watch = await openStream(session, `${configMaps}?${query}`);
    expect(watch.headers[":status"]).toBe("200");
    await bed.clock.advance(6000);
    expect(await watch.toEnd()).toHaveLength(0);
  });
});

describe("a slow request", () => {
  test.each([
    ["", 60_000],
    ["?timeout=5s", 5000],
    ["?timeout=2h", 60_000],
    ["?timeout=0s", 60_000],
  ])("%s ends with 504 after %d ms", async (query, ms) => {
    const { send, bed } = server();
    let answered = false;
    const late = send("POST", configMaps + query, json({ metadata: { name: "held" } })).then((answer) => {
      answered = true;
      return answer;
    });
    const before = holding.length;
    while (holding.length === before) await send("GET", "/readyz");
    await bed.clock.advance(ms - 1);
    await send("GET", "/readyz");
    expect(answered).toBe(false);
    await bed.clock.advance(1);
    check(await late, {
      code: 504,
      json: { reason: "Timeout", details: {} },
      message: "Timeout: request did not complete within the allotted timeout",
    });
  });
});

describe("warnings", () => {
  const warningsOf = (header = "") =>
    [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text);

  test("are quoted, sent once each, and truncated only when they are too long together", async () => {
    const { send } = server();
    const warn = async (fields: object) => {
      const body = { metadata: { name: "warned" }, ...fields };
      const { headers } = await send("POST", `${configMaps}?dryRun=All`, json(body));
      return warningsOf(headers["warning"]);
    };
    expect(await warn({ a: 1, 'b"c': 2 })).toEqual([
      String.raw`unknown field \"a\"`,
      String.raw`unknown field \"b\\\"c\"`,
    ]);
    const long = "x".repeat(3000);
    expect(await warn({ [long]: 1 })).toEqual([String.raw`unknown field \"${long}\"`]);
    const cut = await warn({ [long]: 1, [`${long}y`]: 2, short: 3 });
    expect(cut.map((text) => text?.replaceAll("\\", "").length)).toEqual([256, 256, 21]);
    const many = await warn(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}${long}`, i])));
    expect(many).toHaveLength(16);
  });
});

describe("indented JSON", () => {
  test.each([
    ["?pretty=true", "node", true],
    ["?pretty=1", "node", true],
    ["?pretty", "node", true],
    ["?pretty=false", "curl/8", false],
    ["?pretty=0", "curl/8", false],
    ["", "curl/8", true],
    ["", "Wget/1.21", true],
    ["", "Mozilla/5.0 (X11)", true],
    ["", "kubectl/v1.36.0", false],
  ])("%s for %s: %s", async (query, agent, isIndented) => {
    const headers = { "user-agent": agent };
    for (const path of [`${configMaps}/one`, configMaps, `${configMaps}/none`]) {
      const { text } = await server().send("GET", path + query, { headers });
      expect(text.startsWith('{\n  "')).toBe(isIndented);
    }
  });
});

describe("gzip", () => {
  const big = "x".repeat(50_000);
  beforeAll(async () => {
    const { bed } = server();
    for (const name of ["big-1", "big-2", "big-3"])
      await bed.make(inDefault("secrets"), { metadata: { name }, stringData: { big } });
    await bed.make(configMaps, { metadata: { name: "huge" }, data: { k: "x".repeat(140_000) } });
  });

  test.each([
    ["one object above 128 KiB", `${configMaps}/huge`, "gzip", true],
    ["a list that is large in total", inDefault("secrets"), "gzip", true],
    ["a large list in protobuf", inDefault("secrets"), "gzip", true, protobuf],
    ["a large list in YAML", inDefault("secrets"), "gzip", true, "application/yaml"],
    ["an offer of other encodings too", inDefault("secrets"), "deflate, gzip, br", true],
    ["a small object", `${configMaps}/one`, "gzip", false],
    ["a small page", `${inDefault("secrets")}?limit=1`, "gzip", false],
    ["an offer without gzip", inDefault("secrets"), "deflate, br", false],
    ["an offer with a weight", inDefault("secrets"), "gzip;q=1", false],
    ["no offer", inDefault("secrets"), undefined, false],
  ])("%s: %s, %s: %s", async (_, path, encoding, isCompressed, type = "application/json") => {
    const { session, send } = server();
    const plain = await send("GET", path, accept(type));
    const offer = encoding === undefined ? {} : { "accept-encoding": encoding };
    const stream = session.request({ ":path": path, accept: type, ...offer });
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    const [headers] = (await once(stream, "response")) as [Record<string, string>];
    await once(stream, "end");
    expect(headers["content-encoding"]).toBe(isCompressed ? "gzip" : undefined);
    expect(headers["vary"]).toBe(isCompressed ? "Accept-Encoding" : undefined);
    const body = Buffer.concat(chunks);
    expect((isCompressed ? gunzipSync(body) : body).toString()).toBe(plain.text);
  });

  test("a watch is never compressed", async () => {
    const { session } = server();
    const headers = { "accept-encoding": "gzip" };
    const watch = await openStream(session, `${inDefault("secrets")}?watch=1`, headers);
    expect(watch.headers).not.toHaveProperty("content-encoding");
    expect(lines(await watch.upTo((bytes) => bytes.length > 200_000))).toHaveLength(3);
    watch.close();
  });
});

describe("values on the wire", () => {
  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  test.each([
    ["2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.123456Z"],
    ["2026-01-02T05:04:05.000000+02:00", "2026-01-02T03:04:05.000000Z"],
  ])("a MicroTime has six digits, in UTC: %s", async (renewTime, expected) => {
    const body = { metadata: { name: "l" }, spec: { renewTime } };
    const answer = await server().send("POST", `${leases}?dryRun=All`, json(body));
    expect(answer.json.spec.renewTime).toBe(expected);
    expect(answer.json.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test.each(["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.1Z"])(
    "a MicroTime with fewer digits is refused: %s",
    async (renewTime) => {
      const answer = await server().send(
        "POST",
        leases,
        json({ metadata: { name: "l" }, spec: { renewTime } }),
      );
      expect(answer.json).toMatchObject({ code: 400, reason: "BadRequest" });
      expect(answer.json.message).toContain(`as ".000000"`);
    },
  );

  test("a resourceVersion is a decimal number above zero, and rises with each write of any kind", async () => {
    const { send } = server();
    const versions: string[] = [];
    for (const [path, body] of [
      [configMaps, { metadata: { name: "rises" } }],
      [inDefault("secrets"), { metadata: { name: "rises" } }],
      [leases, { metadata: { name: "rises" } }],
    ] as const)
      versions.push((await send("POST", path, json(body))).json.metadata.resourceVersion);
    versions.push(
      (await send("PATCH", `${configMaps}/rises`, merge({ data: { a: "b" } }))).json.metadata.resourceVersion,
    );
    for (const version of versions) expect(version).toMatch(/^[1-9]\d*$/);
    const numbers = versions.map(Number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  test("a Pod has a securityContext, which kubectl debug reads without a check", async () => {
    const spec = { containers: [{ name: "c", image: "example.com/c" }] };
    const answer = await server().send(
      "POST",
      `${inDefault("pods")}?dryRun=All`,
      json({ metadata: { name: "p" }, spec }),
    );
    expect(answer.json.spec.securityContext).toEqual({});
  });
});

describe("Retry-After", () => {
  testExchanges(server, [
    [
      "is sent for a revision that will soon exist",
      "GET",
      `${configMaps}?resourceVersion=999999`,
      {},
      { code: 504, headers: { "retry-after": "1" }, json: { details: { retryAfterSeconds: 1 } } },
    ],
  ]);

  test("is not sent for errors that the caller must handle", async () => {
    const { send } = server();
    for (const [method, path, body] of [
      ["POST", configMaps, { metadata: { name: "one" } }],
      ["PUT", `${configMaps}/one`, { metadata: { name: "one", resourceVersion: "1" } }],
      ["GET", `${configMaps}/none`, undefined],
    ] as const) {
      const answer = await send(method, path, body === undefined ? {} : json(body));
      expect(answer.code).toBeGreaterThanOrEqual(400);
      expect(answer.headers).not.toHaveProperty("retry-after");
    }
  });
});
