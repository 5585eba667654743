import { expect, test } from "vitest";
import { pods } from "../../api/core/pod/schema.ts";
import { replicationControllers } from "../../api/core/replication-controller/schema.ts";
import { template } from "../builders.suite.ts";
import { pretendNodes, startTestbed } from "../testbed.suite.ts";
import { replicationController } from "./controller.ts";

const spec = { replicas: 2, selector: { app: "web" }, template };

test("a ReplicationController creates its Pods, counts them in its status and follows its scale", async () => {
  const bed = await startTestbed((env) => [replicationController(env.clock)]);
  bed.runAsAdmin(pretendNodes(bed.env));
  const own = bed.client.of(replicationControllers, "default");
  const podsOf = async () => (await bed.client.of(pods, "default").list()).items;
  await own.create({ metadata: { name: "web" }, spec });
  await bed.until(async () => (await own.get("web")).status.availableReplicas === 2);
  expect((await own.get("web")).status).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
  const [pod] = await podsOf();
  expect(pod?.metadata.ownerReferences).toMatchObject([
    {
      apiVersion: "v1",
      kind: "ReplicationController",
      name: "web",
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
  await own.patch("web", { spec: { replicas: 1 } }, { type: "merge" });
  await bed.until(async () => (await podsOf()).length === 1);
  expect(bed.complaints).toEqual([]);
});

test("a ReplicationController adopts the orphans that it selects, and releases a Pod that it selects no more", async () => {
  const bed = await startTestbed((env) => [replicationController(env.clock)]);
  bed.runAsAdmin(pretendNodes(bed.env));
  const ofPods = bed.client.of(pods, "default");
  const ownersOf = async (name: string) => (await ofPods.get(name)).metadata.ownerReferences ?? [];
  await ofPods.create({ metadata: { name: "orphan", labels: { app: "web" } }, spec: template.spec });
  await bed.client
    .of(replicationControllers, "default")
    .create({ metadata: { name: "web" }, spec: { ...spec, replicas: 1 } });
  await bed.until(async () => (await ownersOf("orphan")).length === 1);
  expect((await ofPods.list()).items).toHaveLength(1);
  await ofPods.patch("orphan", { metadata: { labels: { app: "other" } } }, { type: "merge" });
  await bed.until(async () => (await ownersOf("orphan")).length === 0);
  await bed.until(async () => (await ofPods.list()).items.length === 2);
});
