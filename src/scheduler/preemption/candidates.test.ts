import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import {
  type PodDisruptionBudget,
  podDisruptionBudgets,
} from "../../api/policy/pod-disruption-budget/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aNode, build, aPod, defaultPlugins } from "../builders.suite.ts";
import { prepareCycle, rejectionOf } from "../decide/cycle.ts";
import type { Candidate } from "../framework.ts";
import { Snapshot } from "../snapshot.ts";
import { divideByBudgets } from "./budgets.ts";
import { chooseCandidate } from "./choose.ts";
import { victimsOn } from "./victims.ts";

// Upstream's cases by value: `default_preemption_test.go`, `preemption_test.go`. Each node has 500m CPU and 500 bytes.

const priorities = new Map([
  ["neg", -100],
  ["low", 0],
  ["mid", 100],
  ["high", 1000],
  ["veryHigh", 10_000],
]);
const sizes = new Map([
  ["small", 100],
  ["medium", 200],
  ["large", 300],
  ["veryLarge", 500],
]);

/** Reads a Pod such as `p1 mid large @4 app=foo`: its priority, its size, its start in seconds, and its labels. */
function podFrom(text: string, spec: object = {}): Pod {
  const [name = "", ...words] = text.trim().split(" ");
  const size = words.map((word) => sizes.get(word)).find((one) => one !== undefined);
  const requests = size === undefined ? {} : { cpu: `${size}m`, memory: `${size}` };
  const priority = words.map((word) => priorities.get(word)).find((one) => one !== undefined);
  const start = words.find((word) => word.startsWith("@"));
  const pod = aPod(name, requests, { ...spec, ...(priority === undefined ? {} : { priority }) });
  const labels = Object.fromEntries(words.flatMap((word) => (word.includes("=") ? [word.split("=")] : [])));
  const startTime = start === undefined ? {} : { startTime: formatTime(Number(start.slice(1)) * 1000) };
  return { ...pod, metadata: { ...pod.metadata, labels }, status: { ...pod.status, ...startTime } };
}

type Nodes = Readonly<Record<string, string>>;
const allocatable = { cpu: "500m", memory: "500", pods: "100" };

/** Reads nodes, by name or by `name/zone`, and the Pods on them, separated by commas. */
function snapshotOf(nodes: Nodes, spec: (pod: string) => object = () => ({})): Snapshot {
  const snapshot = new Snapshot();
  for (const [place, pods] of Object.entries(nodes)) {
    const [name = "", zone] = place.split("/");
    const labels = { hostname: name, ...(zone === undefined ? {} : { zone }) };
    snapshot.setNode(aNode(name, {}, { labels, allocatable }));
    for (const text of pods === "" ? [] : pods.split(",")) {
      snapshot.setPod(podFrom(text, spec(text.trim().split(" ")[0] ?? "")), name);
    }
  }
  return snapshot;
}

/** The candidates among all nodes on which the Pod does not fit. */
function candidatesFor(pod: Pod, snapshot: Snapshot, budgets: readonly PodDisruptionBudget[] = []) {
  const cycle = prepareCycle(pod, defaultPlugins, snapshot);
  if ("rejection" in cycle) throw new Error("A plugin rejects the Pod on every node");
  return snapshot.nodes
    .filter((node) => rejectionOf(cycle, node) !== undefined)
    .map((node) => victimsOn(pod, node, cycle, budgets, snapshot))
    .filter((found): found is Candidate => "victims" in found);
}

const textOf = (candidates: readonly Candidate[]) =>
  candidates
    .map(({ node, victims, violations }) => {
      const names = victims.map(({ metadata }) => metadata.name ?? "").toSorted();
      return `${node}: ${names.join(" ")}${violations === 0 ? "" : ` (${violations})`}`;
    })
    .toSorted()
    .join(", ");

const spread = (topologyKey: string) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchExpressions: [{ key: "foo", operator: "Exists" }] },
});
const far = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: "hostname",
          labelSelector: { matchExpressions: [{ key: "foo", operator: "Exists" }] },
        },
      ],
    },
  },
};

