import { expect, test } from "vitest";
import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { aNode, aPod, defaultPlugins, nodeWith } from "./builders.suite.ts";
import { prepareCycle, rejectionOf } from "./decide/cycle.ts";
import type { Plugin } from "./framework.ts";
import type { NodeInfo } from "./node-info.ts";
import { balancedAllocation } from "./plugins/balanced-allocation.ts";
import { nodeAffinity } from "./plugins/node-affinity.ts";
import { nodePorts } from "./plugins/node-ports.ts";
import { nodeResourcesFit } from "./plugins/node-resources-fit.ts";
import { nodeUnschedulable } from "./plugins/node-unschedulable.ts";
import { schedulingGates } from "./plugins/scheduling-gates.ts";
import { taintToleration } from "./plugins/taint-toleration.ts";
import { Snapshot } from "./snapshot.ts";

const plain = nodeWith(aNode("n"));
const labelled = nodeWith(aNode("n", {}, { labels: { disk: "ssd", cores: "8" } }));
const tainted = (effect: string) => nodeWith(aNode("n", { taints: [{ key: "gpu", value: "yes", effect }] }));
const tolerating = (...tolerations: readonly object[]) => aPod("p", {}, { tolerations });

const withPort = (name: string, port: object, type: "containers" | "initContainers" = "containers") => {
  const main = { name: "main", image: "web:1" };
  const server = { name: "server", image: "web:1", ports: [{ containerPort: 80, ...port }] };
  const spec = { containers: [server] };
  const sidecar = { containers: [main], initContainers: [{ ...server, restartPolicy: "Always" }] };
  return aPod(name, {}, type === "containers" ? spec : sidecar);
};

const requiring = (...nodeSelectorTerms: readonly object[]) =>
  aPod(
    "p",
    {},
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
  );
const expression = (key: string, operator: string, ...values: readonly string[]) => ({
  matchExpressions: [{ key, operator, values }],
});
const field = (operator: string, ...values: readonly string[]) => ({
  matchFields: [{ key: "metadata.name", operator, values }],
});

/** The reasons of the first plugin that rejects the node; undefined when none does. */
function firstReasons(pod: Pod, node: NodeInfo): readonly string[] | undefined {
  const cycle = prepareCycle(pod, defaultPlugins, new Snapshot());
  if ("rejection" in cycle) return [cycle.rejection.reason];
  return rejectionOf(cycle, node)?.unfit.reasons;
}

const unschedulable = ["node(s) were unschedulable"];
const untolerated = ["node(s) had untolerated taint(s)"];
const mismatch = ["node(s) didn't match Pod's node affinity/selector"];
const portsTaken = ["node(s) didn't have free ports for the requested pod ports"];

