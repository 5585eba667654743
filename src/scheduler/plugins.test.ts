import { expect, test } from "vitest";
import type { Node } from "../api/core/node/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { aNode, aPod, defaultPlugins, nodeWith } from "./builders.suite.ts";
import { prepareCycle, rejectionOf } from "./decide/cycle.ts";
import type { ClusterEvent } from "./cluster-event.ts";
import type { Plugin } from "./framework.ts";
import type { NodeInfo } from "./node-info.ts";
import { balancedAllocation } from "./plugins/balanced-allocation.ts";
import { nodeAffinity } from "./plugins/node-affinity.ts";
import { nodeName } from "./plugins/node-name.ts";
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

type Holder = "containers" | "initContainers" | "both";

/** A Pod with a container that holds the port; `both` adds one that holds port 81. */
const withPort = (name: string, port: object, type: Holder = "containers") => {
  const main = { name: "main", image: "web:1" };
  const server = { name: "server", image: "web:1", ports: [{ containerPort: 80, ...port }] };
  const more = type === "both" ? [{ ...main, ports: [{ containerPort: 81, hostPort: 81 }] }] : [];
  const spec = { containers: [server, ...more] };
  const sidecar = { containers: [main], initContainers: [{ ...server, restartPolicy: "Always" }] };
  return aPod(name, {}, type === "initContainers" ? sidecar : spec);
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
    "one of two ports that is taken",
    withPort("p", { hostPort: 80 }, "both"),
    nodeWith(aNode("n"), withPort("q", { hostPort: 81 })),
    portsTaken,
  ],
  [
    "more ephemeral storage than is left",
    aPod("p", { "ephemeral-storage": "2Gi" }),
    nodeWith(
      aNode("n", {}, { allocatable: { cpu: "4", memory: "8Gi", pods: "10", "ephemeral-storage": "3Gi" } }),
      aPod("q", { "ephemeral-storage": "2Gi" }),
    ),
    ["Insufficient ephemeral-storage"],
  ],
  [
    "nothing of resources that are used up",
    aPod("p", { cpu: "0", memory: "0", "ephemeral-storage": "0", "acme.com/gpu": "0" }),
    nodeWith(
      aNode("n", {}, { allocatable: { cpu: "1", memory: "1Gi", pods: "10" } }),
      aPod("q", { cpu: "2", memory: "2Gi", "ephemeral-storage": "1Gi", "acme.com/gpu": "1" }),
    ),
    undefined,
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

test("the removal of Pods makes room for what the whole node has, and nothing else", () => {
  const isUnresolvable = (requests: object) => {
    const cycle = prepareCycle(aPod("p", requests), defaultPlugins, new Snapshot());
    if ("rejection" in cycle) throw new Error(cycle.rejection.reason);
    return rejectionOf(cycle, nodeWith(aNode("n"), aPod("q", { cpu: "1", memory: "1Gi" })))?.unfit
      .unresolvable;
  };
  expect(isUnresolvable({ cpu: "4" })).toBe(false);
  expect(isUnresolvable({ cpu: "4001m" })).toBe(true);
  expect(isUnresolvable({ cpu: "4", memory: "9Gi" })).toBe(true);
});

test("a Pod that requires a node by name looks at no other", () => {
  const state = nodeAffinity().preFilter?.(requiring(field("In", "n")), new Snapshot());
  expect(state).toMatchObject({ type: "filtering", nodes: new Set(["n"]) });
  const byLabel = nodeAffinity().preFilter?.(requiring(expression("disk", "Exists")), new Snapshot());
  expect(byLabel).not.toHaveProperty("nodes");
  expect(nodeAffinity().preFilter?.(aPod("p"), new Snapshot())).toBeUndefined();
});

test("plugins that have nothing to say about a Pod are left out of its cycle", () => {
  const filtering = (pod: Pod) => {
    const cycle = prepareCycle(pod, defaultPlugins, new Snapshot());
    return "rejection" in cycle ? [] : cycle.filters.map(({ name }) => name);
  };
  const always = ["TaintToleration", "NodeResourcesFit", "InterPodAffinity"];
  expect(filtering(aPod("p"))).toEqual(["NodeUnschedulable", ...always]);
  expect(filtering(tolerating({ operator: "Exists" }))).toEqual(always);
  expect(filtering(withPort("p", { hostPort: 80 }))).toContain("NodePorts");
  expect(nodeAffinity().preScore?.(aPod("p"), new Snapshot())).toBeUndefined();
});

/** Names, order and weights are upstream's (`apis/config/v1/default_plugins.go`). */
test("the default profile has upstream's plugins", () => {
  expect(defaultPlugins.map(({ plugin, weight }) => `${plugin.name} ${weight}`)).toEqual([
    "SchedulingGates 0",
    "PrioritySort 0",
    "NodeUnschedulable 0",
    "NodeName 0",
    "TaintToleration 3",
    "NodeAffinity 2",
    "NodePorts 0",
    "NodeResourcesFit 1",
    "VolumeRestrictions 0",
    "NodeVolumeLimits 0",
    "VolumeBinding 0",
    "VolumeZone 0",
    "PodTopologySpread 2",
    "InterPodAffinity 2",
    "DynamicResources 2",
    "DefaultPreemption 0",
    "NodeResourcesBalancedAllocation 1",
    "ImageLocality 1",
    "DefaultBinder 0",
  ]);
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
  // What the Pod asks for counts beside what is used already: from 50 % and 0 % to 75 % and 0 %.
  expect(scores(balancedAllocation(), aPod("p", { cpu: "1" }), lopsided)).toEqual([68]);
  const allocatable = (cpu: string, memory: string) =>
    nodeWith(aNode("n", {}, { allocatable: { cpu, memory, pods: "9" } }));
  // Only one resource: always even.
  expect(scores(balancedAllocation(), aPod("p", { cpu: "1", memory: "4Gi" }), allocatable("4", "0"))).toEqual(
    [75],
  );
  expect(
    scores(balancedAllocation(), aPod("p", { cpu: "1", memory: "4Gi" }), allocatable("0", "8Gi")),
  ).toEqual([75]);
});

test("nodes with fewer untolerated soft taints score higher", () => {
  expect(scores(taintToleration, aPod("p"), plain, tainted("PreferNoSchedule"))).toEqual([100, 0]);
  expect(scores(taintToleration, aPod("p"), plain, plain)).toEqual([100, 100]);
  expect(scores(taintToleration, aPod("p"), tainted("NoSchedule"), tainted("PreferNoSchedule"))).toEqual([
    100, 0,
  ]);
  const soft = [
    { key: "gpu", value: "yes", effect: "PreferNoSchedule" },
    { key: "disk", effect: "PreferNoSchedule" },
  ];
  const both = nodeWith(aNode("n", { taints: soft }));
  expect(scores(taintToleration, aPod("p"), plain, tainted("PreferNoSchedule"), both)).toEqual([100, 50, 0]);
  /** The score of one soft taint beside a node with two that are not tolerated. */
  const withToleration = (effect?: string) => {
    const toleration = { key: "gpu", operator: "Exists", ...(effect === undefined ? {} : { effect }) };
    const other = nodeWith(aNode("n", { taints: [{ key: "other", effect: "PreferNoSchedule" }] }));
    return scores(taintToleration, tolerating(toleration), tainted("PreferNoSchedule"), other);
  };
  expect(withToleration()).toEqual([100, 0]);
  expect(withToleration("PreferNoSchedule")).toEqual([100, 0]);
  expect(withToleration("NoSchedule")).toEqual([0, 0]);
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

const roomy = aNode("n");
const labelledNode = labelled.node;
const taintedNode = tainted("NoSchedule").node;
const cordonedNode = aNode("n", { unschedulable: true });
const onPort80 = withPort("p", { hostPort: 80 });
const gpuPod = aPod("p", { "acme.com/gpu": "1", cpu: "1" });
const ssd = aPod("p", {}, { nodeSelector: { disk: "ssd" } });
const resized = (before: object, after: object): ClusterEvent => ({
  type: "assignedPodUpdated",
  old: aPod("q", before),
  pod: aPod("q", after),
});
const added = (node: Node): ClusterEvent => ({ type: "nodeAdded", node });
const updated = (old: Node, node: Node): ClusterEvent => ({ type: "nodeUpdated", old, node });
const removed = (pod: Pod): ClusterEvent => ({ type: "podRemoved", pod });

/** Upstream's queueing hints (`isSchedulableAfter…`). */
test.each<[string, Plugin, Pod, ClusterEvent, boolean]>([
  ["a new node", nodeName, aPod("p"), added(roomy), true],
  ["a changed node", nodeName, aPod("p"), updated(roomy, roomy), false],
  ["a new node that is cordoned", nodeUnschedulable, aPod("p"), added(cordonedNode), false],
  ["a lost node", nodeUnschedulable, aPod("p"), { type: "nodeDeleted", node: roomy }, false],
  ["a node that stays cordoned", nodeUnschedulable, aPod("p"), updated(cordonedNode, cordonedNode), false],
  ["a new node with a taint", taintToleration, aPod("p"), added(taintedNode), false],
  ["a node that keeps its taint", taintToleration, aPod("p"), updated(taintedNode, taintedNode), false],
  ["a node that never had a taint", taintToleration, aPod("p"), updated(roomy, roomy), false],
  ["a node that gets a taint", taintToleration, aPod("p"), updated(roomy, taintedNode), false],
  ["a lost node", taintToleration, aPod("p"), { type: "nodeDeleted", node: roomy }, false],
  ["a new node that matches", nodeAffinity(), ssd, added(labelledNode), true],
  ["a new node that does not match", nodeAffinity(), ssd, added(roomy), false],
  ["a new node", nodeAffinity(), aPod("p"), added(roomy), true],
  [
    "a changed node, for a Pod without a selector",
    nodeAffinity(),
    aPod("p"),
    updated(roomy, labelledNode),
    false,
  ],
  ["a node that matched before", nodeAffinity(), ssd, updated(labelledNode, labelledNode), false],
  ["a lost node", nodeAffinity(), ssd, { type: "nodeDeleted", node: labelledNode }, false],
  ["a Pod that frees the port", nodePorts, onPort80, removed(withPort("q", { hostPort: 80 })), true],
  ["a Pod that frees another port", nodePorts, onPort80, removed(withPort("q", { hostPort: 81 })), false],
  ["a Pod that comes with the port", nodePorts, onPort80, { type: "podAssigned", pod: onPort80 }, false],
  ["a new node", nodeResourcesFit(), gpuPod, added(roomy), true],
  ["a Pod that leaves", nodeResourcesFit(), gpuPod, removed(aPod("q")), true],
  ["a lost node", nodeResourcesFit(), gpuPod, { type: "nodeDeleted", node: roomy }, false],
  ["a Pod that comes", nodeResourcesFit(), gpuPod, { type: "podAssigned", pod: aPod("q") }, false],
  ["a Pod that shrinks", nodeResourcesFit(), gpuPod, resized({ cpu: "2" }, { cpu: "1" }), true],
  ["a Pod that keeps its size", nodeResourcesFit(), gpuPod, resized({ cpu: "2" }, { cpu: "2" }), false],
  ["a Pod that grows", nodeResourcesFit(), gpuPod, resized({ cpu: "1" }, { cpu: "2" }), false],
  [
    "a Pod that shrinks in what is not asked for",
    nodeResourcesFit(),
    gpuPod,
    resized({ memory: "2Gi" }, { memory: "1Gi" }),
    false,
  ],
  [
    "a Pod that shrinks in memory",
    nodeResourcesFit(),
    aPod("p", { memory: "1Gi" }),
    resized({ memory: "2Gi" }, { memory: "1Gi" }),
    true,
  ],
  [
    "a Pod that shrinks in ephemeral storage",
    nodeResourcesFit(),
    aPod("p", { "ephemeral-storage": "1Gi" }),
    resized({ "ephemeral-storage": "2Gi" }, { "ephemeral-storage": "1Gi" }),
    true,
  ],
  [
    "a Pod that shrinks in an extended resource",
    nodeResourcesFit(),
    gpuPod,
    resized({ "acme.com/gpu": "2" }, { "acme.com/gpu": "1" }),
    true,
  ],
])("%s helps a Pod only where it changes what the plugin asks about", (_, plugin, pod, event, expected) => {
  expect(plugin.helps?.(pod, event)).toBe(expected);
});
