import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTls } from "node:https";
import { request } from "node:https";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { makeServingPair } from "../../src/cluster/pki.ts";
import { systemClock } from "../../src/util/clock.ts";
import { StreamingCluster } from "./streaming-cluster.ts";

let cluster: StreamingCluster;
let port: number;
const servers: Server[] = [];
const seen: string[] = [];

/** A backend that answers with the request that it got. */
function answer(incoming: IncomingMessage): string {
  const { method, url, headers } = incoming;
  return `${method} ${url} authorization=${headers.authorization ?? ""}`;
}

beforeAll(async () => {
  cluster = await new StreamingCluster().start({ kubelet: "verified", local: true, proxies: true });
  const server = createServer((incoming, response) => {
    seen.push(answer(incoming));
    const { url = "" } = incoming;
    if (url.startsWith("/redirect")) {
      response.writeHead(302, { location: "/elsewhere/" }).end();
    } else if (url.startsWith("/cookies")) {
      response.writeHead(200, { "set-cookie": ["a=1", "b=2"], "access-control-allow-origin": "*" }).end("x");
    } else if (url.startsWith("/echo")) {
      response.writeHead(201, { "content-type": "application/x-echo" });
      incoming.pipe(response);
    } else if (url.startsWith("/page")) {
      const [, type = "", coding = ""] = url.split("?");
      const page = '<a href="/x">a</a> <a href="y">b</a>';
      const body = coding === "gzip" ? gzipSync(page) : Buffer.from(page);
      const headers = { "content-type": type, "content-length": body.length };
      response.writeHead(200, coding === "" ? headers : { ...headers, "content-encoding": coding }).end(body);
    } else if (url.startsWith("/missing")) {
      response.writeHead(404).end("not here");
    } else {
      response.end(answer(incoming));
    }
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex) => {
    seen.push(`upgrade ${incoming.headers.upgrade} ${answer(incoming)}`);
    if (incoming.url?.startsWith("/refuse")) {
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 4\r\n\r\nnope");
      return;
    }
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: shout\r\n\r\n");
    socket.on("error", () => {});
    socket.once("end", () => seen.push("ended"));
    socket.on("data", (data: Buffer) => {
      if (data.toString() === "bye" && socket instanceof Socket) socket.resetAndDestroy();
      else socket.write(data.toString().toUpperCase());
    });
  });
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  await cluster.addService("front", port);
});
afterAll(() => {
  cluster.stop();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  seen.splice(0);
  cluster.kubelet?.transcript.splice(0);
});

const base = "/api/v1/namespaces/default";

test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
  "a Pod gets %s with its path and query as they were sent",
  async (method) => {
    const url = `${base}/pods/web:${port}/proxy/a%2Fb/?x=1+2&y&y=%41`;
    const { code, text } = await cluster.send(url, {}, { method, body: "" });
    expect({ code, text }).toEqual({ code: 200, text: `${method} /a%2Fb/?x=1+2&y&y=%41 authorization=` });
  },
);

test("HEAD is answered with the headers alone", async () => {
  const { code, text } = await cluster.send(`${base}/pods/web:${port}/proxy/x`, {}, { method: "HEAD" });
  expect({ code, text, seen }).toEqual({ code: 200, text: "", seen: ["HEAD /x authorization="] });
});

test("bodies pass in both directions", async () => {
  const body = "payload ".repeat(100_000);
  const sent = await cluster.send(`${base}/pods/web:${port}/proxy/echo`, {}, { method: "POST", body });
  expect(sent.code).toBe(201);
  expect(sent.text === body).toBe(true);
  expect(sent.headers["content-type"]).toBe("application/x-echo");
});

test("a body beyond the limit is refused before the backend is asked", async () => {
  const body = Buffer.alloc((16 << 20) + 1);
  const sent = await cluster.send(`${base}/pods/web:${port}/proxy/echo`, {}, { method: "POST", body });
  expect([sent.code, seen]).toEqual([413, []]);
});

test("the backend learns no credentials, and its errors are passed on", async () => {
  await cluster.send(`${base}/pods/web:${port}/proxy/`, { authorization: "Bearer x" });
  const missing = await cluster.send(`${base}/pods/web:${port}/proxy/missing`);
  expect(missing).toMatchObject({ code: 404, text: "not here" });
  expect(seen.every((line) => line.endsWith("authorization="))).toBe(true);
});

