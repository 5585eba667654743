import { expect, test } from "vitest";
import { type Pod, pods } from "../../src/api/index.ts";
import { identities } from "../../src/cluster/identities.ts";
import { build } from "../../src/scheduler/builders.suite.ts";
import { isInShard } from "../../src/scheduler/shard.ts";
import { Scheduler } from "../../src/scheduler/scheduler.ts";
import { startCluster, VirtualClock } from "../../src/testing/index.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { seededRandom } from "../../src/util/random.ts";

const total = 3;

interface Result {
  /** The names of the Pods on each node that has any. */
  readonly nodes: readonly (readonly string[])[];
  readonly conflicts: number;
}

interface NewPod {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly cpu: string;
  readonly affinity?: object;
}

/** Has three schedulers that share the Pods place all of them at once, until `bound` have a node. */
async function schedule(nodes: number, wanted: readonly NewPod[], bound = wanted.length): Promise<Result> {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, nodes, schedules: false });
  const own = cluster.client.of(pods, "default");
  for (const { name, labels = {}, cpu, affinity } of wanted) {
    const container = { name: "main", image: "web:1", resources: { requests: { cpu } } };
    await own.create({ metadata: { name, labels }, spec: { containers: [container], affinity } });
  }
  // All nodes are ready, so that all three have the same choice at the same time.
  await clock.advance(10_000);
  const placed = async () => (await own.list()).items.filter(({ spec }: Pod) => spec.nodeName !== undefined);
  const stop = new AbortController();
  const schedulers = Array.from({ length: total }, (_, index) => {
    const env = { clock, random: seededRandom(index), log: silentLogger };
    return new Scheduler({ env, transport: cluster.as(identities.scheduler), shard: { index, total } });
  });
  const ended = schedulers.map((one) => one.run(stop.signal));
  try {
    await cluster.waitFor(async () => (await placed()).length >= bound);
    await clock.advance(60_000);
    const byNode = Map.groupBy(await placed(), ({ spec }) => spec.nodeName);
    return {
      nodes: [...byNode.values()].map((each) => each.map(({ metadata }) => metadata.name ?? "")),
      conflicts: schedulers.reduce((sum, { conflicts }) => sum + conflicts, 0),
    };
  } finally {
    stop.abort();
    await Promise.all(ended);
    await cluster.stop();
  }
}

test("three schedulers fill all nodes at once, and none is overcommitted", async () => {
  // A node has 32 CPUs: twenty such Pods fill all five, and ten wait.
  const wanted = Array.from({ length: 30 }, (_, i) => ({ name: `web-${i}`, cpu: "8" }));
  const { nodes, conflicts } = await schedule(5, wanted, 20);
  expect(nodes.map((names) => names.length)).toEqual([4, 4, 4, 4, 4]);
  expect(conflicts).toBeGreaterThan(0);
});

test("Pods that may use devices belong to the first scheduler, and others to any", () => {
  const belongsTo = (spec: object, requests: object = {}) =>
    Array.from({ length: 20 }, (_, i) => {
      const containers = [{ name: "main", image: "web:1", resources: { requests } }];
      const pod = {
        ...build(pods, { metadata: { name: "p", uid: `uid-${i}` }, spec: { containers, ...spec } }),
      };
      return [0, 1, 2].filter((index) => isInShard({ index, total }, pod)).join();
    });
  const first = new Set(["0"]);
  expect(new Set(belongsTo({ resourceClaims: [{ name: "gpu", resourceClaimName: "mine" }] }))).toEqual(first);
  expect(new Set(belongsTo({}, { "example.com/gpu": "1" }))).toEqual(first);
  expect(new Set(belongsTo({}, { cpu: "1" }))).toEqual(new Set(["0", "1", "2"]));
});

test("rules that look beyond a node hold between the schedulers", async () => {
  const term = { labelSelector: { matchLabels: { app: "loner" } }, topologyKey: "kubernetes.io/hostname" };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const loner = { labels: { app: "loner" }, cpu: "1" };
  // All but the meek keep every loner away: each needs a node for itself.
  const strict = Array.from({ length: 11 }, (_, i) => ({ ...loner, name: `strict-${i}`, affinity }));
  const { nodes } = await schedule(12, [{ ...loner, name: "meek" }, ...strict]);
  expect(nodes.map((names) => names.length)).toEqual(Array.from({ length: 12 }, () => 1));
});
