import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodDisruptionBudget } from "../../api/policy/pod-disruption-budget/schema.ts";
import { seededRandom } from "../../util/random.ts";
import { aNode, aPod, defaultPlugins } from "../builders.suite.ts";
import { Decider } from "../decide/decider.ts";
import type { Preemption } from "../framework.ts";
import { Snapshot } from "../snapshot.ts";
import { prepareCycle, rejectionOf } from "../decide/cycle.ts";
import { divideByBudgets } from "./budgets.ts";
import { chooseCandidate } from "./choose.ts";
import { byImportance } from "./importance.ts";
import { victimsOn } from "./victims.ts";
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

/** The plugin's answer, for which it asks nobody. */
function atOnce(found: Preemption | Promise<Preemption> | undefined): Preemption | undefined {
  if (found instanceof Promise) throw new TypeError("the plugin asks extenders");
  return found;
}

/** The plugin's answer for a Pod that fits nowhere: node and victims, or its message. */
function preempt(
  pod: Pod,
  nodes: Readonly<Record<string, readonly Pod[]>>,
  budgets: readonly PodDisruptionBudget[] = [],
  nominated: readonly Pod[] = [],
) {
  const snapshot = new Snapshot();
  for (const [name, pods] of Object.entries(nodes)) {
    snapshot.setNode(aNode(name, {}, { labels: { "kubernetes.io/hostname": name } }));
    for (const one of pods) snapshot.setPod(one, name);
  }
  for (const one of nominated) snapshot.nominate(one, "n");
  const random = seededRandom(1);
  const outcome = new Decider({ plugins: defaultPlugins, snapshot, random }).decide(pod);
  if (outcome.type === "node") return `fits on ${outcome.node.name}`;
  const { resolvable } = outcome.error;
  const found = atOnce(
    defaultPreemption().postFilter?.(pod, { snapshot, plugins: defaultPlugins, budgets, resolvable, random }),
  );
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

  test("the room that another Pod's victims leave is not free, unless that Pod is less important", () => {
    const pods = [podWith("a"), podWith("b"), podWith("c"), podWith("d")];
    const waiting = (priority: number) => [podWith("waiting", { priority, cpu: "1" })];
    expect(preempt(high, { n: pods })).toBe("n c d");
    expect(preempt(high, { n: pods }, [], waiting(100))).toBe("n b c d");
    expect(preempt(high, { n: pods }, [], waiting(99))).toBe("n c d");
    const all = [podWith("waiting", { priority: 100, cpu: "3" })];
    expect(preempt(high, { n: pods }, [], all)).toBe(
      "preemption: 0/1 nodes are available: 1 Insufficient cpu.",
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

describe("a Pod that may not preempt", () => {
  const node = (...pods: readonly Pod[]) => {
    const snapshot = new Snapshot();
    snapshot.setNode(aNode("n"));
    for (const one of pods) snapshot.setPod(one, "n");
    return snapshot;
  };
  const postFilter = (
    pod: Pod,
    snapshot: Snapshot,
    plugins = defaultPlugins,
    resolvable: readonly string[] = ["n", "gone"],
  ) =>
    defaultPreemption().postFilter?.(pod, {
      snapshot,
      plugins,
      budgets: [],
      resolvable,
      random: seededRandom(1),
    });
  const ending = (pod: Pod, reason = "PreemptionByScheduler"): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
    status: { ...pod.status, conditions: [{ type: "DisruptionTarget", status: "True", reason }] },
  });
  const nominated = { ...high, status: { ...high.status, nominatedNodeName: "n" } };
  const none = (why: string, isUnderWay = false) => ({ type: "none", why, isUnderWay });

  test("because of its policy, does not", () => {
    const polite = podWith("polite", { priority: 100, cpu: "2", spec: { preemptionPolicy: "Never" } });
    expect(postFilter(polite, node(podWith("a", { cpu: "4" })))).toEqual(
      none("preemption: not eligible due to preemptionPolicy=Never."),
    );
  });

  test("because its victims are still terminating, waits", () => {
    const waits = none("preemption: not eligible due to a terminating pod on the nominated node.", true);
    const full = podWith("a", { cpu: "4" });
    expect(postFilter(nominated, node(ending(full)))).toEqual(waits);
    expect(postFilter(nominated, node(full))).toMatchObject({ type: "preempt" });
    expect(postFilter(high, node(ending(full)))).toMatchObject({ type: "preempt" });
    const equal = podWith("a", { cpu: "4", priority: 100 });
    expect(postFilter(nominated, node(ending(equal)))).toMatchObject({ isUnderWay: false });
    const evicted = ending(full, "EvictionByEvictionAPI");
    expect(postFilter(nominated, node(evicted))).toMatchObject({ type: "preempt" });
    expect(postFilter(nominated, node(ending(full)), defaultPlugins, [])).toMatchObject({
      isUnderWay: false,
    });
  });

  test("because a plugin rejects it on every node, does not", () => {
    const rejecting = { name: "R", preFilter: () => ({ type: "rejection", reason: "no" }) as const };
    const plugins = [{ plugin: rejecting, weight: 0 }];
    expect(postFilter(high, node(podWith("a", { cpu: "4" })), plugins)).toEqual(
      none("preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."),
    );
  });
});

test("the search looks at a tenth of the nodes, but at 100 at least, from a random one on", () => {
  const search = (count: number, seed: number) => {
    const snapshot = new Snapshot();
    const names = Array.from({ length: count }, (_, i) => `n${i}`);
    for (const [i, name] of names.entries()) {
      snapshot.setNode(aNode(name));
      // The best victims are on the last node.
      snapshot.setPod(podWith(`p${i}`, { cpu: "4", priority: count - i }), name);
    }
    const found = atOnce(
      defaultPreemption().postFilter?.(podWith("high", { priority: 10_000, cpu: "2" }), {
        snapshot,
        plugins: defaultPlugins,
        budgets: [],
        resolvable: names,
        random: seededRandom(seed),
      }),
    );
    return found?.type === "preempt" ? Number(found.candidate.node.slice(1)) : -1;
  };
  // All of 100 nodes are looked at, wherever the search begins.
  expect([1, 2, 3].map((seed) => search(100, seed))).toEqual([99, 99, 99]);
  const chosen = [1, 2, 3, 4].map((seed) => search(300, seed));
  expect(new Set(chosen).size).toBeGreaterThan(1);
  // The best of 100 nodes in a row, round the end.
  for (const [i, last] of chosen.entries()) {
    const start = Math.floor(seededRandom(i + 1).next() * 300);
    expect(last).toBe(start > 200 ? 299 : start + 99);
  }
});

test("the search goes on until a candidate violates no budget", () => {
  const snapshot = new Snapshot();
  const names = Array.from({ length: 300 }, (_, i) => `n${i}`);
  for (const name of names) {
    snapshot.setNode(aNode(name));
    const labels = name === "n299" ? {} : { app: "guarded" };
    snapshot.setPod(podWith(`pod-${name}`, { cpu: "4", labels }), name);
  }
  const context = { snapshot, plugins: defaultPlugins, resolvable: names, budgets: [budget("guarded", 0)] };
  for (const seed of [1, 2, 3, 4]) {
    const found = defaultPreemption().postFilter?.(high, { ...context, random: seededRandom(seed) });
    expect(found).toMatchObject({ candidate: { node: "n299", violations: 0 } });
  }
});

test("reasons why no node is a candidate are sorted, beside the nodes that were not looked at", () => {
  const same = podWith("same", { priority: 100, cpu: "4" });
  const some = [podWith("x", { priority: 100, cpu: "3" }), podWith("y", { cpu: "1" })];
  const taken = podWith("q", { cpu: "4" });
  const selected = podWith("p", { priority: 100, cpu: "2", spec: { nodeSelector: { role: "work" } } });
  const snapshot = new Snapshot();
  for (const [name, role, pods] of [
    ["a", "work", [same]],
    ["b", "work", some],
    ["c", "other", [taken]],
  ] as const) {
    snapshot.setNode(aNode(name, {}, { labels: { role } }));
    for (const one of pods)
      snapshot.setPod({ ...one, metadata: { ...one.metadata, uid: `${name}${one.metadata.uid}` } }, name);
  }
  const context = { snapshot, plugins: defaultPlugins, budgets: [], random: seededRandom(1) };
  const found = defaultPreemption().postFilter?.(selected, { ...context, resolvable: ["b", "a"] });
  expect(found).toMatchObject({
    why: "preemption: 0/3 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.",
  });
  const nothing = defaultPreemption().postFilter?.(selected, { ...context, resolvable: [] });
  expect(nothing).toMatchObject({
    why: "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
  });
});

describe("disruption budgets", () => {
  const labels = { app: "a" };
  const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).join(" ");
  const divide = (pods: readonly Pod[], ...budgets: readonly PodDisruptionBudget[]) => {
    const { violating, others } = divideByBudgets(pods, budgets);
    return `${names(violating)} | ${names(others)}`;
  };
  const [a, b, c] = [podWith("a", { labels }), podWith("b", { labels }), podWith("c", { labels })] as const;

  test("allow as many removals as they say, one after the other", () => {
    expect(divide([a, b, c], budget("a", 2))).toBe("c | a b");
    expect(divide([a, b, c], budget("a", 2), budget("a", 1))).toBe("b c | a");
    expect(divide([a, b, c])).toBe(" | a b c");
  });

  test("do not look at Pods of other namespaces, of other labels or without labels", () => {
    const elsewhere = { ...a, metadata: { ...a.metadata, namespace: "other" } };
    const other = podWith("other", { labels: { app: "b" } });
    const { labels: _, ...bare } = a.metadata;
    const exists = budget("a", 0);
    const notA = { matchExpressions: [{ key: "tier", operator: "DoesNotExist" as const, values: [] }] };
    const unlabelled = { ...exists, spec: { selector: notA } };
    expect(divide([elsewhere, other, { ...a, metadata: bare }], budget("a", 0))).toBe(" | a other a");
    expect(
      divide([{ ...a, metadata: { ...bare, labels: {} } }, { ...a, metadata: bare }, b], unlabelled),
    ).toBe("b | a a");
  });

  test("with an empty selector, or for Pods whose eviction is granted already, do not count", () => {
    const all = { ...budget("a", 0), spec: { selector: {} } };
    expect(divide([a], all)).toBe(" | a");
    const granted = budget("a", 0);
    const disruptedPods = { a: "2026-01-01T00:00:00Z" };
    expect(divide([a, b], { ...granted, status: { ...granted.status, disruptedPods } })).toBe("b | a");
  });
});

test("a Pod that has not started is the least important of its priority", () => {
  const young = podWith("young", { startTime: "2026-01-01T09:00:00Z" });
  const waiting = podWith("waiting");
  expect(byImportance(young, waiting)).toBeLessThan(0);
  expect(byImportance(waiting, young)).toBeGreaterThan(0);
  expect(byImportance(waiting, podWith("other"))).toBe(0);
});

test("the states of plugins are as before after a search for victims", () => {
  const terms = [{ labelSelector: { matchLabels: { app: "a" } }, topologyKey: "kubernetes.io/hostname" }];
  const far = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  const loner = podWith("loner", { priority: 100, cpu: "2", spec: { affinity: far } });
  const snapshot = new Snapshot();
  snapshot.setNode(aNode("n", {}, { labels: { "kubernetes.io/hostname": "n" } }));
  const blocking = podWith("blocking", { labels: { app: "a" }, cpu: "1" });
  snapshot.setPod(blocking, "n");
  const node = snapshot.node("n");
  const cycle = prepareCycle(loner, defaultPlugins, snapshot);
  if (node === undefined || "rejection" in cycle) throw new Error("The Pod fits nowhere by its affinity");
  const before = rejectionOf(cycle, node);
  expect(before?.plugin).toBe("InterPodAffinity");
  expect(victimsOn(loner, node, cycle, [], snapshot)).toMatchObject({ victims: [blocking], violations: 0 });
  expect(rejectionOf(cycle, node)).toEqual(before);
  const guarded = victimsOn(loner, node, cycle, [budget("a", 0)], snapshot);
  expect(guarded).toMatchObject({ violations: 1 });
  const huge = podWith("huge", { priority: 100, cpu: "9", spec: { affinity: far } });
  const hugeCycle = prepareCycle(huge, defaultPlugins, snapshot);
  if ("rejection" in hugeCycle) throw new Error("No plugin rejects the Pod itself");
  expect(victimsOn(huge, node, hugeCycle, [], snapshot)).toEqual({ reasons: ["Insufficient cpu"] });
  expect(hugeCycle.filters.find(({ name }) => name === "InterPodAffinity")?.state.filter(node)).toBeDefined();
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

test("only the most important victims decide by their start", () => {
  const at = (name: string, priority: number, startTime: string) => podWith(name, { priority, startTime });
  const candidate = (node: string, start: string, otherStart: string) => ({
    node,
    violations: 0,
    victims: [at("a", 10, start), at("b", 1, otherStart)],
  });
  const old = candidate("old", "2026-01-01T00:00:00Z", "2026-01-09T00:00:00Z");
  const young = candidate("young", "2026-01-02T00:00:00Z", "2025-01-01T00:00:00Z");
  expect(chooseCandidate([old, young])?.node).toBe("young");
  expect(chooseCandidate([young])?.node).toBe("young");
  expect(chooseCandidate([])).toBeUndefined();
});
