import "reflect-metadata";
import { KeyObject } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { request as tlsRequest } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { createSecureContext } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as x509 from "@peculiar/x509";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { systemClock } from "../../util/clock.ts";
import { silentLogger } from "../../util/logger.ts";
import { http } from "../../util/node-http.ts";
import { seededRandom } from "../../util/random.ts";
import { Gateway } from "./gateway.ts";
import type { Backend, IngressPlan } from "./plan.ts";

async function selfSigned(host: string): Promise<{ readonly certificate: string; readonly key: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${host}`,
    keys,
    signingAlgorithm: algorithm,
  });
  const key = KeyObject.from(keys.privateKey).export({ format: "pem", type: "pkcs8" });
  return { certificate: certificate.toString("pem"), key: String(key) };
}

const { createServer, request } = http;
const env = { clock: systemClock, random: seededRandom(1), log: silentLogger };

/** Answers with the request as it arrived. */
function echo(): Server {
  return createServer((request, response) => {
    request
      .resume()
      .on("end", () => response.end(JSON.stringify({ url: request.url, headers: request.headers })));
  });
}

async function listening(server: Server): Promise<{ address: string; port: number }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

/** Returns a port that nothing listens on. */
async function free(): Promise<number> {
  const server = createServer();
  const { port } = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function planOf(backend: Backend | undefined): IngressPlan {
  const prefixes = new Map(backend === undefined ? [] : [["", backend]]);
  const hosts = new Map([["one.example", { exact: new Map(), prefixes, depth: 1 }]]);
  return { hosts, fallback: undefined, certificates: new Map() };
}

function bytesOf(data: RawData): Buffer {
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer); // Safe: both kinds are bytes.
}

describe("the gateway of Ingresses", () => {
  const backend = echo();
  let gateway: Gateway;
  let ports: { http: number; https: number };
  let endpoint: { address: string; port: number };

  beforeEach(async () => {
    endpoint = await listening(backend);
    ports = { http: await free(), https: await free() };
    const { certificate, key } = await selfSigned("one.example");
    const context = createSecureContext({ cert: certificate, key });
    const options = {
      env,
      address: "127.0.0.1",
      ports,
      certificate: (host: string) => Promise.resolve(host === "one.example" ? context : undefined),
    };
    gateway = await Gateway.open(options, planOf({ service: "ns/a", endpoints: [endpoint] }));
  });
  afterEach(async () => {
    await gateway.close();
    backend.closeAllConnections();
    await new Promise((resolve) => backend.close(resolve));
  });

  async function call(path: string, headers: Record<string, string> = {}, method = "GET", body?: string) {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request({
        host: "127.0.0.1",
        port: ports.http,
        path,
        method,
        headers: { host: "one.example", ...headers },
      });
      asked.on("response", resolve).on("error", reject).end(body);
    });
    return { status: answer.statusCode, body: await text(answer) };
  }

  test("passes on path, query and host, and says who the client is, whatever it claims", async () => {
    const { body } = await call("/a/../b?c=d%20e", {
      "x-forwarded-for": "1.2.3.4",
      "x-forwarded-user": "root",
    });
    const seen = JSON.parse(body) as { url: string; headers: Record<string, string> };
    expect(seen.url).toBe("/b?c=d%20e");
    expect(seen.headers).toMatchObject({
      host: "one.example",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": "one.example",
    });
    expect(seen.headers).not.toHaveProperty("x-forwarded-user");
  });

  test("serves HTTPS with the host's certificate, and refuses connections for another host", async () => {
    const over = (servername: string) =>
      new Promise<string>((resolve, reject) => {
        const headers = { host: servername };
        const options = {
          port: ports.https,
          host: "127.0.0.1",
          servername,
          headers,
          rejectUnauthorized: false,
        };
        tlsRequest(options, (answer) => resolve(text(answer)))
          .on("error", reject)
          .end();
      });
    expect(JSON.parse(await over("one.example"))).toMatchObject({
      headers: { "x-forwarded-proto": "https" },
    });
    await expect(over("two.example")).rejects.toThrow();
  });

  test("passes on WebSockets", async () => {
    const sockets = new WebSocketServer({ server: backend });
    sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(data)));
    const client = new WebSocket(`ws://127.0.0.1:${ports.http}/ws`, { headers: { host: "one.example" } });
    client.on("open", () => client.send("hello"));
    const said = await new Promise((resolve, reject) => {
      client.on("message", (data) => resolve(bytesOf(data).toString())).on("error", reject);
    });
    expect(said).toBe("hello");
    client.terminate();
    sockets.close();
  });

  test("answers without a rule, without endpoints, and when no endpoint answers", async () => {
    expect(await call("/", { host: "two.example" })).toMatchObject({ status: 404 });
    gateway.update(planOf({ service: "ns/a", endpoints: [] }));
    expect(await call("/")).toEqual({ status: 503, body: "ns/a has no endpoints\n" });
    gateway.update(planOf({ service: "ns/a", endpoints: [{ address: "127.0.0.1", port: await free() }] }));
    expect(await call("/")).toEqual({ status: 502, body: "ns/a does not answer\n" });
  });

  test("tries another endpoint for a request that can be repeated, and none for one with a body", async () => {
    const dead = { address: "127.0.0.1", port: await free() };
    gateway.update(planOf({ service: "ns/a", endpoints: [dead, endpoint] }));
    const gets = await Promise.all(Array.from({ length: 20 }, () => call("/")));
    expect(gets.every(({ status }) => status === 200)).toBe(true);
    const posts = await Promise.all(Array.from({ length: 20 }, () => call("/", {}, "POST", "body")));
    expect(new Set(posts.map(({ status }) => status))).toEqual(new Set([200, 502]));
  });

  test("refuses what is no request for a path, and survives broken requests", async () => {
    const raw = (bytes: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(ports.http, "127.0.0.1");
        socket.on("error", () => {});
        resolve(text(socket));
        socket.write(bytes);
      });
    const head = "Host: one.example\r\nConnection: close\r\n\r\n";
    expect(await raw(`GET http://one.example/ HTTP/1.1\r\n${head}`)).toContain("404");
    expect(await raw(`GET //[ HTTP/1.1\r\n${head}`)).toMatch(/ (200|404) /);
    const smuggled = `POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n${head}0\r\n\r\nGET /x`;
    expect(await raw(smuggled)).toContain("400 Bad Request");
    expect(await raw("\u0000\r\n\r\n")).toContain("400 Bad Request");
    expect((await call("/")).status).toBe(200);
  });
});
