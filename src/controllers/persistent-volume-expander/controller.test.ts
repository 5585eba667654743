import { expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { storageClasses } from "../../api/storage/storage-class/schema.ts";
import { persistentVolumeBinder } from "../persistent-volume-binder/controller.ts";
import { startTestbed } from "../testbed.suite.ts";
import { volumeExpander } from "./controller.ts";

const resizer = "volume.kubernetes.io/storage-resizer";

test.each<readonly [what: string, source: object, message: string, driver: string | undefined]>([
  [
    "of a driver",
    { csi: { driver: "d.example.com", volumeHandle: "1" } },
    "waiting for an external controller to expand this PVC",
    undefined,
  ],
  [
    "of a plugin that a driver has replaced",
    { gcePersistentDisk: { pdName: "disk" } },
    "CSI migration enabled for kubernetes.io/gce-pd; waiting for external resizer to expand the pvc",
    "pd.csi.storage.gke.io",
  ],
])("the claim of a volume %s waits for its resizer", async (_, source, message, driver) => {
  const bed = await startTestbed(() => [persistentVolumeBinder(), volumeExpander()]);
  const storageClassName = "grows";
  await bed.client.of(storageClasses).create({
    metadata: { name: storageClassName },
    provisioner: "d.example.com",
    allowVolumeExpansion: true,
  });
  const accessModes = ["ReadWriteOnce" as const];
  const capacity = { storage: "1Gi" };
  await bed.client.of(persistentVolumes).create({
    metadata: { name: "v" },
    spec: { capacity, accessModes, storageClassName, ...source },
  });
  await bed.clock.settle();
  const claims = bed.client.of(persistentVolumeClaims, "default");
  await claims.create({
    metadata: { name: "c" },
    spec: { accessModes, storageClassName, resources: { requests: capacity } },
  });
  await bed.until(async () => (await claims.get("c")).status.phase === "Bound");
  await bed.clock.advance(60_000);
  const told = async () => (await bed.eventsOf("c")).filter((text) => text.startsWith("ExternalExpanding"));
  expect(await told()).toEqual([]);
  await claims.patch("c", { spec: { resources: { requests: { storage: "2Gi" } } } }, { type: "merge" });
  await bed.until(async () => (await told()).length > 0);
  expect(await told()).toEqual([`ExternalExpanding: ${message}`]);
  expect((await claims.get("c")).metadata.annotations?.[resizer]).toBe(driver);
  expect(bed.complaints).toEqual([]);
});
