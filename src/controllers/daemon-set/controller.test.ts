import { expect, test } from "vitest";
import { controllerRevisions } from "../../api/apps/controller-revision/schema.ts";
import { daemonSets } from "../../api/apps/daemon-set/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { template } from "../builders.suite.ts";
import { pretendNodes, startTestbed, type Testbed } from "../testbed.suite.ts";
import { daemonSetController } from "./controller.ts";

async function start(count: number): Promise<Testbed> {
  const bed = await startTestbed((env) => [daemonSetController(env.clock)]);
  bed.runAsAdmin(pretendNodes(bed.env, { startMs: 500 }));
  for (let i = 1; i <= count; i++) await addNode(bed, `n${i}`);
  return bed;
}

async function addNode({ client }: Testbed, name: string): Promise<void> {
  await client.of(nodes).create({ metadata: { name }, spec: {} });
  // A new node has a taint until it is ready.
  await client.of(nodes).patch(name, { spec: { taints: null } }, { type: "merge" });
}

const sets = ({ client }: Testbed) => client.of(daemonSets, "default");
const podsOf = async ({ client }: Testbed) => (await client.of(pods, "default").list()).items;
const create = (bed: Testbed, spec: object = {}) =>
  sets(bed).create({
    metadata: { name: "agent" },
    spec: { selector: { matchLabels: { app: "web" } }, template, ...spec },
  });
const targets = async (bed: Testbed) =>
  (await podsOf(bed))
    .flatMap(
      ({ spec }) =>
        spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [],
    )
    .flatMap(({ matchFields = [] }) => matchFields.flatMap(({ values = [] }) => values))
    .sort();

test("every node gets a Pod that is meant for it, and so does a node that comes later", async () => {
  const bed = await start(2);
  await create(bed);
  await bed.until(async () => (await podsOf(bed)).length === 2);
  expect(await targets(bed)).toEqual(["n1", "n2"]);
  const [pod] = await podsOf(bed);
  expect(pod?.metadata.ownerReferences).toMatchObject([
    { kind: "DaemonSet", name: "agent", controller: true },
  ]);
  expect(pod?.spec.tolerations?.map(({ key }) => key)).toContain("node.kubernetes.io/unschedulable");
  await addNode(bed, "n3");
  await bed.until(async () => (await podsOf(bed)).length === 3);
  expect(await targets(bed)).toEqual(["n1", "n2", "n3"]);
  const [revision] = (await bed.client.of(controllerRevisions, "default").list()).items;
  const hash = pod?.metadata.labels?.["controller-revision-hash"];
  expect(revision?.metadata.name).toBe(`agent-${hash}`);
  expect(bed.complaints).toEqual([]);
});

test("a Pod goes when its node gets a taint that it does not tolerate", async () => {
  const bed = await start(2);
  await create(bed);
  await bed.until(async () => (await podsOf(bed)).length === 2);
  await bed.client
    .of(nodes)
    .patch("n1", { spec: { taints: [{ key: "only", effect: "NoExecute" }] } }, { type: "merge" });
  await bed.until(async () => (await targets(bed)).join() === "n2");
  await bed.until(async () => (await sets(bed).get("agent")).status.desiredNumberScheduled === 1);
});

test("failed Pods of a node are deleted after a delay that doubles", async () => {
  const bed = await startTestbed((env) => [daemonSetController(env.clock)]);
  await addNode(bed, "n1");
  await create(bed);
  const client = bed.client.of(pods, "default");
  const delays: number[] = [];
  for (let i = 0; i < 4; i++) {
    await bed.until(async () => (await podsOf(bed)).length === 1);
    const [pod] = await podsOf(bed);
    if (pod === undefined) throw new Error("The node has no Pod");
    await client.updateStatus({ ...pod, status: { ...pod.status, phase: "Failed" } });
    const failedAt = bed.clock.now();
    await bed.until(async () =>
      (await podsOf(bed)).every(({ metadata }) => metadata.uid !== pod.metadata.uid),
    );
    delays.push(Math.round((bed.clock.now() - failedAt) / 1000));
  }
  expect(delays).toEqual([0, 1, 2, 4]);
});
