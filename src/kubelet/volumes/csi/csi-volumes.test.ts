import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { attachmentName, uniqueName } from "../../../api/core/persistent-volume/csi-names.ts";
import { persistentVolumeClaims } from "../../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../../api/core/persistent-volume/schema.ts";
import { csiDrivers } from "../../../api/storage/csi-driver/schema.ts";
import { decode } from "../../../meta/decode.ts";
import { silentLogger } from "../../../util/logger.ts";
import { systemRandom } from "../../../util/random.ts";
import { VirtualClock } from "../../../util/virtual-clock.ts";
import type { NodeContext } from "../../node-context.ts";
import { nodeContext } from "../../node-context.suite.ts";
import { PluginWatcher } from "../../plugins/plugin-watcher.ts";
import { aPod } from "../../pod/builders.suite.ts";
import { VolumeManager } from "../manager.ts";
import { PlainApi } from "./api.suite.ts";
import { CsiVolumes } from "./csi-volumes.ts";
import { Mode, TestDriver, type TestDriverOptions } from "./driver.suite.ts";
import { CsiDrivers } from "./drivers.ts";

let directory: string;
let api: PlainApi;
let clock: VirtualClock;
let node: NodeContext;
let events: string[];
let driver: TestDriver;
let manager: VolumeManager;
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knarr-csi-"));
  mkdirSync(join(directory, "driver"));
  api = new PlainApi();
  clock = new VirtualClock();
  events = [];
  const event = (_: unknown, __: string, reason: string, message: string) =>
    events.push(`${reason}: ${message}`);
  const env = { clock, random: systemRandom, log: silentLogger };
  // Safe: nothing else of the node is used.
  node = nodeContext({ name: "n", env, client: { of: api.of }, events: { event } });
  api.objects.set("nodes/n", { metadata: { name: "n", uid: "node-uid" }, status: {} });
});
afterEach(async () => {
  stop?.abort();
  await running;
  driver?.stop();
  rmSync(directory, { recursive: true });
});

const pods = () => join(directory, "pods");
const registry = () => join(directory, "registry");

/** Starts a node agent, which has no memory of an earlier one. */
async function startAgent(): Promise<void> {
  stop?.abort();
  await running;
  stop = new AbortController();
  const plugins = join(directory, "plugins");
  const csi = new CsiVolumes({ pods: pods(), plugins, registry: registry() });
  manager = new VolumeManager(pods(), csi);
  running = manager.run(node, stop.signal);
  const count = driver.results.length;
  while (driver.results.length === count) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

async function start(options: Partial<TestDriverOptions> = {}, spec: object = {}): Promise<void> {
  driver = new TestDriver({ directory: join(directory, "driver"), registry: registry(), ...options });
  await driver.start();
  addDriver(spec);
  addVolume();
  await startAgent();
}

const addDriver = (spec: object) =>
  api.objects.set(
    "csidrivers/csi.test",
    decode(csiDrivers.schema, { metadata: { name: "csi.test" }, spec: { attachRequired: false, ...spec } }),
  );

function addVolume(spec: object = {}, csi: object = {}, capacity = "1Gi"): void {
  const claim = {
    metadata: { name: "data", namespace: "ns", uid: "c1" },
    spec: { volumeName: "pv" },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
  };
  const volume = {
    metadata: { name: "pv" },
    spec: {
      claimRef: { namespace: "ns", name: "data", uid: "c1" },
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: capacity },
      csi: { driver: "csi.test", volumeHandle: "disk", ...csi },
      ...spec,
    },
  };
  api.objects.set("persistentvolumeclaims/data", decode(persistentVolumeClaims.schema, claim));
  api.objects.set("persistentvolumes/pv", decode(persistentVolumes.schema, volume));
}

const aUser = (uid = "u1", spec: object = {}) =>
  aPod(
    { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }], ...spec },
    { uid, name: uid },
  );
const inline = (source: object = {}) =>
  aPod({ volumes: [{ name: "v", csi: { driver: "csi.test", ...source } }] }, { uid: "u1" });
const prepare = async (pod = aUser(), signal?: AbortSignal) =>
  (await manager.prepare(node, pod, signal)).get("v");
