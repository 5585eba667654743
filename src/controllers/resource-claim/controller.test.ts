import { expect, test } from "vitest";
import { pods } from "../../api/core/pod/schema.ts";
import { resourceClaimTemplates } from "../../api/resource/resource-claim-template/schema.ts";
import { resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import { template } from "../builders.suite.ts";
import { startTestbed, type Testbed, type TestbedOptions } from "../testbed.suite.ts";
import { podClaimController } from "./controller.ts";
import { claimReleaseController } from "./release-controller.ts";

const spec = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } };
const resourceClaimEntries = [
  { name: "first", resourceClaimTemplateName: "one-gpu" },
  { name: "second", resourceClaimTemplateName: "one-gpu" },
];
const finalizers = ["resource.kubernetes.io/delete-protection"];

async function begin(options: TestbedOptions = {}): Promise<Testbed> {
  return startTestbed(() => [podClaimController(), claimReleaseController()], options);
}

/** Resolves when the caches show the template. */
async function addTemplate({ client, clock }: Testbed): Promise<void> {
  await client
    .of(resourceClaimTemplates, "default")
    .create({ metadata: { name: "one-gpu" }, spec: { spec } });
  await clock.advance(1);
  await clock.settle();
}
const addPod = ({ client }: Testbed) =>
  client.of(pods, "default").create({
    metadata: { name: "web" },
    spec: { ...template.spec, resourceClaims: resourceClaimEntries },
  });
const claimsOf = async ({ client }: Testbed) => (await client.of(resourceClaims, "default").list()).items;
const statusesOf = async ({ client }: Testbed) =>
  (await client.of(pods, "default").get("web")).status.resourceClaimStatuses ?? [];

test.each([
  ["at once", 0],
  ["also while the cache lags behind", 5000],
])("each entry of a Pod gets one claim, recorded in its status, %s", async (_, lag) => {
  const bed = await begin({ lagMs: (plural) => (plural === "resourceclaims" ? lag : 0) });
  await addTemplate(bed);
  await addPod(bed);
  await bed.until(async () => (await statusesOf(bed)).length === 2);
  await bed.clock.advance(60_000);
  const names = (await claimsOf(bed)).map(({ metadata }) => metadata.name);
  const recorded = (await statusesOf(bed)).map(({ resourceClaimName }) => resourceClaimName);
  expect(names).toHaveLength(2);
  expect(new Set(recorded)).toEqual(new Set(names));
  expect(names.every((name) => /^web-(first|second)-.{5}$/.test(name ?? ""))).toBe(true);
  expect(bed.complaints).toEqual([]);
});

test("a Pod without its template gets an Event, and its claims once the template exists", async () => {
  const bed = await begin();
  await addPod(bed);
  const missing = 'resourceclaimtemplate.resource.k8s.io "one-gpu" not found';
  await bed.until(async () => (await bed.eventsOf("web")).length > 0);
  expect(await bed.eventsOf("web")).toEqual([
    `FailedResourceClaimCreation: PodResourceClaim first: resource claim template "one-gpu": ${missing}`,
  ]);
  await addTemplate(bed);
  await bed.until(async () => (await statusesOf(bed)).length === 2);
});

test("a bound Pod reserves its allocated claim, and the claim of an ended Pod is freed and deleted", async () => {
  const bed = await begin();
  await addTemplate(bed);
  await addPod(bed);
  await bed.until(async () => (await statusesOf(bed)).length === 2);
  const claims = bed.client.of(resourceClaims, "default");
  const [claim] = await claimsOf(bed);
  const { name = "" } = claim?.metadata ?? {};
  const protectedClaim = await claims.patch(name, { metadata: { finalizers } }, { type: "merge" });
  await claims.updateStatus({ ...protectedClaim, status: { allocation: { devices: {} } } });
  await bed.until(async () => (await claims.get(name)).status.reservedFor !== undefined);
  const pod = await bed.client.of(pods, "default").get("web");
  expect((await claims.get(name)).status.reservedFor).toEqual([
    { resource: "pods", name: "web", uid: pod.metadata.uid },
  ]);
  await bed.client
    .of(pods, "default")
    .updateStatus({ ...pod, status: { ...pod.status, phase: "Succeeded" } });
  await bed.until(async () => (await claimsOf(bed)).length === 0);
  await bed.clock.advance(60_000);
  expect(await claimsOf(bed)).toEqual([]);
  expect(bed.complaints).toEqual([]);
});

test("a deleted Pod frees a shared claim, which stays", async () => {
  const bed = await begin();
  const claims = bed.client.of(resourceClaims, "default");
  const made = await claims.create({ metadata: { name: "shared", finalizers }, spec });
  const pod = await bed.client.of(pods, "default").create({
    metadata: { name: "web" },
    spec: { ...template.spec, resourceClaims: [{ name: "gpu", resourceClaimName: "shared" }] },
  });
  await claims.updateStatus({ ...made, status: { allocation: { devices: {} } } });
  await bed.until(async () => (await claims.get("shared")).status.reservedFor !== undefined);
  await bed.client.of(pods, "default").delete(pod.metadata.name ?? "", { gracePeriodSeconds: 0 });
  await bed.until(async () => (await claims.get("shared")).status.allocation === undefined);
  const { metadata, status } = await claims.get("shared");
  expect([metadata.finalizers, status]).toEqual([undefined, {}]);
  expect(bed.complaints).toEqual([]);
});
