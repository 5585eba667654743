import { request } from "node:http";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeUnavailable } from "../../src/kubelet/native/native-runtime.ts";
import { findKubectl } from "../find-kubectl.ts";
import { hostState } from "./host-state.ts";
import { LocalCluster } from "./local-cluster.ts";

const version = ["1.33", undefined].find((one) => findKubectl(one) !== undefined);
const obstacle =
  nativeUnavailable() ?? (findKubectl(version) === undefined ? "kubectl is not on the PATH" : undefined);
if (obstacle !== undefined) process.stderr.write(`Ingresses of a cluster are not tested: ${obstacle}\n`);

const server = "require('http').createServer((q, r) => r.end('hello ' + q.url)).listen(8080)";
const objects = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: {
          containers: [
            {
              name: "main",
              image: "knarr.local/host:latest",
              imagePullPolicy: "IfNotPresent",
              command: ["node", "-e", server],
              readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
  },
];

/** Resolves to the answer, or to the reason why there is none. */
function call(address: string, host: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    request({ host: address, port: 80, path, headers: { host } }, (answer) => resolve(text(answer)))
      .on("error", (error) => resolve(error.message))
      .end();
  });
}

describe.skipIf(obstacle !== undefined)("Ingresses of a cluster with real containers", () => {
  const before = obstacle === undefined ? hostState() : {};
  const cluster = new LocalCluster(version);

  beforeAll(async () => {
    await cluster.start("--cleanup");
  });
  afterAll(async () => {
    await cluster.dispose();
  });

  it("get the default class and an address, at which the Service's Pods answer until they are deleted", async () => {
    const file = join(cluster.directory, "objects.json");
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    await cluster.kubectl("apply", "-f", file);
    await cluster.kubectl("create", "ingress", "web", "--rule=shop.example/api*=web:80");
    await cluster.kubectl("rollout", "status", "deployment/web", "--timeout=60s");
    const read = (path: string) => cluster.kubectl("get", "ingress", "web", "-o", `jsonpath={${path}}`);
    expect(await read(".spec.ingressClassName")).toBe("knarr");
    await expect.poll(() => read(".status.loadBalancer.ingress[0].ip")).toMatch(/^127\.\d+\.\d+\.254$/);
    const address = await read(".status.loadBalancer.ingress[0].ip");
    await expect.poll(() => call(address, "shop.example", "/api/x")).toBe("hello /api/x");
    expect(await call(address, "shop.example", "/other")).toContain("no Ingress has a rule");
    await cluster.kubectl("delete", "ingress", "web");
    await expect.poll(() => call(address, "shop.example", "/api/x")).toContain("ECONNREFUSED");
  });

  it("leave nothing on the machine", async () => {
    expect(await cluster.stop()).toBe(0);
    expect(hostState()).toEqual(before);
  });
});