test.each<[string, Pod, NodeInfo, readonly string[] | undefined]>([
  ["an empty node", aPod("p"), plain, undefined],
  ["a cordoned node", aPod("p"), nodeWith(aNode("n", { unschedulable: true })), unschedulable],
  [
    "a cordoned node that is tolerated",
    tolerating({ key: "node.kubernetes.io/unschedulable", operator: "Exists" }),
    nodeWith(aNode("n", { unschedulable: true })),
    undefined,
  ],
  [
    "another node's name",
    aPod("p", {}, { nodeName: "m" }),
    plain,
    ["node(s) didn't match the requested node name"],
  ],
  ["the node's own name", aPod("p", {}, { nodeName: "n" }), plain, undefined],
  ["a NoSchedule taint", aPod("p"), tainted("NoSchedule"), untolerated],
  ["a NoExecute taint", aPod("p"), tainted("NoExecute"), untolerated],
  ["a PreferNoSchedule taint", aPod("p"), tainted("PreferNoSchedule"), undefined],
  ["a taint tolerated by value", tolerating({ key: "gpu", value: "yes" }), tainted("NoSchedule"), undefined],
  [
    "a toleration of another value",
    tolerating({ key: "gpu", value: "no" }),
    tainted("NoSchedule"),
    untolerated,
  ],
  [
    "a toleration of another effect",
    tolerating({ key: "gpu", operator: "Exists", effect: "NoExecute" }),
    tainted("NoSchedule"),
    untolerated,
  ],
  ["a toleration of everything", tolerating({ operator: "Exists" }), tainted("NoExecute"), undefined],
  ["a node selector that fits", aPod("p", {}, { nodeSelector: { disk: "ssd" } }), labelled, undefined],
  ["a node selector that does not", aPod("p", {}, { nodeSelector: { disk: "hdd" } }), labelled, mismatch],
  ["In", requiring(expression("disk", "In", "hdd", "ssd")), labelled, undefined],
  ["In, without the label", requiring(expression("disk", "In", "ssd")), plain, mismatch],
  ["NotIn, without the label", requiring(expression("disk", "NotIn", "ssd")), plain, undefined],
  ["NotIn", requiring(expression("disk", "NotIn", "ssd")), labelled, mismatch],
  ["Exists", requiring(expression("disk", "Exists")), plain, mismatch],
  ["DoesNotExist", requiring(expression("disk", "DoesNotExist")), labelled, mismatch],
  ["Gt compares numbers", requiring(expression("cores", "Gt", "10")), labelled, mismatch],
  ["Lt compares numbers", requiring(expression("cores", "Lt", "10")), labelled, undefined],
  ["Gt of what is no number", requiring(expression("disk", "Gt", "1")), labelled, mismatch],
  ["a field", requiring(field("In", "n")), plain, undefined],
  ["another node's field", requiring(field("In", "m")), plain, mismatch],
  ["an empty term, which selects nothing", requiring({}), plain, mismatch],
  [
    "terms of which one fits",
    requiring(expression("disk", "In", "hdd"), field("In", "n")),
    labelled,
    undefined,
  ],
  [
    "a port that is taken",
    withPort("p", { hostPort: 80 }),
    nodeWith(aNode("n"), withPort("q", { hostPort: 80 })),
    portsTaken,
  ],
  [
    "a port that is taken under another protocol",
    withPort("p", { hostPort: 80 }),
    nodeWith(aNode("n"), withPort("q", { hostPort: 80, protocol: "UDP" })),
    undefined,
  ],
  [
    "a port that is taken under one address, wanted under all",
    withPort("p", { hostPort: 80 }),
    nodeWith(aNode("n"), withPort("q", { hostPort: 80, hostIP: "127.0.0.1" })),
    portsTaken,
  ],
  [
    "a port that is taken under another address",
    withPort("p", { hostPort: 80, hostIP: "127.0.0.2" }),
    nodeWith(aNode("n"), withPort("q", { hostPort: 80, hostIP: "127.0.0.1" })),
    undefined,
  ],
  [
    "a port that a sidecar holds under every address",
    withPort("p", { hostPort: 80, hostIP: "127.0.0.1" }),
    nodeWith(aNode("n"), withPort("q", { hostPort: 80, hostIP: "0.0.0.0" }, "initContainers")),
    portsTaken,
  ],
  [
    "exactly the room that is left",
    aPod("p", { cpu: "3" }),
    nodeWith(aNode("n"), aPod("q", { cpu: "1" })),
    undefined,
  ],
  [
    "more than is left of two resources",
    aPod("p", { cpu: "3500m", memory: "9Gi" }),
    nodeWith(aNode("n"), aPod("q", { cpu: "1" })),
    ["Insufficient cpu", "Insufficient memory"],
  ],
  [
    "a resource that the node does not have",
    aPod("p", { "acme.com/gpu": "1" }),
    plain,
    ["Insufficient acme.com/gpu"],
  ],
  [
    "a full node",
    aPod("p"),
    nodeWith(aNode("n", {}, { allocatable: { cpu: "4", memory: "8Gi", pods: "1" } }), aPod("q")),
    ["Too many pods"],
  ],
])("the first filter that rejects %s gives upstream's reason", (_, pod, node, reasons) => {
  expect(firstReasons(pod, node)).toEqual(reasons);
});

function scores(plugin: Plugin, pod: Pod, ...nodes: readonly NodeInfo[]): number[] {
  const state = plugin.preScore?.(pod, new Snapshot());
  const found = nodes.map((node) => state?.score(node) ?? 0);
  state?.normalize?.(found);
  return found;
}

