import fc from "fast-check";
import { expect, test } from "vitest";
import type { Pod } from "../api/core/pod/schema.ts";
import { seededRandom } from "../util/random.ts";
import { aNode, aPod, nodeWith } from "./builders.suite.ts";
import { nodesToFind, scheduleOne } from "./cycle.ts";
import type { NodeInfo } from "./node-info.ts";
import { defaultPlugins } from "./plugins.ts";

const decide = (pod: Pod, nodes: readonly NodeInfo[], seed = 1) =>
  scheduleOne({ pod, nodes, plugins: defaultPlugins, random: seededRandom(seed), start: 0 });

test("without nodes the message says that there are none", () => {
  expect(decide(aPod("p"), [])).toEqual({
    type: "unschedulable",
    message: "no nodes available to schedule pods",
    plugins: new Set(),
  });
});

test("the message counts each reason by nodes and sorts them as text, and the outcome names the plugins", () => {
  const cordoned = aNode("a", { unschedulable: true });
  const tainted = aNode("b", { taints: [{ key: "gpu", effect: "NoSchedule" }] });
  const nodes = [cordoned, tainted, aNode("c"), aNode("d")].map((node) => nodeWith(node));
  expect(decide(aPod("p", { cpu: "5", memory: "9Gi" }), nodes)).toEqual({
    type: "unschedulable",
    message:
      "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, " +
      "2 Insufficient cpu, 2 Insufficient memory.",
    plugins: new Set(["NodeUnschedulable", "TaintToleration", "NodeResourcesFit"]),
  });
});

test("the node with the highest score is chosen, at random among equals", () => {
  const busy = nodeWith(aNode("busy"), aPod("q", { cpu: "3", memory: "6Gi" }));
  const [one, other] = [nodeWith(aNode("one")), nodeWith(aNode("other"))];
  expect(decide(aPod("p", { cpu: "100m" }), [busy, one])).toEqual({ type: "node", node: "one" });
  const chosen = Array.from({ length: 20 }, (_, seed) => decide(aPod("p"), [busy, one, other], seed));
  expect(new Set(chosen.map((outcome) => outcome.type === "node" && outcome.node))).toEqual(
    new Set(["one", "other"]),
  );
});

test.each([
  [1, 1],
  [100, 100],
  [101, 100],
  [250, 120],
  [1000, 420],
  [5000, 500],
  [6000, 300],
  [20_000, 1000],
])("the search among %i nodes ends after %i feasible ones", (count, wanted) => {
  expect(nodesToFind(count)).toBe(wanted);
});

test("a chosen node fits, and 'unschedulable' means that no node fits", () => {
  const cpus = fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(cpus, fc.integer({ min: 1, max: 5000 }), (taken, wanted) => {
      const nodes = taken.map((cpu, i) => nodeWith(aNode(`n${i}`), aPod(`q${i}`, { cpu: `${cpu}m` })));
      const outcome = decide(aPod("p", { cpu: `${wanted}m` }), nodes);
      const fitting = nodes.filter((_, i) => (taken[i] ?? 0) + wanted <= 4000).map(({ name }) => name);
      if (outcome.type === "node") expect(fitting).toContain(outcome.node);
      else expect(fitting).toEqual([]);
    }),
  );
});
