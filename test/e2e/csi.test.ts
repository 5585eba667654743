import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeUnavailable } from "../../src/kubelet/native/native-runtime.ts";
import { TestDriver } from "../../src/kubelet/volumes/csi/driver.suite.ts";
import { findKubectl } from "../find-kubectl.ts";
import { collect } from "../streaming/kubectl.ts";
import { hostState } from "./host-state.ts";
import { LocalCluster } from "./local-cluster.ts";

const obstacle =
  nativeUnavailable() ?? (findKubectl() === undefined ? "kubectl is not on the PATH" : undefined);
if (obstacle !== undefined) process.stderr.write(`CSI is not tested: ${obstacle}\n`);

const objects = [
  { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name: "csi.test" }, spec: {} },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "disk" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "none",
      csi: { driver: "csi.test", volumeHandle: "disk-1" },
    },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "none",
    },
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "writer" },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: "writer",
          image: "knarr.local/host:latest",
          command: ["sh", "-c", "echo written >/data/file; exec sleep 1000000"],
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    },
  },
];

describe.skipIf(obstacle !== undefined)("a volume of a CSI driver, in real containers", () => {
  const before = obstacle === undefined ? hostState() : {};
  const own = mkdtempSync(join(tmpdir(), "knarr-csi-e2e-"));
  const cluster = new LocalCluster();
  const kubectl = (...args: readonly string[]) => cluster.kubectl(...args);
  const backing = join(own, "backing");
  const driver = new TestDriver({
    directory: own,
    registry: join(cluster.directory, "plugins_registry"),
    topology: { "topology.csi.test/node": "here" },
    mount: (directory) => void execFileSync("mount", ["--bind", backing, directory]),
    unmount: (directory) => void execFileSync("umount", [directory]),
  });
  let endsClean = false;
  const mounts = () =>
    readFileSync("/proc/self/mounts", "utf8")
      .split("\n")
      .filter((line) => line.includes(`${cluster.directory}/pods`));

  beforeAll(async () => {
    mkdirSync(backing);
    await cluster.start();
    await driver.start();
  });
  afterAll(async () => {
    // After a failure, another start removes what is left.
    if (!endsClean) await cluster.stop().then(() => cluster.start("--cleanup"));
    await cluster.dispose();
    driver.stop();
    rmSync(own, { recursive: true });
    expect(hostState()).toEqual(before);
  });

  it("is shown in the CSINode", async () => {
    await kubectl("wait", "--for=create", "csinode/node-1", "--timeout=30s");
    const drivers = JSON.parse(await kubectl("get", "csinode", "node-1", "-o", "jsonpath={.spec.drivers}"));
    expect(drivers).toEqual([{ name: "csi.test", nodeID: "id-1", topologyKeys: ["topology.csi.test/node"] }]);
  });

  it("is mounted once its driver's attacher has attached it", async () => {
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
    const { stderr, code } = await collect(cluster.startKubectl("apply", "-f", "-"), list);
    expect([stderr, code]).toEqual(["", 0]);
    const attached = JSON.stringify({ status: { attached: true } });
    const name = await cluster.untilKubectl("get", "volumeattachment", "-o", "name");
    expect(driver.calls).toEqual([]);
    await kubectl("patch", name, "--subresource=status", "--type=merge", "-p", attached);
    await kubectl("wait", "--for=condition=Ready", "pod/writer", "--timeout=60s");
    expect(driver.calls).toEqual(["stage disk-1", "publish disk-1"]);
    expect(readFileSync(join(backing, "file"), "utf8")).toBe("written\n");
    expect(await kubectl("get", "node", "node-1", "-o", "jsonpath={.status.volumesInUse}")).toBe(
      '["kubernetes.io/csi/csi.test^disk-1"]',
    );
  });

  it("is unmounted after a restart, before its Pod is gone", async () => {
    await cluster.stop();
    expect(mounts()).toHaveLength(1);
    // A Pod that was deleted while no agent ran.
    const orphan = join(cluster.directory, "pods", "00000000-0000-4000-8000-000000000000");
    mkdirSync(join(orphan, "files"), { recursive: true });
    await cluster.start("--cleanup");
    endsClean = true;
    await kubectl("delete", "pod", "writer", "--timeout=60s");
    expect(mounts()).toEqual([]);
    expect(driver.calls.slice(-2)).toEqual(["unpublish disk-1", "unstage disk-1"]);
    expect(readdirSync(backing)).toEqual(["file"]);
    expect(existsSync(orphan)).toBe(false);
    expect(await kubectl("get", "node", "node-1", "-o", "jsonpath={.status.volumesInUse}")).toBe("");
  });
});
