import { afterEach, expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { aService, aSlice, endpoint } from "../builders.suite.ts";
import { freePort, tcpServer } from "../loopback.suite.ts";
import { type HealthCheck, HealthCheckServers, planHealthChecks } from "./health-checks.ts";

const node = { name: "node-1" };
const local = { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30_999 };

test("a load balancer with the policy Local has a check that counts the node's endpoints once", () => {
  const ports = [
    { name: "http", port: 80 },
    { name: "https", port: 443 },
  ];
  const slices = [
    aSlice(
      "web",
      [
        endpoint("10.244.0.1", { ready: true }, { nodeName: "node-1" }),
        endpoint("10.244.0.2", { ready: true }, { nodeName: "node-2" }),
      ],
      { ports },
    ),
  ];
  expect(planHealthChecks([aService("web", { ...local, ports })], slices, node)).toEqual([
    { namespace: "default", name: "web", port: 30_999, localEndpoints: 1 },
  ]);
  for (const spec of [{ type: "NodePort" }, { externalTrafficPolicy: "Cluster" }, { healthCheckNodePort: 0 }])
    expect(planHealthChecks([aService("web", { ...local, ...spec })], slices, node)).toEqual([]);
});

const warnings: object[] = [];
const log = { ...silentLogger, warn: (_: string, facts = {}) => void warnings.push(facts) };
let isHealthy = true;
const servers = new HealthCheckServers({ log }, () => isHealthy);
afterEach(async () => {
  isHealthy = true;
  warnings.splice(0);
  await servers.close();
});

const check = (port: number, localEndpoints: number): HealthCheck => ({
  namespace: "default",
  name: "web",
  port,
  localEndpoints,
});
const ask = (port: number) => fetch(`http://127.0.0.1:${port}/healthz`);

test("a check answers by the present number of endpoints, and closes with its Service", async () => {
  const port = await freePort();
  await servers.sync([check(port, 2)]);
  const answer = await ask(port);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("X-Load-Balancing-Endpoint-Weight")).toBe("2");
  expect(await answer.json()).toEqual({
    service: { namespace: "default", name: "web" },
    localEndpoints: 2,
    serviceProxyHealthy: true,
  });
  await servers.sync([check(port, 0)]);
  expect((await ask(port)).status).toBe(503);
  await servers.sync([]);
  await expect(ask(port)).rejects.toThrow("fetch failed");
});

test("no node with a failing proxy is healthy", async () => {
  const port = await freePort();
  await servers.sync([check(port, 2)]);
  isHealthy = false;
  expect((await ask(port)).status).toBe(503);
});

test("a port in use is reported and does not keep others from answering", async () => {
  const [taken, port] = [await tcpServer((socket) => socket.end()), await freePort()];
  await servers.sync([check(taken, 1), check(port, 1)]);
  expect((await ask(port)).status).toBe(200);
  expect(warnings).toEqual([
    { service: "default/web", port: taken, error: expect.stringContaining("EADDRINUSE") },
  ]);
});
