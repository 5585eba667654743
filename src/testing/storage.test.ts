import { afterEach, expect, test } from "vitest";
import { statefulSets } from "../api/apps/stateful-set/schema.ts";
import { persistentVolumeClaims } from "../api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../api/core/persistent-volume/schema.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { startCluster, type TestCluster } from "./start-cluster.ts";

let cluster: TestCluster;
afterEach(() => cluster.stop());

test("a StatefulSet's claims get volumes on the nodes of its Pods, which end with the claims", async () => {
  cluster = await startCluster({ clock: new VirtualClock(), nodes: 2, storage: true });
  const { client } = cluster;
  const labels = { app: "db" };
  const set = client.of(statefulSets, "default");
  const requests = { storage: "1Gi" };
  await set.create({
    metadata: { name: "db" },
    spec: {
      replicas: 2,
      serviceName: "db",
      selector: { matchLabels: labels },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: "db", image: "db", volumeMounts: [{ name: "data", mountPath: "/d" }] }],
        },
      },
      volumeClaimTemplates: [
        { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests } } },
      ],
    },
  });
  await cluster.waitFor(async () => (await set.get("db")).status.readyReplicas === 2);
  const claims = (await client.of(persistentVolumeClaims, "default").list()).items;
  expect(claims.map(({ status, spec }) => [status.phase, spec.storageClassName])).toEqual([
    ["Bound", "local-path"],
    ["Bound", "local-path"],
  ]);
  await set.delete("db");
  await cluster.waitFor(async () => (await client.of(persistentVolumes).list()).items.length === 0);
});
