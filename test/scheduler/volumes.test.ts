import { afterEach, expect, test } from "vitest";
import { statefulSets } from "../../src/api/apps/stateful-set/schema.ts";
import { events } from "../../src/api/core/event/schema.ts";
import { nodes } from "../../src/api/core/node/schema.ts";
import { persistentVolumeClaims } from "../../src/api/core/persistent-volume-claim/schema.ts";
import { persistentVolumes } from "../../src/api/core/persistent-volume/schema.ts";
import { pods } from "../../src/api/core/pod/schema.ts";
import { storageClasses } from "../../src/api/storage/storage-class/schema.ts";
import type { Client } from "../../src/client/client.ts";
import { by } from "../../src/util/compare.ts";
import { startCluster, type TestCluster, VirtualClock } from "../../src/testing/index.ts";

let cluster: TestCluster | undefined;
afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start(count: number): Promise<TestCluster> {
  const started = await startCluster({ nodes: count, clock: new VirtualClock() });
  cluster = started;
  await started.waitFor(async () => {
    const { items } = await started.client.of(nodes).list();
    return items.length === count && items.every(({ spec }) => (spec.taints ?? []).length === 0);
  });
  await started.client.of(storageClasses).create({
    metadata: { name: "local" },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  return started;
}

/** A directory of one node. */
const addVolume = (client: Client, name: string, node: string, storage = "1Gi") => {
  const onNode = {
    matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In" as const, values: [node] }],
  };
  return client.of(persistentVolumes).create({
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "local",
      local: { path: `/disks/${name}` },
      nodeAffinity: { required: { nodeSelectorTerms: [onNode] } },
    },
  });
};

const claimSpec = {
  accessModes: ["ReadWriteOnce" as const],
  resources: { requests: { storage: "1Gi" } },
  storageClassName: "local",
};

const addSet = (client: Client, replicas: number) =>
  client.of(statefulSets, "default").create({
    metadata: { name: "db" },
    spec: {
      replicas,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: {
        metadata: { labels: { app: "db" } },
        spec: {
          containers: [{ name: "db", image: "db:1", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
        },
      },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec }],
    },
  });

const readyReplicas = async (client: Client) =>
  (await client.of(statefulSets, "default").get("db")).status.readyReplicas ?? 0;

test("the Pods of a StatefulSet run where their local volumes are, and come back to them", async () => {
  const { client, waitFor } = await start(4);
  // The first node has no volume.
  for (const node of ["node-2", "node-3", "node-4"]) await addVolume(client, `disk-of-${node}`, node);
  await addSet(client, 3);
  await waitFor(async () => (await readyReplicas(client)) === 3);
  const places = async () => {
    const { items: claims } = await client.of(persistentVolumeClaims, "default").list();
    const { items } = await client.of(pods, "default").list();
    const rows = items.map(({ metadata, spec }) => {
      const claim = claims.find((one) => one.metadata.name === `data-${metadata.name}`);
      return [metadata.name, spec.nodeName, claim?.spec.volumeName, claim?.status.phase];
    });
    return rows.toSorted(by(([name]) => name ?? ""));
  };
  const first = await places();
  for (const [, node, volume, phase] of first) expect([volume, phase]).toEqual([`disk-of-${node}`, "Bound"]);
  expect(new Set(first.map(([, node]) => node)).size).toBe(3);
  const { items: volumes } = await client.of(persistentVolumes).list();
  expect(volumes.map(({ status }) => status.phase)).toEqual(["Bound", "Bound", "Bound"]);
  const { uid } = (await client.of(pods, "default").get("db-1")).metadata;
  await client.of(pods, "default").delete("db-1");
  await waitFor(async () => {
    const { items } = await client.of(pods, "default").list();
    const again = items.find(({ metadata }) => metadata.name === "db-1");
    return again !== undefined && again.metadata.uid !== uid && again.spec.nodeName !== undefined;
  });
  expect(await places()).toEqual(first);
});

test("a Pod whose claim has no volume waits, says why, and runs once there is a volume", async () => {
  const { client, waitFor } = await start(2);
  await addVolume(client, "small", "node-1", "512Mi");
  await addSet(client, 1);
  const told = async () => {
    const { items } = await client.of(events, "default").list();
    return items.filter(({ reason }) => reason === "FailedScheduling").map(({ message }) => message);
  };
  await waitFor(async () => (await told()).length > 0);
  expect((await told()).at(-1)).toBe(
    "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. " +
      "no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  );
  const claims = client.of(persistentVolumeClaims, "default");
  const waiting = async () => {
    const { items } = await client.of(events, "default").list();
    return items.some(
      ({ reason, message }) =>
        reason === "WaitForPodScheduled" && message === "waiting for pod db-0 to be scheduled",
    );
  };
  await waitFor(waiting);
  await addVolume(client, "large", "node-2");
  await waitFor(async () => (await readyReplicas(client)) === 1);
  expect((await client.of(pods, "default").get("db-0")).spec.nodeName).toBe("node-2");
  expect((await claims.get("data-db-0")).spec.volumeName).toBe("large");
});

test("two Pods with one claim run on the node of its volume", async () => {
  const { client, waitFor } = await start(2);
  await addVolume(client, "disk", "node-2");
  await client.of(persistentVolumeClaims, "default").create({ metadata: { name: "data" }, spec: claimSpec });
  for (const name of ["a", "b"]) {
    await client.of(pods, "default").create({
      metadata: { name },
      spec: {
        containers: [{ name: "web", image: "web:1" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
      },
    });
  }
  await waitFor(async () => {
    const { items } = await client.of(pods, "default").list();
    return items.every(({ spec }) => spec.nodeName === "node-2");
  });
});

test("a claim that waits for its first consumer is handed to the provisioner, for the node of the Pod", async () => {
  const { client, waitFor } = await start(2);
  await client.of(storageClasses).create({
    metadata: { name: "made" },
    provisioner: "disk.example.com",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const claims = client.of(persistentVolumeClaims, "default");
  await claims.create({ metadata: { name: "data" }, spec: { ...claimSpec, storageClassName: "made" } });
  await client.of(pods, "default").create({
    metadata: { name: "web" },
    spec: {
      containers: [{ name: "web", image: "web:1" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
      nodeSelector: { "kubernetes.io/hostname": "node-2" },
    },
  });
  const annotation = async (name: string) => (await claims.get("data")).metadata.annotations?.[name];
  await waitFor(
    async () => (await annotation("volume.kubernetes.io/storage-provisioner")) === "disk.example.com",
  );
  expect(await annotation("volume.kubernetes.io/selected-node")).toBe("node-2");
  const { metadata } = await claims.get("data");
  // The provisioner's part.
  await client.of(persistentVolumes).create({
    metadata: { name: "pvc-1", annotations: { "pv.kubernetes.io/provisioned-by": "disk.example.com" } },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "made",
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver: "disk.example.com", volumeHandle: "1" },
      claimRef: { kind: "PersistentVolumeClaim", namespace: "default", name: "data", uid: metadata.uid },
    },
  });
  await waitFor(async () => (await client.of(pods, "default").get("web")).spec.nodeName === "node-2");
  expect((await claims.get("data")).status.phase).toBe("Bound");
});
