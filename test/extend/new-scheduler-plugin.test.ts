import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { events, nodes, pods } from "../../src/api/index.ts";
import { identities } from "../../src/cluster/identities.ts";
import type { KubeObject } from "../../src/meta/kind.ts";
import { type Handle, normalizeToMax, type Plugin, unschedulable } from "../../src/scheduler/framework.ts";
import { defaultProfile } from "../../src/scheduler/plugins.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { startCluster, type TestCluster, VirtualClock } from "../../src/testing/index.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { seededRandom } from "../../src/util/random.ts";

/*
 * All of a new scheduler plugin, as docs/checklists/add-a-scheduler-plugin.md has it: one object of pure functions, and
 * one entry of the list of plugins. A Pod goes to a node of at least its licence level, and to the lowest such level.
 */
const level = "example.com/level";

const levelOf = ({ metadata }: KubeObject) => Number(metadata.labels?.[level] ?? 0);

const licenceLevel: Plugin = {
  name: "LicenceLevel",
  preFilter(pod) {
    const wanted = levelOf(pod);
    const tooLow = unschedulable("node(s) had a licence level that is too low");
    return { type: "filtering", filter: ({ node }) => (levelOf(node) >= wanted ? undefined : tooLow) };
  },
  preScore: () => ({
    score: ({ node }) => levelOf(node),
    normalize: (scores) => normalizeToMax(scores, true),
  }),
  helps: (pod, event) =>
    (event.type === "nodeAdded" || event.type === "nodeUpdated") && levelOf(event.node) >= levelOf(pod),
};

const schedulerName = "licence-scheduler";

let cluster: TestCluster;
let clock: VirtualClock;
let stop: () => Promise<void>;
beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startCluster({ clock, nodes: 3 });
  const signal = new AbortController();
  const scheduler = new Scheduler({
    env: { clock, random: seededRandom(1), log: silentLogger },
    transport: cluster.as(identities.scheduler),
    profiles: new Map([
      [schedulerName, (handle: Handle) => [...defaultProfile(handle), { plugin: licenceLevel, weight: 100 }]],
    ]),
  });
  const ended = scheduler.run(signal.signal);
  stop = async () => {
    signal.abort();
    await ended;
    await cluster.stop();
  };
  await cluster.waitFor(async () => {
    const { items } = await cluster.client.of(nodes).list();
    return items.length === 3 && items.every(({ spec }) => (spec.taints ?? []).length === 0);
  });
  for (const own of ["1", "2", "3"]) await relabel(`node-${own}`, level, own);
});
afterEach(() => stop());

const relabel = (node: string, key: string, value: string) =>
  cluster.client.of(nodes).patch(node, { metadata: { labels: { [key]: value } } }, { type: "merge" });

const podsOf = () => cluster.client.of(pods, "default");

async function create(name: string, own: string): Promise<void> {
  const containers = [{ name: "main", image: "web:1" }];
  await podsOf().create({
    metadata: { name, labels: { [level]: own } },
    spec: { schedulerName, containers },
  });
}

const nodeOf = async (name: string) => (await podsOf().get(name)).spec.nodeName;

async function failures(name: string) {
  const { items } = await cluster.client.of(events, "default").list();
  return items.filter(
    ({ involvedObject, reason }) => involvedObject.name === name && reason === "FailedScheduling",
  );
}

describe("a new scheduler plugin", () => {
  test("prefers the nodes that it scores highest, among those that it lets pass", async () => {
    for (const own of ["1", "2", "3"]) await create(`pod-${own}`, own);
    await cluster.waitFor(async () =>
      (await podsOf().list()).items.every(({ spec }) => spec.nodeName !== undefined),
    );
    expect([await nodeOf("pod-1"), await nodeOf("pod-2"), await nodeOf("pod-3")]).toEqual([
      "node-1",
      "node-2",
      "node-3",
    ]);
  });

  test("gives its reason, and tries the Pod again once a node has changed so that it helps", async () => {
    await create("demanding", "4");
    await cluster.waitFor(async () => (await failures("demanding")).length > 0);
    const refused = {
      type: "Warning",
      message: expect.stringMatching(
        /^0\/3 nodes are available: 3 node\(s\) had a licence level that is too low\. no new claims to deallocate, preemption: /,
      ),
      source: { component: schedulerName },
      count: 1,
    };
    expect(await failures("demanding")).toMatchObject([refused]);
    await relabel("node-2", "example.com/colour", "blue");
    await clock.advance(60_000);
    expect(await failures("demanding")).toMatchObject([refused]);
    await relabel("node-2", level, "4");
    await cluster.waitFor(async () => (await nodeOf("demanding")) === "node-2", 30_000);
  });
});