const files = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name);

describe.skipIf(process.platform !== "linux")("a CSI driver", () => {
  test("is shown in the node's objects, with its topology and limit", async () => {
    await start({ topology: { "topology.test/zone": "a" }, maxVolumes: 5n });
    expect(driver.results).toEqual([""]);
    expect(api.objects.get("csinodes/n")).toEqual({
      metadata: {
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "node-uid" }],
      },
      spec: {
        drivers: [
          {
            name: "csi.test",
            nodeID: "id-1",
            topologyKeys: ["topology.test/zone"],
            allocatable: { count: 5 },
          },
        ],
      },
    });
    expect(api.objects.get("nodes/n")).toMatchObject({
      metadata: {
        labels: { "topology.test/zone": "a" },
        annotations: {
          "csi.volume.kubernetes.io/nodeid": '{"csi.test":"id-1"}',
          "volumes.kubernetes.io/controller-managed-attach-detach": "true",
        },
      },
    });
  });

  test.each<readonly [what: string, options: Partial<TestDriverOptions>, why: string]>([
    ["of another type", { type: "Other" }, "no handler registered for plugin type: Other"],
    ["with a path as its name", { name: "../x" }, 'invalid CSI driver name: "../x"'],
    ["of an unknown version", { versions: ["0.3.0"] }, 'the versions specified ["0.3.0"] are supported'],
    [
      "that contradicts the node's labels",
      { topology: { zone: "b" } },
      'topology value collision: driver reported "zone":"b" but existing label is "zone":"a"',
    ],
  ])("%s is refused, and told so", async (_, options, why) => {
    api.objects.set("nodes/n", { metadata: { name: "n", labels: { zone: "a" } }, status: {} });
    await start(options);
    expect(driver.results).toEqual([expect.stringContaining(why)]);
    expect(api.objects.has("csinodes/n")).toBe(false);
  });

  test("is registered again after a restart, and forgotten with its socket", async () => {
    driver = new TestDriver({ directory: join(directory, "driver"), registry: registry() });
    const drivers = new CsiDrivers(node);
    const watcher = new PluginWatcher({
      env: node.env,
      directory: registry(),
      handlers: new Map([["CSIPlugin", drivers]]),
    });
    const { signal } = new AbortController();
    await driver.start();
    await watcher.check(signal);
    await watcher.check(signal);
    expect(driver.results).toEqual([""]);
    driver.stop();
    await watcher.check(signal);
    expect(() => drivers.get("csi.test")).toThrow("not found in the list of registered CSI drivers");
    expect(api.objects.get("csinodes/n")).toMatchObject({ spec: { drivers: [] } });
    await driver.start();
    await watcher.check(signal);
    expect(driver.results).toEqual(["", ""]);
    drivers.close();
  });
});

