import { expect, test } from "vitest";
import { controllerRevisions } from "../../api/apps/controller-revision/schema.ts";
import { statefulSets } from "../../api/apps/stateful-set/schema.ts";
import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { template } from "../builders.suite.ts";
import { pretendNodes, startTestbed, type Testbed } from "../testbed.suite.ts";
import { statefulSetController } from "./controller.ts";

async function start(options: Parameters<typeof pretendNodes>[1] = {}, lagMs = 0): Promise<Testbed> {
  const bed = await startTestbed(() => [statefulSetController()], {
    lagMs: (plural) => (plural === "pods" ? lagMs : 0),
  });
  bed.runAsAdmin(pretendNodes(bed.env, options));
  return bed;
}

const sets = ({ client }: Testbed) => client.of(statefulSets, "default");
const podsOf = async ({ client }: Testbed) => (await client.of(pods, "default").list()).items;
const create = (bed: Testbed, spec: object = {}) =>
  sets(bed).create({
    metadata: { name: "web" },
    spec: { serviceName: "web", replicas: 3, selector: { matchLabels: { app: "web" } }, template, ...spec },
  });
const untilStatus = (bed: Testbed, wanted: object) =>
  bed.until(async () => {
    const { status } = await sets(bed).get("web");
    return Object.entries(wanted).every(([key, value]) =>
      Object.entries(status).some(([k, v]) => k === key && v === value),
    );
  });
const image = (name: string) => ({
  spec: { template: { spec: { containers: [{ name: "web", image: name }] } } },
});

test("Pods are created one after the other, with their names, hosts and claims", async () => {
  const bed = await start({ startMs: 1000 });
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  await create(bed, { volumeClaimTemplates: [claim] });
  let most = 0;
  await bed.until(async () => {
    const present = await podsOf(bed);
    const unready = present.filter(
      ({ status }) => !status.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
    );
    most = Math.max(most, unready.length);
    return (await sets(bed).get("web")).status.availableReplicas === 3;
  });
  expect(most).toBe(1);
  const present = await podsOf(bed);
  expect(present.map(({ metadata, spec }) => [metadata.name, spec.hostname, spec.subdomain])).toEqual(
    ["web-0", "web-1", "web-2"].map((name) => [name, name, "web"]),
  );
  expect(present[1]?.metadata.labels).toMatchObject({
    "statefulset.kubernetes.io/pod-name": "web-1",
    "apps.kubernetes.io/pod-index": "1",
  });
  expect(present[1]?.spec.volumes).toContainEqual({
    name: "data",
    persistentVolumeClaim: { claimName: "data-web-1" },
  });
  const { items } = await bed.client.of(persistentVolumeClaims, "default").list();
  expect(items.map(({ metadata }) => [metadata.name, metadata.labels])).toEqual(
    ["data-web-0", "data-web-1", "data-web-2"].map((name) => [name, { app: "web" }]),
  );
  expect(await bed.eventsOf("web")).toContain(
    "SuccessfulCreate: create Pod web-2 in StatefulSet web successful",
  );
  expect(bed.complaints).toEqual([]);
});

test("a deleted Pod comes back under its name, and a scale-down goes from the highest ordinal", async () => {
  const bed = await start({ stopMs: 2000 }, 500);
  await create(bed);
  await untilStatus(bed, { readyReplicas: 3 });
  const before = (await bed.client.of(pods, "default").get("web-1")).metadata.uid;
  await bed.client.of(pods, "default").delete("web-1");
  await bed.until(async () => {
    const now = (await podsOf(bed)).find(({ metadata }) => metadata.name === "web-1");
    return now !== undefined && now.metadata.uid !== before;
  });
  await untilStatus(bed, { readyReplicas: 3 });
  await sets(bed).patch("web", { spec: { replicas: 1 } }, { type: "merge" });
  const seen: string[] = [];
  await bed.until(async () => {
    const names = (await podsOf(bed)).map(({ metadata }) => metadata.name).join(" ");
    if (seen.at(-1) !== names) seen.push(names);
    return names === "web-0";
  });
  expect(seen).toEqual(["web-0 web-1 web-2", "web-0 web-1", "web-0"]);
});

test("an update replaces Pods from the highest ordinal, keeps its revisions, and rolls back to a known one", async () => {
  const bed = await start({ startMs: 1000 });
  await create(bed, { revisionHistoryLimit: 1 });
  await untilStatus(bed, { readyReplicas: 3 });
  const first = (await sets(bed).get("web")).status.currentRevision;
  await sets(bed).patch("web", image("web:2"), { type: "merge" });
  await bed.until(async () => {
    const { status } = await sets(bed).get("web");
    return status.currentRevision !== first && status.readyReplicas === 3;
  });
  const second = (await sets(bed).get("web")).status.currentRevision;
  expect((await podsOf(bed)).map(({ spec }) => spec.containers[0]?.image)).toEqual([
    "web:2",
    "web:2",
    "web:2",
  ]);
  await sets(bed).patch("web", image("web:1"), { type: "merge" });
  await bed.until(async () => {
    const { status } = await sets(bed).get("web");
    return status.currentRevision === first && status.readyReplicas === 3;
  });
  const { items } = await bed.client.of(controllerRevisions, "default").list();
  expect(items.map(({ metadata, revision }) => [metadata.name, revision])).toEqual(
    expect.arrayContaining([
      [first, 3],
      [second, 2],
    ]),
  );
  expect(bed.complaints).toEqual([]);
});

test("a partition keeps the lower ordinals on their revision, even when they are deleted", async () => {
  const bed = await start();
  await create(bed, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } });
  await untilStatus(bed, { readyReplicas: 3 });
  await sets(bed).patch("web", image("web:2"), { type: "merge" });
  await untilStatus(bed, { updatedReplicas: 1, readyReplicas: 3 });
  const { uid } = (await bed.client.of(pods, "default").get("web-0")).metadata;
  await bed.client.of(pods, "default").delete("web-0");
  await bed.until(async () =>
    (await podsOf(bed)).some(({ metadata }) => metadata.name === "web-0" && metadata.uid !== uid),
  );
  expect((await podsOf(bed)).map(({ spec }) => spec.containers[0]?.image)).toEqual([
    "web:1",
    "web:1",
    "web:2",
  ]);
});

test("claims go with their StatefulSet or with a scale-down, as the retention policy says", async () => {
  const bed = await start();
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  await create(bed, {
    replicas: 2,
    volumeClaimTemplates: [claim],
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
  });
  await untilStatus(bed, { readyReplicas: 2 });
  const ownersOf = async (name: string) =>
    ((await bed.client.of(persistentVolumeClaims, "default").get(name)).metadata.ownerReferences ?? []).map(
      ({ kind }) => kind,
    );
  await bed.until(async () => (await ownersOf("data-web-1")).join() === "StatefulSet");
  await sets(bed).patch("web", { spec: { replicas: 1 } }, { type: "merge" });
  await bed.until(async () => (await podsOf(bed)).length === 1);
  expect(await ownersOf("data-web-1")).toEqual(["Pod"]);
  expect(await ownersOf("data-web-0")).toEqual(["StatefulSet"]);
});
