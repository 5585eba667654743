import { expect, test } from "vitest";
import { nodes } from "../../api/core/node/schema.ts";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { csiDrivers } from "../../api/storage/csi-driver/schema.ts";
import { volumeAttachments } from "../../api/storage/volume-attachment/schema.ts";
import { template } from "../builders.suite.ts";
import { persistentVolumeBinder } from "../persistent-volume-binder/controller.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { attachDetachController } from "./controller.ts";

const driver = "csi.example.com";
const name = `kubernetes.io/csi/${driver}^disk`;

async function start(): Promise<Testbed> {
  const bed = await startTestbed(() => [persistentVolumeBinder(), attachDetachController()]);
  const { client } = bed;
  for (const node of ["node-1", "node-2"]) {
    const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
    const made = await client.of(nodes).create({ metadata: { name: node, annotations } });
    const status = { ...made.status, conditions: [{ type: "Ready", status: "True" }] };
    await client.of(nodes).updateStatus({ ...made, status });
  }
  const accessModes = ["ReadWriteOnce" as const];
  const capacity = { storage: "1Gi" };
  await client.of(persistentVolumes).create({
    metadata: { name: "pv" },
    spec: { capacity, accessModes, csi: { driver, volumeHandle: "disk" } },
  });
  await client.of(persistentVolumeClaims, "default").create({
    metadata: { name: "data" },
    spec: { accessModes, resources: { requests: capacity }, volumeName: "pv" },
  });
  return bed;
}

const addPod = ({ client }: Testbed, pod: string, nodeName: string) =>
  client.of(pods, "default").create({
    metadata: { name: pod },
    spec: {
      ...template.spec,
      nodeName,
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    },
  });

const attachmentNodes = async ({ client }: Testbed) =>
  (await client.of(volumeAttachments).list()).items.map(({ spec }) => spec.nodeName);

/** Plays the driver's attacher. */
async function attachAll({ client }: Testbed): Promise<void> {
  const own = client.of(volumeAttachments);
  for (const one of (await own.list()).items) await own.updateStatus({ ...one, status: { attached: true } });
}

const attachedTo = async ({ client }: Testbed, node: string) =>
  (await client.of(nodes).get(node)).status.volumesAttached?.map((one) => one.name) ?? [];

test("a volume is attached for its Pod, and moves when the Pod is gone and the node has unmounted it", async () => {
  const bed = await start();
  await addPod(bed, "web", "node-1");
  await bed.until(async () => (await attachmentNodes(bed)).length > 0);
  expect(await attachedTo(bed, "node-1")).toEqual([]);
  await attachAll(bed);
  await bed.until(async () => (await attachedTo(bed, "node-1")).length > 0);
  expect(await attachedTo(bed, "node-1")).toEqual([name]);
  // The kubelet mounts it.
  const own = bed.client.of(nodes);
  const inUse = (volumesInUse: readonly string[] | null) =>
    own.patch("node-1", { status: { volumesInUse } }, { type: "merge", subresource: "status" });
  await inUse([name]);
  await addPod(bed, "other", "node-2");
  await bed.until(async () => (await bed.eventsOf("other")).length > 0);
  expect(await bed.eventsOf("other")).toEqual([
    'FailedAttachVolume: Multi-Attach error for volume "pv" Volume is already used by pod(s) web',
  ]);
  await bed.client.of(pods, "default").delete("web", { gracePeriodSeconds: 0 });
  await bed.clock.advance(600_000);
  expect(await attachmentNodes(bed)).toEqual(["node-1"]);
  await inUse(null);
  await bed.until(async () => (await attachmentNodes(bed)).includes("node-2"));
  expect(await attachmentNodes(bed)).toEqual(["node-2"]);
  expect(await attachedTo(bed, "node-1")).toEqual([]);
  await attachAll(bed);
  await bed.until(async () => (await bed.eventsOf("other")).length > 1);
  expect((await bed.eventsOf("web")).map((text) => text.trimEnd())).toEqual([
    'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv"',
  ]);
  expect(bed.complaints).toEqual([]);
});

test("a driver that needs no attaching gets no attachment", async () => {
  const bed = await start();
  await bed.client.of(csiDrivers).create({ metadata: { name: driver }, spec: { attachRequired: false } });
  await addPod(bed, "web", "node-1");
  await bed.clock.advance(60_000);
  expect(await attachmentNodes(bed)).toEqual([]);
  expect(bed.complaints).toEqual([]);
});
