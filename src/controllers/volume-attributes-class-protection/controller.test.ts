import { describe, expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { volumeAttributesClasses } from "../../api/storage/volume-attributes-class/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { build, start } from "../builders.suite.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { attributesClassProtectionController } from "./controller.ts";
import { classesOfClaim, classesOfVolume, plan } from "./plan.ts";

const protection = "kubernetes.io/vac-protection";
const deletionTimestamp = formatTime(start);

// Upstream's cases (TestVACProtectionController).
test.each([
  ["a class without it gets the finalizer", {}, false, [protection]],
  ["a protected class stays", { finalizers: [protection] }, false, undefined],
  ["a deleted class is released", { deletionTimestamp, finalizers: [protection] }, false, []],
  ["a deleted class in use stays", { deletionTimestamp, finalizers: [protection] }, true, undefined],
  ["a deleted class gets no finalizer", { deletionTimestamp, finalizers: ["x/y"] }, false, undefined],
])("%s", (_, metadata, isUsed, expected) => {
  const one = build(volumeAttributesClasses, { metadata: { name: "a", ...metadata }, driverName: "d" });
  expect(plan(one, isUsed)?.metadata.finalizers).toEqual(expected);
});

test("a claim uses the class that it wants, has and is changed to", () => {
  const claim = build(persistentVolumeClaims, {
    metadata: { name: "a" },
    spec: { volumeAttributesClassName: "wanted" },
    status: {
      currentVolumeAttributesClassName: "current",
      modifyVolumeStatus: { status: "Pending", targetVolumeAttributesClassName: "wanted" },
    },
  });
  expect(classesOfClaim(claim)).toEqual(["wanted", "current"]);
  expect(classesOfVolume(build(persistentVolumes, { metadata: { name: "a" }, spec: {} }))).toEqual([]);
});

describe("a deleted class goes", () => {
  const setUp = async () => {
    const bed = await startTestbed(() => [attributesClassProtectionController()]);
    const classes = bed.client.of(volumeAttributesClasses);
    await classes.create({ metadata: { name: "gold" }, driverName: "d.example.com", parameters: { a: "b" } });
    return { bed, classes };
  };
  const isKept = async ({ client, clock }: Testbed) => {
    await clock.advance(60_000);
    return (await client.of(volumeAttributesClasses).list()).items.length === 1;
  };
  const isGone = async ({ client }: Testbed) =>
    (await client.of(volumeAttributesClasses).list()).items.length === 0;

  test("once no claim uses it", async () => {
    const { bed, classes } = await setUp();
    const claims = bed.client.of(persistentVolumeClaims, "default");
    const spec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
    await claims.create({ metadata: { name: "a" }, spec: { ...spec, volumeAttributesClassName: "gold" } });
    await bed.clock.settle();
    await classes.delete("gold");
    expect(await isKept(bed)).toBe(true);
    await claims.patch("a", { metadata: { finalizers: null } }, { type: "merge" });
    await claims.delete("a");
    await bed.until(() => isGone(bed));
    expect(bed.complaints).toEqual([]);
  });

  test("once the volume that used it has another", async () => {
    const { bed, classes } = await setUp();
    const volumes = bed.client.of(persistentVolumes);
    await volumes.create({
      metadata: { name: "a" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        csi: { driver: "d.example.com", volumeHandle: "a" },
        volumeAttributesClassName: "gold",
      },
    });
    await bed.clock.settle();
    await classes.delete("gold");
    expect(await isKept(bed)).toBe(true);
    await volumes.patch("a", { spec: { volumeAttributesClassName: "silver" } }, { type: "merge" });
    await bed.until(() => isGone(bed));
  });
});
