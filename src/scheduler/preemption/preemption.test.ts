import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodDisruptionBudget } from "../../api/policy/pod-disruption-budget/schema.ts";
import { seededRandom } from "../../util/random.ts";
import { aNode, aPod, defaultPlugins } from "../builders.suite.ts";
import { Decider } from "../decide/decider.ts";
import { Snapshot } from "../snapshot.ts";
import { chooseCandidate } from "./choose.ts";
import { defaultPreemption } from "./plan.ts";

interface Parts {
  readonly priority?: number;
  readonly cpu?: string;
  readonly startTime?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

function podWith(
  name: string,
  { priority = 0, cpu = "1", startTime, labels = {}, spec = {} }: Parts = {},
): Pod {
  const pod = aPod(name, { cpu }, { priority, ...spec });
  const status = startTime === undefined ? pod.status : { ...pod.status, startTime };
  return { ...pod, metadata: { ...pod.metadata, labels }, status };
}

function budget(app: string, disruptionsAllowed: number): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: app, namespace: "default" },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  };
}

/** The plugin's answer for a Pod that fits nowhere: node and victims, or its message. */
function preempt(
  pod: Pod,
  nodes: Readonly<Record<string, readonly Pod[]>>,
  budgets: readonly PodDisruptionBudget[] = [],
) {
  const snapshot = new Snapshot();
  for (const [name, pods] of Object.entries(nodes)) {
    snapshot.setNode(aNode(name, {}, { labels: { "kubernetes.io/hostname": name } }));
    for (const one of pods) snapshot.setPod(one, name);
  }
  const random = seededRandom(1);
  const outcome = new Decider({ plugins: defaultPlugins, snapshot, random }).decide(pod);
  if (outcome.type === "node") return `fits on ${outcome.node.name}`;
  const { resolvable } = outcome.error;
  const found = defaultPreemption().postFilter?.(pod, {
    snapshot,
    plugins: defaultPlugins,
    budgets,
    resolvable,
    random,
  });
  if (found?.type !== "preempt") return found?.why;
  return [found.candidate.node, ...found.candidate.victims.map(({ metadata }) => metadata.name)].join(" ");
}

const high = podWith("high", { priority: 100, cpu: "2" });

describe("preemption", () => {
  test("removes the fewest, and the least important, Pods that make room", () => {
    const four = [
      podWith("a", { priority: 10 }),
      podWith("b", { priority: 20 }),
      podWith("c", { priority: 5 }),
      podWith("d", { priority: 50 }),
    ];
    expect(preempt(high, { n: four })).toBe("n a c");
  });

  test("among Pods of one priority, the younger ones go", () => {
    const at = (name: string, hour: number) => podWith(name, { startTime: `2026-01-01T0${hour}:00:00Z` });
    expect(preempt(high, { n: [at("old", 1), at("young", 4), at("middle", 2), at("younger", 5)] })).toBe(
      "n young younger",
    );
  });

  test("never removes Pods of the same or a higher priority", () => {
    const same = [podWith("a", { priority: 100, cpu: "2" }), podWith("b", { priority: 200, cpu: "2" })];
    expect(preempt(high, { n: same })).toBe(
      "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    );
  });

  test("does not remove Pods where that would not make enough room", () => {
    const pods = [podWith("a", { cpu: "1" }), podWith("b", { priority: 200, cpu: "3" })];
    expect(preempt(high, { n: pods })).toBe("preemption: 0/1 nodes are available: 1 Insufficient cpu.");
  });

  test("prefers the node where no disruption budget is violated", () => {
    const guarded = [podWith("a", { cpu: "4", labels: { app: "a" } })];
    const open = [podWith("b", { cpu: "4", priority: 50 })];
    expect(preempt(high, { n: guarded, m: open }, [budget("a", 0)])).toBe("m b");
    expect(preempt(high, { n: guarded, m: open }, [budget("a", 1)])).toBe("n a");
  });

  test("on one node, spares the Pods whose budget allows no disruption", () => {
    const pods = [podWith("a", { cpu: "2", labels: { app: "a" } }), podWith("b", { cpu: "2", priority: 50 })];
    expect(preempt(high, { n: pods }, [budget("a", 0)])).toBe("n b");
    expect(preempt(high, { n: pods })).toBe("n a");
  });

  test("makes way for anti-affinity, too", () => {
    const far = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: "a" } }, topologyKey: "kubernetes.io/hostname" },
        ],
      },
    };
    const loner = podWith("loner", { priority: 100, spec: { affinity: far } });
    expect(preempt(loner, { n: [podWith("a", { labels: { app: "a" } }), podWith("b")] })).toBe("n a");
  });

  test("leaves out nodes where no removal helps", () => {
    const nowhere = podWith("p", { priority: 100, spec: { nodeSelector: { disk: "ssd" } } });
    expect(preempt(nowhere, { n: [podWith("a")] })).toBe(
      "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    );
  });
});

/** The rules in their order, each with a case that no earlier rule decides (upstream's `pickOneNodeForPreemption`). */
test.each([
  ["fewest violations", { violations: 1, victims: [1] }, { violations: 0, victims: [50, 50] }],
  ["lowest highest priority", { violations: 0, victims: [20] }, { violations: 0, victims: [10, 10] }],
  ["smallest sum of priorities", { violations: 0, victims: [20, 10] }, { violations: 0, victims: [20, 5] }],
  [
    "negative priorities: fewest victims",
    { violations: 0, victims: [-1, -50] },
    { violations: 0, victims: [-1] },
  ],
])("the candidate is chosen by the %s", (_, worse, better) => {
  const candidate = (node: string, { violations, victims }: typeof worse) => ({
    node,
    violations,
    victims: victims.map((priority, i) => podWith(`${node}${i}`, { priority })),
  });
  const both = [candidate("worse", worse), candidate("better", better)];
  expect(chooseCandidate(both)?.node).toBe("better");
  expect(chooseCandidate(both.toReversed())?.node).toBe("better");
});

test("among equals, the candidate whose most important victim started last is chosen", () => {
  const candidate = (node: string, startTime: string) => ({
    node,
    violations: 0,
    victims: [podWith(node, { startTime })],
  });
  const both = [candidate("old", "2026-01-01T00:00:00Z"), candidate("young", "2026-01-02T00:00:00Z")];
  expect(chooseCandidate(both)?.node).toBe("young");
});
