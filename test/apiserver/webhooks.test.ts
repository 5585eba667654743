import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bed, type Json, startBed } from "../../src/apiserver/server.suite.ts";
import { sendHttps } from "../../src/apiserver/webhooks/https.ts";
import { WebhookClient, type WebhookTarget } from "../../src/apiserver/webhooks/webhook-client.ts";
import { ensurePki, type Pki } from "../../src/cluster/pki.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { systemRandom } from "../../src/util/random.ts";

/** Webhook calls over this machine's loopback, with real certificates and real time. */
const env = { clock: systemClock, random: systemRandom, log: silentLogger };

let pki: Pki;
let server: Server;
let port: number;
let bed: Bed;
let client: WebhookClient;
const asked: string[] = [];

beforeAll(async () => {
  pki = await ensurePki({ env, directory: undefined, serverNames: ["127.0.0.1", "hook.default.svc"] });
  server = createServer({ key: pki.server.key, cert: pki.server.certificate }, (request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${request.url}`);
    if (request.url?.startsWith("/never") === true) return;
    request.on("data", (chunk: Buffer) => response.write(chunk)).on("end", () => response.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function start(): Promise<void> {
  bed = await startBed();
  client = new WebhookClient({ ...bed.server.services, env }, sendHttps);
}

const caBundle = () => Buffer.from(pki.ca.certificate).toString("base64");
const ask = async (target: WebhookTarget, waitMs?: number): Promise<string> =>
  client.post({ caBundle: caBundle(), ...target }, "{}", waitMs).catch((error: Error) => error.message);

test("a webhook is called by its URL, over one connection", async () => {
  await start();
  const url = `https://127.0.0.1:${port}/convert`;
  let connections = 0;
  server.on("connection", () => (connections += 1));
  expect(await ask({ url })).toBe("{}");
  expect(await ask({ url })).toBe("{}");
  expect(connections).toBe(1);
  expect(asked.at(-1)).toBe(`POST 127.0.0.1:${port} /convert?timeout=30s`);
});

test("a webhook's certificate must be signed by the given authority", async () => {
  await start();
  const url = `https://127.0.0.1:${port}/`;
  const stranger = await ensurePki({ env, directory: undefined, serverNames: [] });
  const other = Buffer.from(stranger.ca.certificate).toString("base64");
  const unknown = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  for (const caBundle of ["", Buffer.from(" \n").toString("base64"), other]) {
    expect(await ask({ url, caBundle })).toBe(`Post "${url}?timeout=30s": ${unknown}`);
  }
  const named = `https://localhost:${port}/`;
  expect(await ask({ url: named })).toMatch(/^Post .*tls: failed to verify certificate: .*localhost/);
});

test("an unreachable or silent webhook is reported", async () => {
  await start();
  const refused = "dial tcp 127.0.0.1:9: connect: connection refused";
  expect(await ask({ url: "https://127.0.0.1:9" })).toBe(
    `Post "https://127.0.0.1:9/?timeout=30s": ${refused}`,
  );
  const url = `https://127.0.0.1:${port}/never`;
  expect(await ask({ url }, 50)).toBe(`Post "${url}?timeout=0.05s": context deadline exceeded`);
});

const service = { namespace: "default", name: "hook" };

async function makeService(spec: object): Promise<void> {
  await bed.make("/api/v1/namespaces/default/services", { metadata: { name: "hook" }, spec });
}

async function makeSlice(address: string, ready: boolean, ports: Json): Promise<void> {
  await bed.make("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
    metadata: { generateName: "hook-", labels: { "kubernetes.io/service-name": "hook" } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready } }],
    ports,
  });
}

test("a webhook behind a Service is called under the Service's name", async () => {
  await start();
  await makeService({ type: "ExternalName", externalName: "127.0.0.1" });
  expect(await ask({ service: { ...service, path: "/x", port } })).toBe("{}");
  expect(asked.at(-1)).toBe(`POST hook.default.svc:${port} /x?timeout=30s`);
});

test("a Service is reached at a ready endpoint, or else at its own address", async () => {
  await start();
  const addresses: unknown[] = [];
  const reads = { ...bed.server.services, env };
  client = new WebhookClient(reads, ({ address }) => {
    addresses.push(address);
    return Promise.resolve({ status: 200, contentType: "", body: "{}" });
  });
  await makeService({ clusterIP: "10.96.0.7", ports: [{ name: "https", port: 443 }] });
  await makeSlice("10.1.0.2", false, [{ name: "https", port: 8443 }]);
  await ask({ service });
  await makeSlice("10.1.0.3", true, [
    { name: "other", port: 9 },
    { name: "https", port: 9443 },
  ]);
  await ask({ service });
  expect(addresses).toEqual([
    { host: "10.96.0.7", port: 443 },
    { host: "10.1.0.3", port: 9443 },
  ]);
});

test.each<[string, object | undefined, number, string]>([
  ["does not exist", undefined, 443, 'service "hook" not found'],
  ["lacks the port", { ports: [{ port: 80 }] }, 443, 'no service port 443 found for service "hook"'],
  [
    "has neither endpoints nor an address",
    { clusterIP: "None", ports: [{ port: 443 }] },
    443,
    'cannot route to service with ClusterIP "None"',
  ],
  [
    "is a name outside of the cluster",
    { type: "ExternalName", externalName: "127.0.0.1" },
    9,
    "dial tcp 127.0.0.1:9: connect: connection refused",
  ],
])("a Service that %s is reported", async (_, spec, port, problem) => {
  await start();
  if (spec !== undefined) await makeService(spec);
  const url = `https://hook.default.svc:${port}/?timeout=30s`;
  expect(await ask({ service: { ...service, port } })).toBe(`Post "${url}": ${problem}`);
});
