import { expect, test } from "vitest";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { template } from "../builders.suite.ts";
import { startTestbed } from "../testbed.suite.ts";
import { claimProtectionController } from "./controller.ts";

const spec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];

test.each([
  ["fresh", 0],
  ["stale", 30_000],
])("a deleted claim goes when its Pod is gone (the cache of Pods is %s)", async (_, lag) => {
  const lagMs = (plural: string) => (plural === "pods" ? lag : 0);
  const bed = await startTestbed(() => [claimProtectionController()], { lagMs });
  const claims = bed.client.of(persistentVolumeClaims, "default");
  for (const name of ["data", "unused"]) await claims.create({ metadata: { name }, spec });
  const all = bed.client.of(pods, "default");
  await bed.clock.advance(60_000);
  await all.create({ metadata: { name: "web" }, spec: { ...template.spec, nodeName: "node-1", volumes } });
  await claims.delete("unused");
  await claims.delete("data");
  await bed.clock.advance(10_000);
  expect((await claims.list()).items.map(({ metadata }) => metadata.name)).toEqual(["data"]);
  await all.delete("web", { gracePeriodSeconds: 0 });
  await bed.until(async () => (await claims.list()).items.length === 0);
  expect(bed.complaints).toEqual([]);
});