test("redirects lead through the proxy, and so does the proxy's own path", async () => {
  const prefix = `${base}/pods/web:${port}/proxy`;
  const { code, headers } = await cluster.send(`${prefix}/redirect`);
  expect([code, headers.location]).toEqual([302, `${prefix}/elsewhere/`]);
  const root = await cluster.send(`${prefix}?a=b`);
  expect([root.code, root.headers.location]).toEqual([301, `${prefix}/?a=b`]);
});

test.each([
  ["text/html;charset=utf-8", "", true],
  ["text/html", "gzip", true],
  ["text/html", "br", false],
  ["text/plain", "", false],
])(
  "links of a page of the type %j in the coding %j lead through the proxy: %j",
  async (type, coding, isRewritten) => {
    const prefix = `${base}/pods/web:${port}/proxy`;
    const { headers, bytes } = await cluster.send(`${prefix}/page?${type}?${coding}`);
    const page = coding === "gzip" ? gunzipSync(bytes) : bytes;
    expect(page.toString()).toBe(`<a href="${isRewritten ? prefix : ""}/x">a</a> <a href="y">b</a>`);
    expect([headers["content-type"], headers["content-encoding"] ?? ""]).toEqual([type, coding]);
  },
);

test("all cookies are passed on, and CORS is not", async () => {
  const { headers } = await cluster.send(`${base}/pods/web:${port}/proxy/cookies`);
  expect(headers["set-cookie"]).toEqual(["a=1", "b=2"]);
  expect(headers["access-control-allow-origin"]).toBeUndefined();
});

test("a Service is reached by its port's name, its number, and not without an endpoint", async () => {
  for (const id of ["front:http", "front:80", "http:front:http"]) {
    const { text } = await cluster.send(`${base}/services/${id}/proxy/x`);
    expect(text).toBe("GET /x authorization=");
  }
  const other = await cluster.send(`${base}/services/front:81/proxy/x`);
  expect(JSON.parse(other.text)).toMatchObject({
    code: 503,
    message: 'no service port 81 found for service "front"',
  });
  const unnamed = await cluster.send(`${base}/services/front/proxy/x`);
  expect(JSON.parse(unnamed.text)).toMatchObject({
    code: 503,
    message: 'no endpoints available for service "front"',
  });
});

test("an endpoint that is not its Pod's own address is not connected to", async () => {
  await cluster.addService("forged", port, "10.0.0.77");
  const { text } = await cluster.send(`${base}/services/forged:http/proxy/x`);
  expect([JSON.parse(text).code, seen]).toEqual([503, []]);
});