describe("the candidates for a Pod", () => {
  const both = { node1: "p1 mid large", node2: "p2 mid large" };
  test.each<readonly [string, string, Nodes, string]>([
    ["on two nodes", "p high large", both, "node1: p1, node2: p2"],
    ["not of a higher priority", "p low large", both, ""],
    [
      "without a small Pod of low priority",
      "p high large",
      { node1: "p1.1 low small, p1.2 mid large", node2: "p2 mid large" },
      "node1: p1.2, node2: p2",
    ],
    [
      "of several priorities",
      "p high large",
      { node1: "p1.1 mid small, p1.2 low small, p1.3 mid medium, p1.4 high small", node2: "p2 high large" },
      "node1: p1.2 p1.3",
    ],
    [
      "the later of one priority",
      "p high large",
      {
        node1: "p1.1 low small @5, p1.2 low small @4, p1.3 mid medium @3, p1.4 high small @2",
        node2: "p2 high large @1",
      },
      "node1: p1.1 p1.3",
    ],
  ])("%s", (_, pod, nodes, expected) => {
    expect(textOf(candidatesFor(podFrom(pod), snapshotOf(nodes)))).toBe(expected);
  });

  test("that a Pod with anti-affinity keeps away", () => {
    const nodes = { node1: "p1.1 low small foo=, p1.2 mid small, p1.3 high small", node2: "p2 high small" };
    const snapshot = snapshotOf(nodes, (name) => (name === "p1.1" ? far : {}));
    expect(textOf(candidatesFor(podFrom("p high small foo="), snapshot))).toBe("node1: p1.1");
  });

  test("that spreads over zones and hosts", () => {
    const snapshot = snapshotOf({
      "node-a/zone1": "pod-a1 mid foo=, pod-a2 low foo=",
      "node-b/zone1": "pod-b1 low foo=",
      "node-x/zone2": "pod-x1 high foo=, pod-x2 high foo=",
    });
    const pod = podFrom("p high foo=", {
      topologySpreadConstraints: [spread("zone"), spread("hostname")],
    });
    expect(textOf(candidatesFor(pod, snapshot))).toBe("node-a: pod-a2, node-b: pod-b1");
  });

  const disrupted = (name: string) => ({ [name]: formatTime(0) });
  test.each<readonly [string, number, object, string]>([
    ["with a violation", 2, {}, "node1: p1.1 p1.2 (1)"],
    ["whose eviction is not granted", 2, disrupted("p2"), "node1: p1.1 p1.2 (1)"],
    ["whose eviction is granted", 2, disrupted("p1.2"), "node1: p1.1 p1.2"],
    ["of which one is granted", 3, disrupted("p1.3"), "node1: p1.1 p1.2 p1.3 (1)"],
  ])("%s of a budget", (_, count, disruptedPods, expected) => {
    const pods = Array.from({ length: count }, (__, i) => `p1.${i + 1} mid medium app=foo`);
    const size = { cpu: `${200 * count}m`, memory: `${200 * count}`, pods: "9" };
    const snapshot = snapshotOf({ node1: pods.join(",") });
    snapshot.setNode(aNode("node1", {}, { labels: { hostname: "node1" }, allocatable: size }));
    const pod = aPod("p", { cpu: size.cpu, memory: size.memory }, { priority: 1000 });
    const budgets = [budget({ app: "foo" }, 1, disruptedPods)];
    expect(textOf(candidatesFor(pod, snapshot, budgets))).toBe(expected);
  });
});

