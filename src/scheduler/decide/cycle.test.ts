import { expect, test } from "vitest";
import { pods } from "../../api/core/pod/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { seededRandom } from "../../util/random.ts";
import { aNode, aPod, defaultPlugins, nodeWith } from "../builders.suite.ts";
import { changeOf } from "../cluster-event.ts";
import { normalizeToMax, type Plugin, type Scoring, unresolvable, unschedulable } from "../framework.ts";
import { Snapshot } from "../snapshot.ts";
import { prepareCycle, totalScores } from "./cycle.ts";
import { bestNodes, Decider } from "./decider.ts";

const snapshotOf = (...names: readonly string[]) => {
  const snapshot = new Snapshot();
  for (const name of names) snapshot.setNode(aNode(name));
  return snapshot;
};
const weighted = (...plugins: readonly Plugin[]) => plugins.map((plugin) => ({ plugin, weight: 1 }));
const deciderOf = (snapshot: Snapshot, plugins = defaultPlugins) =>
  new Decider({ plugins, snapshot, random: seededRandom(1) });
const decide = (decider: Decider, pod: Pod) => {
  const outcome = decider.decide(pod);
  return outcome.type === "node" ? outcome.node.name : outcome.error.message;
};

/** Accepts some nodes only, and says so before any node is looked at. */
const only = (...names: readonly string[]): Plugin => ({
  name: `Only${names.join("")}`,
  preFilter: () => ({ type: "filtering", nodes: new Set(names), filter: () => undefined }),
});
const rejecting: Plugin = {
  name: "Rejecting",
  preFilter: () => ({ type: "rejection", reason: "not this Pod" }),
};

test("a plugin that rejects the Pod itself ends the cycle, and is named", () => {
  const snapshot = snapshotOf("a", "b");
  const outcome = deciderOf(snapshot, weighted(only("a"), rejecting)).decide(aPod("p"));
  expect(outcome).toMatchObject({
    type: "unschedulable",
    error: {
      message: "0/2 nodes are available: not this Pod.",
      plugins: new Set(["Rejecting"]),
      resolvable: [],
    },
  });
  expect(bestNodes(aPod("p"), weighted(rejecting), snapshot)).toEqual([]);
});

test("only nodes that all plugins name are looked at", () => {
  const snapshot = snapshotOf("a", "b", "c");
  const plugins = weighted(only("a", "b"), only("b", "c"));
  expect(bestNodes(aPod("p"), plugins, snapshot).map(({ name }) => name)).toEqual(["b"]);
  expect(decide(deciderOf(snapshot, plugins), aPod("p"))).toBe("b");
  const cycle = prepareCycle(aPod("p"), weighted(only("a")), snapshot);
  expect(cycle).toMatchObject({ nodes: new Set(["a"]) });
});

test("scores are normalized by plugin, then weighted and added; plugins of weight 0 do not score", () => {
  const scoring = (state: Partial<Scoring>): Plugin => ({
    name: "Scoring",
    preScore: () => ({ score: ({ name }) => Number(name), ...state }),
  });
  const plugins = [
    { plugin: scoring({ normalize: (scores) => normalizeToMax(scores) }), weight: 2 },
    { plugin: scoring({}), weight: 3 },
    { plugin: scoring({}), weight: 0 },
  ];
  const cycle = prepareCycle(aPod("p"), plugins, new Snapshot());
  if ("rejection" in cycle) throw new Error("Nothing rejects the Pod");
  expect(cycle.scores.map(({ weight }) => weight)).toEqual([2, 3]);
  expect(totalScores(cycle, [nodeWith(aNode("10")), nodeWith(aNode("5"))])).toEqual([230, 115]);
});

test.each([
  [[0, 50, 200], false, [0, 25, 100]],
  [[0, 50, 200], true, [100, 75, 0]],
  [[0, 0], false, [0, 0]],
  [[0, 0], true, [100, 100]],
  [[1, 3], false, [33, 100]],
])("the scores %j, reversed: %j, are %j of 100", (scores, reverse, expected) => {
  const found = [...scores];
  normalizeToMax(found, reverse);
  expect(found).toEqual(expected);
});

test("a rejection says whether the removal of Pods resolves it", () => {
  expect(unschedulable("a", "b")).toEqual({ reasons: ["a", "b"], unresolvable: false });
  expect(unresolvable("a")).toEqual({ reasons: ["a"], unresolvable: true });
});

const withPriority = (name: string, cpu: string, priority?: number) =>
  aPod(name, { cpu }, priority === undefined ? {} : { priority });
