import { expect, test } from "vitest";
import { events } from "../../api/core/event/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import { resourceSlices } from "../../api/resource/resource-slice/schema.ts";
import { template } from "../builders.suite.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { deviceTaintEvictionController } from "./controller.ts";

const driver = "gpu.example.com";
const taint = { key: "example.com/broken", effect: "NoExecute" as const };
const requests = [{ name: "gpu", exactly: { deviceClassName: "gpu" } }];

const names = async ({ client }: Testbed) =>
  (await client.of(pods, "default").list()).items.map(({ metadata }) => metadata.name);

/** The Pods by the seconds for which their claims tolerate the taint; undefined for ever. */
const limits = { brief: 30, long: 300, faithful: undefined, strict: 0 } as const;

/** Publishes a slice of the pool with a device for each Pod; those of `tainted` have the taint. */
async function publish(
  { client, clock }: Testbed,
  tainted: readonly string[],
  { name = "gpus", generation = 1 } = {},
): Promise<void> {
  const devices = Object.keys(limits).map((one) => ({
    name: one,
    ...(tainted.includes(one) ? { taints: [taint] } : {}),
  }));
  const spec = {
    driver,
    nodeName: "node-1",
    pool: { name: "node-1", generation, resourceSliceCount: 1 },
    devices,
  };
  const slices = client.of(resourceSlices);
  const known = (await slices.list()).items.find(({ metadata }) => metadata.name === name);
  if (known === undefined) await slices.create({ metadata: { name }, spec });
  else await slices.update({ ...known, spec });
  await clock.settle();
}

/** Starts with a Pod for each limit, which uses a claim of its own with the device of its name. */
async function begin(): Promise<Testbed> {
  const bed = await startTestbed(() => [deviceTaintEvictionController()]);
  for (const [name, tolerationSeconds] of Object.entries(limits)) {
    const { metadata } = await bed.client.of(pods, "default").create({
      metadata: { name },
      spec: {
        ...template.spec,
        terminationGracePeriodSeconds: 0,
        resourceClaims: [{ name: "gpu", resourceClaimName: name }],
      },
    });
    const claims = bed.client.of(resourceClaims, "default");
    const claim = await claims.create({ metadata: { name }, spec: { devices: { requests } } });
    const own = { operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds };
    const device = { request: "gpu", driver, pool: "node-1", device: name };
    const results = [{ ...device, tolerations: name === "strict" ? [] : [own] }];
    const reservedFor = [{ resource: "pods", name, uid: metadata.uid ?? "" }];
    const finalizers = ["resource.kubernetes.io/delete-protection"];
    const held = await claims.update({ ...claim, metadata: { ...claim.metadata, finalizers } });
    await claims.updateStatus({ ...held, status: { allocation: { devices: { results } }, reservedFor } });
  }
  return bed;
}

test("Pods are evicted when their claims no longer tolerate the taints of their devices", async () => {
  const bed = await begin();
  await publish(bed, []);
  expect(await names(bed)).toEqual(["brief", "faithful", "long", "strict"]);
  await publish(bed, Object.keys(limits));
  expect(await names(bed)).toEqual(["brief", "faithful", "long"]);
  await bed.clock.advance(29_000);
  expect(await names(bed)).toEqual(["brief", "faithful", "long"]);
  await bed.clock.advance(2000);
  expect(await names(bed)).toEqual(["faithful", "long"]);
  await publish(bed, ["faithful"]);
  await bed.clock.advance(600_000);
  expect(await names(bed)).toEqual(["faithful", "long"]);
  expect(await bed.eventsOf("brief")).toEqual(["DeviceTaintManagerEviction: Marking for deletion"]);
  expect(await bed.eventsOf("strict")).toEqual(["DeviceTaintManagerEviction: Marking for deletion"]);
  expect(await bed.eventsOf("long")).toEqual(["DeviceTaintManagerEviction: Cancelling deletion"]);
  expect(await bed.eventsOf("faithful")).toEqual([]);
  const sources = (await bed.client.of(events).list()).items.map(({ source }) => source?.component);
  expect(new Set(sources)).toEqual(new Set(["device-taint-eviction-controller"]));
  expect(bed.complaints).toEqual([]);
});

test("taints count only in the newest generation of a pool", async () => {
  const bed = await begin();
  await publish(bed, ["long"]);
  await publish(bed, ["brief"], { name: "newer", generation: 2 });
  await bed.clock.advance(20_000);
  expect(await bed.eventsOf("long")).toEqual(["DeviceTaintManagerEviction: Cancelling deletion"]);
  await bed.client.of(resourceSlices).delete("newer");
  await bed.clock.advance(1000);
  expect(await bed.eventsOf("brief")).toEqual(["DeviceTaintManagerEviction: Cancelling deletion"]);
  await bed.clock.advance(300_000);
  expect(await names(bed)).toEqual(["brief", "faithful", "strict"]);
});

test("a Pod is evicted when its claim is reserved after the taint, with the condition that gives the reason", async () => {
  const bed = await begin();
  const own = bed.client.of(pods, "default");
  const strict = await own.get("strict");
  await own.patch("strict", { metadata: { finalizers: ["example.com/kept"] } }, { type: "merge" });
  const claims = bed.client.of(resourceClaims, "default");
  const claim = await claims.get("strict");
  await claims.updateStatus({ ...claim, status: { ...claim.status, reservedFor: [] } });
  await publish(bed, ["strict"]);
  expect((await own.get("strict")).metadata.deletionTimestamp).toBeUndefined();
  await claims.updateStatus({ ...(await claims.get("strict")), status: claim.status });
  await bed.clock.settle();
  const evicted = await own.get("strict");
  expect(evicted.metadata).toMatchObject({ uid: strict.metadata.uid, deletionTimestamp: expect.any(String) });
  expect(evicted.status.conditions).toContainEqual(
    expect.objectContaining({
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByDeviceTaintManager",
      message: "Device Taint manager: deleting due to NoExecute taint",
    }),
  );
});