function budget(matchLabels: object, disruptionsAllowed: number, disruptedPods: object = {}) {
  return build(podDisruptionBudgets, {
    metadata: { name: "b", namespace: "default" },
    spec: { selector: { matchLabels } },
    status: { disruptionsAllowed, disruptedPods, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  });
}

describe("of the candidates", () => {
  test.each<readonly [string, string, Nodes, readonly string[]]>([
    [
      "either of equals",
      "p high large",
      { node1: "p1 mid large @0", node2: "p2 mid large @0" },
      ["node1", "node2"],
    ],
    [
      "the lowest highest priority",
      "p high veryLarge",
      {
        node1: "p1.1 mid medium @0, p1.2 mid large @0",
        node2: "p2.1 mid medium @0, p2.2 low medium @0",
        node3: "p3.1 low medium @0, p3.2 low medium @0",
      },
      ["node3"],
    ],
    [
      "the smallest sum of priorities",
      "p high veryLarge",
      {
        node1: "p1.1 mid medium @0, p1.2 mid large @0",
        node2: "p2.1 mid large @0, p2.2 low medium @0",
        node3: "p3.1 mid medium @0, p3.2 mid medium @0",
      },
      ["node2"],
    ],
    [
      "the fewest Pods",
      "p high veryLarge",
      {
        node1: "p1.1 mid small @0, p1.2 neg small @0, p1.3 mid small @0, p1.4 neg small @0",
        node2: "p2.1 mid large @0, p2.2 neg medium @0",
        node3: "p3.1 mid medium @0, p3.2 neg small @0, p3.3 low small @0",
      },
      ["node2"],
    ],
    [
      "the smallest sum with negative priorities",
      "p high veryLarge",
      {
        node1: "p1.1 mid small @0, p1.2 neg small @0, p1.3 neg small @0",
        node2: "p2.1 mid large @0, p2.2 neg medium @0",
        node3: "p3.1 mid medium @0, p3.2 neg small @0, p3.3 low small @0",
      },
      ["node2"],
    ],
    [
      "the first rule that decides",
      "p veryHigh veryLarge",
      {
        node1: "p1.1 mid small @0, p1.2 low small @0, p1.3 low small @0",
        node2: "p2.1 high large @0",
        node3: "p3.1 mid medium @0, p3.2 low small @0, p3.3 low small @0, p3.4 low medium @0",
        node4: "p4.1 mid medium @0, p4.2 mid small @0, p4.3 mid small @0, p4.4 neg small @0",
      },
      ["node1"],
    ],
    [
      "the latest start",
      "p high veryLarge",
      {
        node1: "p1.1 mid medium @2, p1.2 mid medium @2",
        node2: "p2.1 mid medium @3, p2.2 mid medium @3",
        node3: "p3.1 mid medium @1, p3.2 mid medium @1",
      },
      ["node2"],
    ],
    [
      "the latest of the earliest starts",
      "p high veryLarge",
      {
        node1: "p1.1 mid medium @4, p1.2 mid medium @2",
        node2: "p2.1 mid medium @5, p2.2 mid medium @1",
        node3: "p3.1 mid medium @3, p3.2 mid medium @6",
      },
      ["node3"],
    ],
    [
      "the latest start of the highest priority",
      "p high veryLarge",
      {
        node1: "p1.1 low medium @4, p1.2 mid medium @2",
        node2: "p2.1 mid medium @6, p2.2 low medium @1",
        node3: "p3.1 low medium @3, p3.2 mid medium @5",
      },
      ["node2"],
    ],
  ])("%s is chosen", (_, pod, nodes, expected) => {
    expect(expected).toContain(chooseCandidate(candidatesFor(podFrom(pod), snapshotOf(nodes)))?.node);
  });
});

describe("the violations of budgets", () => {
  const a = podFrom("p1 app=foo");
  const b = podFrom("p2 app=foo");
  const tiered = podFrom("p1 app=foo tier=backend");
  const elsewhere = { ...a, metadata: { ...a.metadata, namespace: "" } };
  const everything = { ...budget({}, 0), spec: { selector: {} } };
  test.each<readonly [string, readonly Pod[], readonly PodDisruptionBudget[], string]>([
    ["none", [], [], " | "],
    ["no match", [elsewhere], [budget({ app: "bar" }, 0)], " | p1"],
    ["one allowed", [a], [budget({ app: "foo" }, 1)], " | p1"],
    ["none allowed", [a], [budget({ app: "foo" }, 0)], "p1 | "],
    ["one of two allowed", [a, b], [budget({ app: "foo" }, 1)], "p2 | p1"],
    ["two allowed", [a, b], [budget({ app: "foo" }, 2)], " | p1 p2"],
    ["granted", [a], [budget({ app: "foo" }, 0, { p1: formatTime(0) })], " | p1"],
    ["empty selector", [a], [everything], " | p1"],
    ["two budgets", [tiered], [budget({ app: "foo" }, 1), budget({ tier: "backend" }, 0)], "p1 | "],
  ])("%s", (_, pods, budgets, expected) => {
    const { violating, others } = divideByBudgets(pods, budgets);
    const names = (some: readonly Pod[]) => some.map(({ metadata }) => metadata.name).join(" ");
    expect(`${names(violating)} | ${names(others)}`).toBe(expected);
  });
});
