import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeUnavailable } from "../../src/kubelet/native/native-runtime.ts";
import { thisHost } from "../../src/network/host.ts";
import { policyObstacle } from "../../src/network/policy/nftables/obstacle.ts";
import { nftablesObstacle } from "../../src/network/services/nftables/obstacle.ts";
import { findKubectl } from "../find-kubectl.ts";
import { hostState } from "./host-state.ts";
import { LocalCluster } from "./local-cluster.ts";

const version = ["1.33", undefined].find((one) => findKubectl(one) !== undefined);
const obstacle =
  nativeUnavailable() ??
  (findKubectl(version) === undefined ? "kubectl is not on the PATH" : undefined) ??
  (await nftablesObstacle(thisHost)) ??
  (await policyObstacle(thisHost));
if (obstacle !== undefined)
  process.stderr.write(`NetworkPolicies of a cluster are not tested: ${obstacle}\n`);

const pod = (name: string, script: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: name } },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: "main",
        image: "knarr.local/host:latest",
        imagePullPolicy: "IfNotPresent",
        command: ["node", "-e", script],
        ports: [{ name: "http", containerPort: 8080 }],
      },
    ],
  },
});
const policy = (name: string, spec: object) => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name },
  spec: { podSelector: { matchLabels: { app: "server" } }, ...spec },
});
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "server" },
  spec: { selector: { app: "server" }, ports: [{ port: 80, targetPort: "http" }] },
};

describe.skipIf(obstacle !== undefined)("NetworkPolicies of a cluster with real containers", () => {
  const before = obstacle === undefined ? hostState() : {};
  const cluster = new LocalCluster(version);
  const apply = (...items: readonly object[]) => {
    const file = join(cluster.directory, "objects.json");
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    return cluster.kubectl("apply", "-f", file);
  };
  /** Calls a port from the client's container; the server's answer, or `refused`. */
  const call = (host: string, port: number) => {
    const script = `
      const end = (text) => { console.log(text); process.exit(); };
      require("net").connect(${port}, "${host}").setTimeout(500, () => end("refused"))
        .on("data", (text) => end(text.toString())).on("error", (error) => end(error.code));`;
    return cluster.kubectl("exec", "client", "--", "node", "-e", script);
  };

  beforeAll(async () => {
    await cluster.start("--cleanup");
  });
  afterAll(async () => {
    await cluster.dispose();
  });

  it("isolates Pods from their start, admits what policies allow, and leaves the node's probes alone", async () => {
    expect(await apply(policy("deny", {}))).toBe("networkpolicy.networking.k8s.io/deny created\n");
    const server = pod("server", "require('net').createServer((socket) => socket.end('hello')).listen(8080)");
    const [container] = server.spec.containers;
    const probed = { ...container, readinessProbe: { tcpSocket: { port: "http" }, periodSeconds: 1 } };
    await apply(
      { ...server, spec: { ...server.spec, containers: [probed] } },
      pod("client", "setInterval(() => {}, 1000)"),
      service,
    );
    await cluster.kubectl("wait", "--for=condition=Ready", "pod", "--all", "--timeout=60s");
    const address = await cluster.kubectl("get", "pod", "server", "-o", "jsonpath={.status.podIP}");
    expect(await call(address, 8080)).toBe("refused\n");
    const from = [{ podSelector: { matchLabels: { app: "client" } } }];
    await apply(policy("allow", { ingress: [{ from, ports: [{ port: "http" }] }] }));
    await expect.poll(() => call(address, 8080), { timeout: 10_000 }).toBe("hello\n");
    await expect.poll(() => call("server", 80), { timeout: 10_000 }).toBe("hello\n");
  });

  it("leaves nothing on the machine", async () => {
    expect(await cluster.stop()).toBe(0);
    expect(hostState()).toEqual(before);
  });
});
