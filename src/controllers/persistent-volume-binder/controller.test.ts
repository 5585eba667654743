import { expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { claimProtectionController } from "../persistent-volume-claim-protection/controller.ts";
import { volumeProtectionController } from "../persistent-volume-protection/controller.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { persistentVolumeBinder } from "./controller.ts";

const start = (lagMs = 0) =>
  startTestbed(
    () => [persistentVolumeBinder(), claimProtectionController(), volumeProtectionController()],
    lagMs === 0 ? {} : { lagMs: () => lagMs },
  );

const addVolume = ({ client }: Testbed, name: string, spec: object = {}) =>
  client.of(persistentVolumes).create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: `/${name}` },
      ...spec,
    },
  });

const addClaim = ({ client }: Testbed, name: string, spec: object = {}) =>
  client.of(persistentVolumeClaims, "default").create({
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  });

const phases = async ({ client }: Testbed) => {
  const { items: volumes } = await client.of(persistentVolumes).list();
  const { items: claims } = await client.of(persistentVolumeClaims, "default").list();
  return Object.fromEntries(
    [...volumes, ...claims].map(({ metadata, status }) => [metadata.name, status.phase]),
  );
};

const reaches = (bed: Testbed, wanted: object) =>
  bed.until(async () => {
    const now = await phases(bed);
    return Object.entries(wanted).every(([name, phase]) => now[name] === phase);
  });

test("a volume is bound, released after its claim, and bound to no other claim", async () => {
  const bed = await start();
  await addVolume(bed, "v");
  await reaches(bed, { v: "Available" });
  await addClaim(bed, "c");
  await reaches(bed, { v: "Bound", c: "Bound" });
  const claims = bed.client.of(persistentVolumeClaims, "default");
  const claim = await claims.get("c");
  expect(claim.spec.volumeName).toBe("v");
  expect(claim.metadata.annotations).toEqual({
    "pv.kubernetes.io/bind-completed": "yes",
    "pv.kubernetes.io/bound-by-controller": "yes",
  });
  expect(claim.status).toEqual({
    phase: "Bound",
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
  });
  const boundAt = (await bed.client.of(persistentVolumes).get("v")).status.lastPhaseTransitionTime;
  await bed.clock.advance(5000);
  await claims.delete("c");
  await reaches(bed, { v: "Released" });
  const released = (await bed.client.of(persistentVolumes).get("v")).status.lastPhaseTransitionTime;
  expect(Date.parse(released ?? "") - Date.parse(boundAt ?? "")).toBe(5000);
  await addClaim(bed, "c");
  await bed.clock.advance(60_000);
  expect(await phases(bed)).toEqual({ v: "Released", c: "Pending" });
  expect(bed.complaints).toEqual([]);
});

test("many claims get a volume each, although the caches are behind", async () => {
  const bed = await start(3000);
  const count = 8;
  for (let i = 0; i < count; i++) await addVolume(bed, `v${i}`);
  await bed.clock.advance(30_000);
  const since = bed.clock.now();
  for (let i = 0; i < count; i++) await addClaim(bed, `c${i}`);
  await bed.until(async () => Object.values(await phases(bed)).every((phase) => phase === "Bound"));
  // Claims that were refused for a stale volume would wait for the next round, and the next.
  expect(bed.clock.now() - since).toBeLessThanOrEqual(6000);
  const { items } = await bed.client.of(persistentVolumeClaims, "default").list();
  expect(new Set(items.map(({ spec }) => spec.volumeName)).size).toBe(count);
  await bed.clock.advance(60_000);
  const { items: volumes } = await bed.client.of(persistentVolumes).list();
  expect(volumes.every(({ status }) => status.phase === "Bound")).toBe(true);
  expect(bed.complaints).toEqual([]);
});

test("of two volumes that are bound to one claim, one is given back", async () => {
  const bed = await start();
  const { metadata } = await addClaim(bed, "c", { storageClassName: "none" });
  const claimRef = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: "default",
    name: "c",
    uid: metadata.uid,
  };
  await bed.clock.settle();
  for (const name of ["v1", "v2"]) {
    const made = await bed.client.of(persistentVolumes).create({
      metadata: { name, annotations: { "pv.kubernetes.io/bound-by-controller": "yes" } },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: `/${name}` },
        storageClassName: "none",
        claimRef,
      },
    });
    expect(made.spec.claimRef?.uid).toBe(metadata.uid);
  }
  await reaches(bed, { v1: "Bound", v2: "Available", c: "Bound" });
  expect((await bed.client.of(persistentVolumes).get("v2")).spec.claimRef).toBeUndefined();
});

test("a volume whose claim the cache does not show yet is not released", async () => {
  const bed = await startTestbed(() => [persistentVolumeBinder()], {
    lagMs: (plural) => (plural === "persistentvolumeclaims" ? 10_000 : 0),
  });
  await bed.clock.advance(30_000);
  const claim = await addClaim(bed, "c", { volumeName: "v" });
  const { uid } = claim.metadata;
  await addVolume(bed, "v", {
    claimRef: { kind: "PersistentVolumeClaim", namespace: "default", name: "c", uid },
  });
  await bed.clock.advance(5000);
  expect((await phases(bed))["v"]).toBe("Bound");
  await reaches(bed, { c: "Bound" });
});

test("a claim without its volume is lost; one that waits says for what", async () => {
  const bed = await start();
  await bed.client.of(storageClasses).create({
    metadata: { name: "local" },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  await addVolume(bed, "v");
  await reaches(bed, { v: "Available" });
  await addClaim(bed, "c");
  await addClaim(bed, "waits", { storageClassName: "local" });
  await reaches(bed, { c: "Bound" });
  await bed.client.of(persistentVolumes).patch("v", { metadata: { finalizers: null } }, { type: "merge" });
  await bed.client.of(persistentVolumes).delete("v");
  await reaches(bed, { c: "Lost", waits: "Pending" });
  await bed.clock.advance(1000);
  expect(await bed.eventsOf("c")).toEqual([
    "ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
  ]);
  expect(await bed.eventsOf("waits")).toEqual([
    "WaitForFirstConsumer: waiting for first consumer to be created before binding",
  ]);
  await addVolume(bed, "v");
  await reaches(bed, { c: "Bound", v: "Bound" });
});

test("a claim finds a volume that comes later within 15 s, and the default class too", async () => {
  const bed = await start();
  await addClaim(bed, "c");
  await addClaim(bed, "big", { resources: { requests: { storage: "5Gi" } } });
  await bed.clock.advance(1000);
  await addVolume(bed, "v");
  await bed.client.of(storageClasses).create({
    metadata: { name: "new", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: "example.com/disk",
  });
  await bed.clock.advance(15_000);
  expect(await phases(bed)).toEqual({ v: "Bound", c: "Bound", big: "Pending" });
  const { spec } = await bed.client.of(persistentVolumeClaims, "default").get("big");
  expect(spec.storageClassName).toBe("new");
});