test("the emptier node scores higher, by the whole percent that would be left", () => {
  const half = nodeWith(aNode("n"), aPod("q", { cpu: "2", memory: "4Gi" }));
  const none = nodeWith(aNode("n", {}, { allocatable: { cpu: "0", memory: "0", pods: "9" } }));
  // A tenth of the CPU is left: 0.1 as a float would round down to 9.
  expect(scores(nodeResourcesFit(), aPod("p", { cpu: "3600m", memory: "0" }), plain)).toEqual([55]);
  expect(scores(nodeResourcesFit(), aPod("p", { cpu: "1", memory: "2Gi" }), plain, half, none)).toEqual([
    75, 25, 0,
  ]);
});

test("a node scores above 75 when the Pod evens out its use, and below when the Pod does the opposite", () => {
  const lopsided = nodeWith(aNode("n"), aPod("q", { cpu: "2" }));
  expect(scores(balancedAllocation(), aPod("p", { memory: "4Gi" }), plain, lopsided)).toEqual([62, 87]);
  expect(scores(balancedAllocation(), aPod("p"), plain, lopsided)).toEqual([0, 0]);
});

test("nodes with fewer untolerated soft taints score higher", () => {
  expect(scores(taintToleration, aPod("p"), plain, tainted("PreferNoSchedule"))).toEqual([100, 0]);
  expect(scores(taintToleration, aPod("p"), plain, plain)).toEqual([100, 100]);
});

test("preferred affinity scores by the sum of its weights", () => {
  const prefer = (weight: number, key: string) => ({ weight, preference: expression(key, "Exists") });
  const preferred = [
    prefer(30, "disk"),
    prefer(10, "cores"),
    prefer(90, "gpu"),
    { weight: 5, preference: {} },
  ];
  const pod = aPod(
    "p",
    {},
    { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } },
  );
  const disk = nodeWith(aNode("m", {}, { labels: { disk: "hdd" } }));
  expect(scores(nodeAffinity(), pod, labelled, disk, plain)).toEqual([100, 75, 0]);
});

test("scheduling gates keep a Pod out of the queue, and the message names them", () => {
  const gated = aPod("p", {}, { schedulingGates: [{ name: "a" }, { name: "b" }] });
  expect(schedulingGates.preEnqueue?.(gated)).toBe("waiting for scheduling gates: [a b]");
  expect(schedulingGates.preEnqueue?.(aPod("p"))).toBeUndefined();
});

test("only those changes of a node that a plugin depends on help the Pods that it rejected", () => {
  const cordoned = aNode("n", { unschedulable: true });
  const larger = aNode("n", {}, { allocatable: { cpu: "8", memory: "8Gi", pods: "10" } });
  const old = aNode("n");
  const helped = (plugin: Plugin, before: Node | undefined, node: Node, pod = aPod("p")) =>
    plugin.helps?.(
      pod,
      before === undefined ? { type: "nodeAdded", node } : { type: "nodeUpdated", old: before, node },
    );
  expect(helped(nodeUnschedulable, cordoned, old)).toBe(true);
  expect(helped(nodeUnschedulable, old, cordoned)).toBe(false);
  expect(helped(nodeUnschedulable, old, old)).toBe(false);
  expect(helped(nodeResourcesFit(), old, larger)).toBe(true);
  expect(helped(nodeResourcesFit(), old, cordoned)).toBe(false);
  expect(helped(taintToleration, tainted("NoSchedule").node, old)).toBe(true);
  expect(helped(nodeAffinity(), old, labelled.node, aPod("p", {}, { nodeSelector: { disk: "ssd" } }))).toBe(
    true,
  );
  expect(helped(nodeAffinity(), old, labelled.node, aPod("p", {}, { nodeSelector: { disk: "hdd" } }))).toBe(
    false,
  );
  expect([nodeUnschedulable, nodePorts, taintToleration].map((one) => helped(one, undefined, old))).toEqual([
    true,
    true,
    true,
  ]);
});