test("HTTPS to a Pod is not verified", async () => {
  const { certificate: cert, key } = await makeServingPair("pod", ["pod"], systemClock.now());
  const server = createTls({ cert, key }, (_, response) => response.end("secret")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const tlsPort = (server.address() as AddressInfo).port;
  const { text } = await cluster.send(`${base}/pods/https:web:${tlsPort}/proxy/`);
  expect(text).toBe("secret");
  server.closeAllConnections();
  server.close();
});

test("a backend that does not listen is unavailable", async () => {
  const { text } = await cluster.send(`${base}/pods/web:1/proxy/`);
  expect(JSON.parse(text)).toMatchObject({
    code: 503,
    reason: "ServiceUnavailable",
    message: "error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused",
  });
});

/** Upgrades a connection to the backend's protocol. */
async function talk(): Promise<Duplex> {
  const { port: at, credentials } = cluster;
  const headers = { connection: "Upgrade", upgrade: "shout" };
  const path = `${base}/pods/web:${port}/proxy/talk?a=b`;
  const sent = request({ host: "127.0.0.1", port: at, path, headers, ...credentials }).end();
  const [response, socket] = (await once(sent, "upgrade")) as [IncomingMessage, Duplex];
  expect([response.statusCode, response.headers.upgrade]).toEqual([101, "shout"]);
  socket.write("hello");
  expect(String((await once(socket, "data"))[0])).toBe("HELLO");
  return socket;
}

test("another protocol passes in both directions, until the client leaves", async () => {
  (await talk()).destroy();
  await expect.poll(() => seen).toEqual(["upgrade shout GET /talk?a=b authorization=", "ended"]);
});

test("the client's connection ends when the backend breaks off", async () => {
  const socket = await talk();
  socket.write("bye");
  await once(socket, "end");
  socket.destroy();
});

test("a refused upgrade is answered with the backend's refusal", async () => {
  const headers = { connection: "Upgrade", upgrade: "shout" };
  const answered = await cluster.send(`${base}/pods/web:${port}/proxy/refuse`, headers);
  expect(answered).toMatchObject({ code: 403, text: "nope" });
});

test("nodes/proxy reaches the kubelet with the API server's certificate", async () => {
  const { text: body } = await cluster.send(
    "/api/v1/nodes/far/proxy/echo?a=b",
    {},
    { method: "POST", body: "hi" },
  );
  expect(body).toBe("hi");
  const id = `far:${cluster.kubelet?.port}`;
  expect((await cluster.send(`/api/v1/nodes/${id}/proxy/nothing`)).code).toBe(404);
  expect(cluster.kubelet?.transcript).toEqual([
    "kube-apiserver-kubelet-client (system:masters): POST /echo?a=b",
    "kube-apiserver-kubelet-client (system:masters): GET /nothing",
  ]);
});

test.each([
  ["another port of the node", `far:1`, 400, "address not allowed"],
  ["a node that does not exist", "none", 404, 'nodes "none" not found'],
  ["an invalid name", "ftp:far:1", 400, 'invalid node request "ftp:far:1"'],
])("nodes/proxy refuses %s", async (_, id, code, message) => {
  const { text } = await cluster.send(`/api/v1/nodes/${id}/proxy/x`);
  expect(JSON.parse(text)).toMatchObject({ code, message });
  expect(cluster.kubelet?.transcript).toEqual([]);
});

/** Recorded from upstream's API server 1.36.3. */
test.each([
  ["pods/none/proxy/x", 404, 'pods "none" not found'],
  ["pods/a:b:c:d/proxy/x", 400, 'invalid pod request "a:b:c:d"'],
  ["pods/new/proxy/x", 400, "address not allowed"],
  ["services/none/proxy/x", 404, 'services "none" not found'],
  ["services/none:80/proxy/x", 404, 'services "none" not found'],
  ["pods/orphan/log", 404, 'pods "ghost" not found'],
])("the error of %s is upstream's", async (path, code, message) => {
  const { text } = await cluster.send(`${base}/${path}`);
  expect(JSON.parse(text)).toMatchObject({ code, message });
});

test("nodes/proxy never connects to loopback by default", async () => {
  const strict = await new StreamingCluster().start({ kubelet: "verified" });
  const { text } = await strict.send("/api/v1/nodes/node/proxy/echo");
  expect(JSON.parse(text)).toMatchObject({ code: 400, message: "address not allowed" });
  expect(strict.kubelet?.transcript).toEqual([]);
  strict.stop();
});

test("a node of this process answers at its kubelet's paths", async () => {
  cluster.node.log.splice(0, Infinity, "line\n");
  const of = (path: string) => cluster.send(`/api/v1/nodes/node/proxy${path}`);
  expect(await of("/healthz")).toMatchObject({ code: 200, text: "ok" });
  expect(await of("/containerLogs/default/web/main")).toMatchObject({ code: 200, text: "line\n" });
  expect(JSON.parse((await of("/pods")).text).items).toMatchObject([{ metadata: { name: "web" } }]);
  expect(JSON.parse((await of("/stats/summary")).text)).toMatchObject({ node: { nodeName: "node" } });
  expect(await of("/exec/default/web/main")).toMatchObject({ code: 404 });
});

test("the body of an answer that breaks off is not taken for a whole one", async () => {
  const broken = createServer((_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("part", () => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(broken, "listening");
  servers.push(broken);
  const { port: at } = broken.address() as AddressInfo;
  const sent = request({
    host: "127.0.0.1",
    port: cluster.port,
    path: `${base}/pods/web:${at}/proxy/`,
    ...cluster.credentials,
  }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await expect(text(response)).rejects.toThrow("aborted");
});
