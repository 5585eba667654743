import { expect, test } from "vitest";
import { persistentVolumes } from "../../api/core/persistent-volume/schema.ts";
import { build, start } from "../builders.suite.ts";
import { formatTime } from "../../util/clock.ts";
import { startTestbed } from "../testbed.suite.ts";
import { volumeProtectionController } from "./controller.ts";
import { plan } from "./plan.ts";

const protection = "kubernetes.io/pv-protection";
const deletionTimestamp = formatTime(start);

test.each([
  ["a volume without it gets the finalizer", {}, "Available", [protection]],
  ["a protected volume stays", { finalizers: [protection] }, "Available", undefined],
  ["a bound deleted volume stays", { deletionTimestamp, finalizers: [protection] }, "Bound", undefined],
  [
    "an unbound deleted volume is released",
    { deletionTimestamp, finalizers: ["x/y", protection] },
    "Released",
    ["x/y"],
  ],
  ["a deleted volume gets no finalizer", { deletionTimestamp, finalizers: ["x/y"] }, "Available", undefined],
])("%s", (_, metadata, phase, expected) => {
  const volume = build(persistentVolumes, { metadata: { name: "a", ...metadata }, status: { phase } });
  expect(plan(volume)?.metadata.finalizers).toEqual(expected);
});

test("a deleted volume goes when it is no longer bound", async () => {
  const bed = await startTestbed(() => [volumeProtectionController()]);
  const own = bed.client.of(persistentVolumes);
  const made = await own.create({
    metadata: { name: "a" },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
  });
  expect(made.metadata.finalizers).toEqual([protection]);
  await own.updateStatus({ ...made, status: { phase: "Bound" } });
  await own.delete("a");
  await bed.clock.advance(60_000);
  const kept = await own.get("a");
  expect(kept.metadata.deletionTimestamp).toBeDefined();
  await own.updateStatus({ ...kept, status: { phase: "Released" } });
  await bed.until(async () => (await own.list()).items.length === 0);
  expect(bed.complaints).toEqual([]);
});