const nominated = (pod: Pod, node: string): Pod => ({
  ...pod,
  status: { ...pod.status, nominatedNodeName: node },
});

test("a Pod leaves the room alone that is reserved for one at least as important", () => {
  const snapshot = snapshotOf("a");
  const decider = deciderOf(snapshot);
  snapshot.nominate(withPriority("waiting", "3", 10), "a");
  expect(decide(decider, withPriority("less", "2", 5))).toBe("0/1 nodes are available: 1 Insufficient cpu.");
  expect(decide(decider, withPriority("as", "2", 10))).toBe("0/1 nodes are available: 1 Insufficient cpu.");
  expect(decide(decider, withPriority("none", "2"))).toBe("0/1 nodes are available: 1 Insufficient cpu.");
  expect(decide(decider, withPriority("small", "1", 5))).toBe("a");
  expect(decide(decider, withPriority("more", "2", 11))).toBe("a");
  // Its own reservation is no obstacle.
  expect(decide(decider, withPriority("waiting", "3", 10))).toBe("a");
  snapshot.withdrawNomination("uid-waiting");
  expect(decide(decider, withPriority("less", "2", 5))).toBe("a");
});

test("rules about other Pods count the Pods for which room is reserved, and forget them again", () => {
  const terms = [{ labelSelector: { matchLabels: { app: "a" } }, topologyKey: "kubernetes.io/hostname" }];
  const far = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  const snapshot = new Snapshot();
  snapshot.setNode(aNode("a", {}, { labels: { "kubernetes.io/hostname": "a" } }));
  const decider = deciderOf(snapshot);
  const waiting = withPriority("waiting", "1", 10);
  snapshot.nominate({ ...waiting, metadata: { ...waiting.metadata, labels: { app: "a" } } }, "a");
  const loner = aPod("loner", {}, { affinity: far });
  const message = "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.";
  expect(decide(decider, loner)).toBe(message);
  expect(decide(decider, loner)).toBe(message);
  snapshot.withdrawNomination("uid-waiting");
  expect(decide(decider, loner)).toBe("a");
});

test("when the best node is reserved, the next best is chosen", () => {
  const snapshot = snapshotOf("a", "b");
  snapshot.setPod(aPod("q", { cpu: "2", memory: "4Gi" }), "b");
  const decider = deciderOf(snapshot);
  expect(decide(decider, withPriority("p", "2"))).toBe("a");
  snapshot.nominate(withPriority("waiting", "3", 10), "a");
  expect(decide(decider, withPriority("p", "2"))).toBe("b");
  snapshot.withdrawNomination("uid-waiting");
  expect(decide(decider, withPriority("p", "2"))).toBe("a");
});

test("a Pod goes to the node that it is nominated to, even if another is better", () => {
  const snapshot = snapshotOf("a", "b");
  snapshot.setPod(aPod("q", { cpu: "2", memory: "4Gi" }), "b");
  const decider = deciderOf(snapshot);
  expect(decide(decider, nominated(aPod("p", { cpu: "1" }), "b"))).toBe("b");
  expect(decide(decider, nominated(aPod("p", { cpu: "3" }), "b"))).toBe("a");
  expect(decide(decider, nominated(aPod("p", { cpu: "1" }), "unknown"))).toBe("a");
  snapshot.nominate(withPriority("waiting", "2", 10), "b");
  expect(decide(decider, nominated(aPod("p", { cpu: "1" }), "b"))).toBe("a");
});

test("the reasons for a failure follow the cluster", () => {
  const snapshot = snapshotOf("a");
  const decider = deciderOf(snapshot);
  const big = aPod("p", { cpu: "3", memory: "6Gi" });
  snapshot.setPod(aPod("q", { cpu: "2" }), "a");
  expect(decide(decider, big)).toBe("0/1 nodes are available: 1 Insufficient cpu.");
  snapshot.setPod(aPod("r", { memory: "4Gi" }), "a");
  expect(decide(decider, big)).toBe("0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.");
  snapshot.removePod("uid-q");
  expect(decide(decider, big)).toBe("0/1 nodes are available: 1 Insufficient memory.");
});

test("a change of another kind is not one of this kind", () => {
  const object = aPod("p");
  const event = { type: "objectChanged", kind: pods, old: undefined, object } as const;
  expect(changeOf(pods, event)).toEqual({ old: undefined, object });
  expect(changeOf(nodes, event)).toBeUndefined();
  expect(changeOf(pods, { type: "namespaceChanged", name: "n" })).toBeUndefined();
});
