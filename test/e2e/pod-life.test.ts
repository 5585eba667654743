import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeUnavailable } from "../../src/kubelet/native/native-runtime.ts";
import { findKubectl } from "../find-kubectl.ts";
import { collect } from "../streaming/kubectl.ts";
import { hostState } from "./host-state.ts";
import { LocalCluster } from "./local-cluster.ts";

const obstacle =
  nativeUnavailable() ?? (findKubectl() === undefined ? "kubectl is not on the PATH" : undefined);
if (obstacle !== undefined) process.stderr.write(`The life of Pods is not tested: ${obstacle}\n`);

const size = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "sized" },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: "c",
        image: "knarr.local/host:latest",
        command: ["sleep", "1000000"],
        resources: size("100m", "64Mi"),
        resizePolicy: [{ resourceName: "memory", restartPolicy: "NotRequired" }],
      },
    ],
  },
};
const limits = `cd /sys/fs/cgroup
if [ -e cpu.max ]; then read quota period < cpu.max; echo $quota $(cat memory.max)
else echo $(cat cpu/cpu.cfs_quota_us) $(cat memory/memory.limit_in_bytes); fi`;

describe.skipIf(obstacle !== undefined)("a Pod in a real container", () => {
  const before = obstacle === undefined ? hostState() : {};
  const cluster = new LocalCluster();
  const kubectl = (...args: readonly string[]) => cluster.kubectl(...args);

  beforeAll(async () => {
    await cluster.start("--cleanup");
  });
  afterAll(async () => {
    await cluster.dispose();
    expect(hostState()).toEqual(before);
  });

  it("gets other sizes while it runs", async () => {
    const { stderr, code } = await collect(cluster.startKubectl("apply", "-f", "-"), JSON.stringify(pod));
    expect([stderr, code]).toEqual(["", 0]);
    await kubectl("wait", "--for=condition=Ready", "pod/sized", "--timeout=60s");
    expect(await kubectl("exec", "sized", "--", "sh", "-c", limits)).toBe(`10000 ${64 << 20}\n`);
    const patch = { spec: { containers: [{ name: "c", resources: size("200m", "96Mi") }] } };
    await kubectl("patch", "pod", "sized", "--subresource=resize", "-p", JSON.stringify(patch));
    const status = "{.status.containerStatuses[0].resources.limits.memory}";
    await kubectl("wait", `--for=jsonpath=${status}=96Mi`, "pod/sized", "--timeout=30s");
    await kubectl("wait", "--for=jsonpath={.status.resources.limits.cpu}=200m", "pod/sized", "--timeout=30s");
    expect(await kubectl("exec", "sized", "--", "sh", "-c", limits)).toBe(`20000 ${96 << 20}\n`);
    const restarts = "{.status.containerStatuses[0].restartCount}";
    expect(await kubectl("get", "pod", "sized", "-o", `jsonpath=${restarts}`)).toBe("0");
    const reasons = await kubectl("events", "--for=pod/sized", "-o", "jsonpath={.items[*].reason}");
    expect(reasons).toContain("ResizeStarted ResizeCompleted");
  });

  it("has its log rotated while it is followed", async () => {
    const line = "x".repeat(1000);
    const script = `i=0; while [ $i -lt 12000 ]; do echo $i ${line}; i=$((i+1)); done; sleep 15; echo last`;
    const writer = { name: "c", image: "knarr.local/host:latest", command: ["sh", "-c", script] };
    const spec = { terminationGracePeriodSeconds: 0, restartPolicy: "Never", containers: [writer] };
    const writing = { apiVersion: "v1", kind: "Pod", metadata: { name: "writer" }, spec };
    await collect(cluster.startKubectl("apply", "-f", "-"), JSON.stringify(writing));
    await kubectl("wait", "--for=condition=Ready", "pod/writer", "--timeout=60s");
    const shown = await kubectl("logs", "writer", "--follow");
    const lines = shown.trimEnd().split("\n");
    expect([lines.length, lines[0]?.slice(0, 3), lines.at(-1)]).toEqual([12_001, "0 x", "last"]);
    const files = readdirSync(join(cluster.directory, "logs"), { recursive: true, encoding: "utf8" });
    expect(files.filter((one) => /writer.*\/0\.log\.\d{8}-\d{6}$/.test(one))).toHaveLength(1);
    await kubectl("delete", "pod", "writer", "--wait=true");
  });

  it("waits for sizes that the node does not have", async () => {
    const patch = { spec: { containers: [{ name: "c", resources: size("9000", "96Mi") }] } };
    await kubectl("patch", "pod", "sized", "--subresource=resize", "-p", JSON.stringify(patch));
    await kubectl("wait", "--for=condition=PodResizePending", "pod/sized", "--timeout=30s");
    const message = '{.status.conditions[?(@.type=="PodResizePending")].message}';
    expect(await kubectl("get", "pod", "sized", "-o", `jsonpath=${message}`)).toMatch(
      /^Node didn't have enough resource: cpu, requested: 9000000, used: 0, capacity: \d+$/,
    );
    expect(await kubectl("exec", "sized", "--", "sh", "-c", limits)).toBe(`20000 ${96 << 20}\n`);
  });
});
