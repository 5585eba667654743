import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { certificateSigningRequests } from "../../src/api/certificates/certificate-signing-request/schema.ts";
import { nodes, pods } from "../../src/api/index.ts";
import { startCluster, type TestCluster } from "../../src/testing/index.ts";
import { systemClock } from "../../src/util/clock.ts";
import { knarr } from "./knarr.ts";

let cluster: TestCluster;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "knarr-kubelet-"));
  cluster = await startCluster({ clock: systemClock, port: 0, nodes: 0 });
  writeFileSync(join(directory, "bootstrap"), cluster.kubeconfig(), { mode: 0o600 });
});
afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // Safe: the server listens on TCP.
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function start(...line: readonly string[]) {
  let end: (signal: NodeJS.Signals) => void = () => {};
  const ended = knarr(["kubelet", ...line], { cwd: directory, onStart: (kill) => (end = kill) });
  return {
    stop: () => {
      end("SIGTERM");
      return ended;
    },
  };
}

test("a kubelet as a program gets a certificate, registers its node, runs Pods and serves HTTPS", async () => {
  const port = await freePort();
  const kubeconfig = join(directory, "kubeconfig");
  const config = join(directory, "config.yaml");
  const kind = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" };
  writeFileSync(config, JSON.stringify({ ...kind, address: "127.0.0.1", port, maxPods: 7 }));
  const line = ["--kubeconfig", kubeconfig, "--bootstrap-kubeconfig", join(directory, "bootstrap")];
  line.push("--config", config, "--hostname-override", "worker-1", "--node-ip", "127.0.0.1");
  line.push("--node-labels", "a=b", "--register-with-taints", "k=v:PreferNoSchedule");
  line.push("--runtime", "simulated", "--root-dir", join(directory, "root"));
  const first = start(...line);
  const isReady = async () => {
    const found = (await cluster.client.of(nodes).list()).items[0];
    return (
      found?.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true
    );
  };
  await cluster.waitFor(isReady, 30_000);
  const node = await cluster.client.of(nodes).get("worker-1");
  expect(node.metadata.labels).toMatchObject({ a: "b", "kubernetes.io/hostname": "worker-1" });
  expect(node.spec.taints).toContainEqual({ key: "k", value: "v", effect: "PreferNoSchedule" });
  expect(node.status).toMatchObject({
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    declaredFeatures: expect.arrayContaining(["ExtendWebSocketsToKubelet"]) as unknown,
    capacity: { pods: "7" },
  });
  const own = cluster.client.of(pods, "default");
  await own.create({
    metadata: { name: "web" },
    spec: { containers: [{ name: "c", image: "example/web" }] },
  });
  await cluster.waitFor(async () => (await own.get("web")).status.phase === "Running", 30_000);
  const anonymous = get(`https://127.0.0.1:${port}/pods`, { rejectUnauthorized: false });
  // Safe: a request's `response` event has one argument.
  const [answer] = (await once(anonymous, "response")) as [IncomingMessage];
  expect([answer.statusCode, await text(answer)]).toEqual([401, "Unauthorized"]);
  expect((await first.stop()).code).toBe(0);

  const written = readFileSync(kubeconfig, "utf8");
  const second = start(...line);
  await cluster.waitFor(isReady, 30_000);
  expect((await second.stop()).stderr).not.toContain("requests a client certificate");
  expect(readFileSync(kubeconfig, "utf8")).toBe(written);
  expect((await cluster.client.of(certificateSigningRequests).list()).items).toHaveLength(1);
});

test("a configuration that the kubelet does not obey is refused", async () => {
  const config = join(directory, "refused.yaml");
  writeFileSync(
    config,
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nstaticPodPath: /x\n",
  );
  const { code, stderr } = await knarr(["kubelet", "--config", config, "--hostname-override", "n"], {
    cwd: directory,
  });
  expect(code).toBe(1);
  expect(stderr).toContain("staticPodPath: Forbidden: this kubelet does not obey it");
});
