import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Containerd,
  containerdUnavailable,
  startContainerd,
  testImage,
} from "../../src/kubelet/cri/containerd.suite.ts";
import { findKubectl } from "../find-kubectl.ts";
import { collect } from "../streaming/kubectl.ts";
import { hostState } from "./host-state.ts";
import { LocalCluster } from "./local-cluster.ts";

const obstacle =
  containerdUnavailable() ?? (findKubectl() === undefined ? "kubectl is not on the PATH" : undefined);
if (obstacle !== undefined) process.stderr.write(`A cluster over containerd is not tested: ${obstacle}\n`);

const server = `require("http").createServer((_, r) => r.end("hi from " + require("os").hostname())).listen(8080)`;
const manifest = JSON.stringify({
  apiVersion: "v1",
  kind: "List",
  items: [
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", labels: { app: "web" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        runtimeClassName: "second",
        containers: [
          {
            name: "web",
            image: testImage,
            imagePullPolicy: "Never",
            command: ["node", "-e", server],
            readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
          },
        ],
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    },
  ],
});
const runtimeClass = JSON.stringify({
  apiVersion: "node.k8s.io/v1",
  kind: "RuntimeClass",
  metadata: { name: "second" },
  handler: "second",
});

describe.skipIf(obstacle !== undefined)("a cluster over containerd", () => {
  let containerd: Containerd;
  const before = obstacle === undefined ? hostState() : {};
  const cluster = new LocalCluster();
  const kubectl = (...args: readonly string[]) => cluster.kubectl(...args);
  const start = (...flags: readonly string[]) =>
    cluster.start("--container-runtime-endpoint", `unix://${containerd.socket}`, ...flags);
  const create = async (text: string) => {
    const { stderr, code } = await collect(cluster.startKubectl("create", "-f", "-"), text);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  };
  const container = () =>
    kubectl("get", "pod", "web", "-o", "jsonpath={.status.containerStatuses[0].containerID}");

  beforeAll(async () => {
    containerd = await startContainerd();
    await start();
  }, 60_000);
  afterAll(async () => {
    await cluster.dispose();
    await containerd.stop();
    expect(hostState()).toEqual(before);
  }, 60_000);

  it("reports the runtime's version, and runs Pods with the handler of their RuntimeClass", async () => {
    const node = ["get", "node", "node-1", "-o", "jsonpath={.status.nodeInfo.containerRuntimeVersion}"];
    expect(await kubectl(...node)).toMatch(/^containerd:\/\/\d/);
    await create(runtimeClass);
    await create(manifest);
    await kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=60s");
    expect(await container()).toMatch(/^containerd:\/\/[0-9a-f]{64}$/);
  });

  it("limits the whole Pod, and not only its containers", async () => {
    const uid = await kubectl("get", "pod", "web", "-o", "jsonpath={.metadata.uid}");
    const [file = ""] = globSync(`/sys/fs/cgroup/{pids/,}knarr-*/pod${uid}_0/pids.max`);
    expect(Number(readFileSync(file, "utf8"))).toBeGreaterThan(0);
    const [own = ""] = globSync(`${dirname(file)}/*/cgroup.procs`);
    expect(readFileSync(own, "utf8")).not.toBe("");
  });

  it("resolves Services in Pods, and connects to them", async () => {
    const call = `fetch("http://web.default.svc.cluster.local").then((r) => r.text()).then(console.log)`;
    expect(await kubectl("exec", "web", "--", "node", "-e", call)).toBe("hi from web\n");
  });

  it("adopts the containers after a restart, and removes everything in the end", async () => {
    const id = await container();
    await cluster.stop();
    await start("--cleanup");
    await kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=60s");
    expect(await container()).toBe(id);
  });
});
