import { expect, test } from "vitest";
import type { Node } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { seededRandom } from "../../util/random.ts";
import { aNode, aPod, defaultPlugins } from "../builders.suite.ts";
import { Snapshot } from "../snapshot.ts";
import { Decider } from "./decider.ts";

/** Decides on the nodes with the Pods that are there. */
function decide(pod: Pod, nodes: readonly (readonly [Node, ...Pod[]])[], seed = 1) {
  const snapshot = new Snapshot();
  for (const [node, ...pods] of nodes) {
    snapshot.setNode(node);
    for (const one of pods) snapshot.setPod(one, node.metadata.name ?? "");
  }
  const outcome = new Decider({ plugins: defaultPlugins, snapshot, random: seededRandom(seed) }).decide(pod);
  return outcome.type === "node" ? outcome.node.name : outcome.error;
}

test("without nodes the message says that there are none", () => {
  expect(decide(aPod("p"), [])).toMatchObject({
    message: "no nodes available to schedule pods",
    plugins: new Set(),
  });
});

test("the message counts each reason by nodes and sorts them as text, and names the plugins", () => {
  const cordoned = aNode("a", { unschedulable: true });
  const tainted = aNode("b", { taints: [{ key: "gpu", effect: "NoSchedule" }] });
  const full = aPod("q", { cpu: "4" });
  const nodes = [[cordoned], [tainted], [aNode("c"), full], [aNode("d")]] as const;
  expect(decide(aPod("p", { cpu: "3", memory: "9Gi" }), nodes)).toEqual({
    message:
      "0/4 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), " +
      "1 node(s) were unschedulable, 2 Insufficient memory.",
    plugins: new Set(["NodeUnschedulable", "TaintToleration", "NodeResourcesFit"]),
    // More memory than a whole node: no removal of Pods helps.
    resolvable: [],
  });
  expect(decide(aPod("p", { cpu: "3" }), [[cordoned], [aNode("c"), full]])).toMatchObject({
    resolvable: ["c"],
  });
});

test("the node with the highest score is chosen, at random among equals", () => {
  const busy = [aNode("busy"), aPod("q", { cpu: "3", memory: "6Gi" })] as const;
  expect(decide(aPod("p", { cpu: "100m" }), [busy, [aNode("one")]])).toBe("one");
  const nodes = [busy, [aNode("one")], [aNode("other")]] as const;
  const chosen = Array.from({ length: 20 }, (_, seed) => decide(aPod("p"), nodes, seed));
  expect(new Set(chosen)).toEqual(new Set(["one", "other"]));
});

test("replicas without rules land on different nodes as long as there are free ones", () => {
  const snapshot = new Snapshot();
  for (const name of ["a", "b", "c"])
    snapshot.setNode(aNode(name, {}, { labels: { "kubernetes.io/hostname": name } }));
  snapshot.owners.setController("ReplicaSet", "default", "web", { matchLabels: { app: "web" } });
  const decider = new Decider({ plugins: defaultPlugins, snapshot, random: seededRandom(1) });
  const chosen = ["1", "2", "3"].map((name) => {
    const pod = aPod(name);
    const ownerReferences = [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true },
    ];
    const owned = { ...pod, metadata: { ...pod.metadata, labels: { app: "web" }, ownerReferences } };
    const outcome = decider.decide(owned);
    if (outcome.type !== "node") throw new Error(outcome.error.message);
    snapshot.setPod(owned, outcome.node.name);
    return outcome.node.name;
  });
  expect(new Set(chosen).size).toBe(3);
});