describe.skipIf(process.platform !== "linux")("a volume of a CSI driver", () => {
  test("is staged once for two Pods, and unstaged after the last", async () => {
    await start();
    expect(await prepare()).toEqual({ path: join(pods(), "u1/csi/v/mount"), readOnly: false });
    await prepare();
    await prepare(aUser("u2"));
    expect(driver.calls).toEqual(["stage disk", "publish disk", "stage disk", "publish disk"]);
    await manager.remove(node, "u1");
    await manager.remove(node, "u2");
    expect(driver.calls.slice(4)).toEqual(["unpublish disk", "unpublish disk", "unstage disk"]);
    expect(readdirSync(pods())).toEqual([]);
    expect(files(join(directory, "plugins"))).toEqual([]);
  });

  test("is unmounted by a restarted node agent", async () => {
    await start();
    await prepare();
    await startAgent();
    await manager.remove(node, "u1");
    expect(driver.calls.slice(2)).toEqual(["unpublish disk", "unstage disk"]);
    expect(await manager.pods()).toEqual([]);
  });

  test("stays recorded until its driver has unmounted it", async () => {
    await start();
    await prepare();
    driver.failing = "unpublish";
    await expect(manager.remove(node, "u1")).rejects.toThrow("unpublish fails");
    driver.failing = "unstage";
    await expect(manager.remove(node, "u1")).rejects.toThrow("unstage fails");
    expect(await manager.pods()).toEqual(["u1"]);
    driver.failing = undefined;
    await manager.remove(node, "u1");
    expect(readdirSync(pods())).toEqual([]);
  });

  test("is only unmounted when a power failure has emptied its record", async () => {
    await start();
    await prepare();
    writeFileSync(join(pods(), "u1/csi/v/vol_data.json"), "");
    await startAgent();
    await manager.remove(node, "u1");
    expect(readdirSync(pods())).toEqual([]);
    expect(driver.calls).toEqual(["stage disk", "publish disk"]);
  });

  test("is described to its driver", async () => {
    await start(
      { abilities: ["STAGE_UNSTAGE_VOLUME", "SINGLE_NODE_MULTI_WRITER"] },
      { podInfoOnMount: true },
    );
    const secret = { namespace: "ns", name: "s" };
    addVolume(
      { mountOptions: ["noatime"] },
      { fsType: "ext4", volumeAttributes: { a: "b" }, nodeStageSecretRef: secret, readOnly: true },
    );
    api.objects.set("secrets/s", { data: { key: Buffer.from("word").toString("base64") } });
    expect(await prepare()).toMatchObject({ readOnly: true });
    const capability = {
      accessMode: { mode: Mode.SINGLE_NODE_MULTI_WRITER },
      accessType: { case: "mount", value: { fsType: "ext4", mountFlags: ["noatime"] } },
    };
    const [stage, publish] = driver.requests;
    expect(stage).toMatchObject({
      secrets: { key: "word" },
      volumeContext: { a: "b" },
      volumeCapability: capability,
      stagingTargetPath: expect.stringMatching(
        /plugins\/kubernetes.io\/csi\/csi.test\/[0-9a-f]{64}\/globalmount$/,
      ),
    });
    expect(publish).toMatchObject({
      readonly: true,
      secrets: {},
      volumeCapability: capability,
      volumeContext: {
        a: "b",
        "csi.storage.k8s.io/pod.name": "u1",
        "csi.storage.k8s.io/pod.namespace": "ns",
        "csi.storage.k8s.io/pod.uid": "u1",
        "csi.storage.k8s.io/ephemeral": "false",
      },
    });
  });

  test("gets the tokens that its driver requests, again with each republish", async () => {
    const tokenRequests = [{ audience: "vault", expirationSeconds: 600 }];
    await start({}, { tokenRequests, requiresRepublish: true });
    await prepare();
    await clock.advance(600 * 800);
    await prepare();
    const tokens = driver.requests.flatMap((request) =>
      "targetPath" in request && "volumeContext" in request ? [request.volumeContext] : [],
    );
    const text = (token: string) => ({
      "csi.storage.k8s.io/serviceAccount.tokens": JSON.stringify({
        vault: { token, expirationTimestamp: "2026-01-01T01:00:00Z" },
      }),
    });
    expect(tokens).toEqual([text("token-1"), text("token-2")]);
  });

  test("waits until it is attached, and is in use from then to its end", async () => {
    await start({}, { attachRequired: true });
    const volume = { driver: "csi.test", handle: "disk" };
    const attached = () => ({
      metadata: { name: attachmentName(volume, "n") },
      status: { attached: true, attachmentMetadata: { device: "sdb" } },
    });
    const mounting = prepare();
    await clock.advance(1000);
    expect(api.objects.get("nodes/n")).toMatchObject({ status: { volumesInUse: [uniqueName(volume)] } });
    api.objects.set(`volumeattachments/${attachmentName(volume, "n")}`, attached());
    await clock.advance(1000);
    expect(driver.calls).toEqual([]);
    await api.of({ plural: "nodes" } as Parameters<typeof api.of>[0]).patch("n", {
      status: { volumesAttached: [{ name: uniqueName(volume), devicePath: "" }] },
    });
    await clock.advance(1000);
    await mounting;
    expect(driver.requests.at(-1)).toMatchObject({ publishContext: { device: "sdb" } });
    await manager.remove(node, "u1");
    expect(api.objects.get("nodes/n")).not.toHaveProperty("status.volumesInUse");
  });

  test("is no longer in use when an earlier node agent could not report its end", async () => {
    const volumesInUse = ["kubernetes.io/csi/csi.test^old"];
    api.objects.set("nodes/n", { metadata: { name: "n" }, status: { volumesInUse } });
    await start();
    expect(api.objects.get("nodes/n")).not.toHaveProperty("status.volumesInUse");
  });

  test("ends its wait for the attachment with its Pod, and after two minutes", async () => {
    await start({}, { attachRequired: true });
    const gone = new AbortController();
    const aborted = prepare(aUser(), gone.signal);
    await clock.advance(1000);
    gone.abort(new Error("the Pod ends"));
    await expect(aborted).rejects.toThrow("the Pod ends");
    const late = prepare(aUser("u2"));
    late.catch(() => {});
    await clock.advance(124_000);
    await expect(late).rejects.toThrow("timed out waiting for the condition");
    expect(driver.calls).toEqual([]);
  });

  test("inside a Pod's spec is neither attached nor staged", async () => {
    await start({}, { attachRequired: true, volumeLifecycleModes: ["Ephemeral"] });
    await prepare(inline({ readOnly: true, volumeAttributes: { size: "1" } }));
    expect(driver.calls).toEqual([expect.stringMatching(/^publish csi-[0-9a-f]{64}$/)]);
    expect(driver.requests).toMatchObject([{ readonly: true, volumeContext: { size: "1" } }]);
    await manager.remove(node, "u1");
    expect(driver.calls.at(-1)).toMatch(/^unpublish csi-/);
  });

  test("of a life that its driver does not serve is refused", async () => {
    await start();
    await expect(prepare(inline())).rejects.toThrow(
      'volume mode "Ephemeral" not supported by driver csi.test (only supports ["Persistent"])',
    );
  });

  test("of a driver that is not registered is refused", async () => {
    await start();
    addVolume({}, { driver: "csi.other" });
    await expect(prepare()).rejects.toThrow(
      'MountVolume.SetUp failed for volume "pv" : driver name csi.other not found in the list of registered CSI drivers',
    );
  });

  test("grows with its PersistentVolume", async () => {
    await start({ abilities: ["EXPAND_VOLUME"] });
    await prepare();
    addVolume({}, {}, "2Gi");
    await prepare();
    expect(driver.calls).toEqual(["publish disk", "expand disk to 2147483648"]);
    expect(api.objects.get("persistentvolumeclaims/data")).toMatchObject({
      status: { capacity: { storage: "2Gi" } },
    });
    expect(events).toEqual([
      'FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "pv" n',
    ]);
    await prepare();
    expect(driver.calls).toHaveLength(2);
  });

  describe.skipIf(process.getuid?.() !== 0)("belongs to the Pod's group", () => {
    const group = { securityContext: { fsGroup: 77 } };
    test.each<readonly [policy: string, csi: object, modes: readonly string[], gid: number]>([
      ["ReadWriteOnceWithFSType", { fsType: "ext4" }, ["ReadWriteOnce"], 77],
      ["ReadWriteOnceWithFSType", {}, ["ReadWriteOnce"], 0],
      ["ReadWriteOnceWithFSType", { fsType: "ext4" }, ["ReadWriteMany"], 0],
      ["File", {}, ["ReadWriteMany"], 77],
      ["File", { readOnly: true }, ["ReadWriteMany"], 0],
      ["None", { fsType: "ext4" }, ["ReadWriteOnce"], 0],
    ])("by the policy %s with %j and %j: %d", async (fsGroupPolicy, csi, accessModes, gid) => {
      await start({}, { fsGroupPolicy });
      addVolume({ accessModes }, csi);
      const path = (await prepare(aUser("u1", group)))?.path ?? "";
      expect(statSync(path).gid).toBe(gid);
    });

    test("by its driver, where that can", async () => {
      await start({ abilities: ["VOLUME_MOUNT_GROUP"] }, { fsGroupPolicy: "File" });
      const path = (await prepare(aUser("u1", group)))?.path ?? "";
      expect(statSync(path).gid).toBe(0);
      expect(driver.requests).toMatchObject([
        { volumeCapability: { accessType: { value: { volumeMountGroup: "77" } } } },
      ]);
      expect(existsSync(path)).toBe(true);
    });
  });
});
