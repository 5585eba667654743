import { expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { aNode, aPod } from "../builders.suite.ts";
import type { ClusterEvent } from "../cluster-event.ts";
import type { Filtering, Plugin, Scoring } from "../framework.ts";
import { Snapshot } from "../snapshot.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";

type Labels = Readonly<Record<string, string>>;

const hostname = "kubernetes.io/hostname";
const foo = { matchExpressions: [{ key: "foo", operator: "Exists" }] };
const bar = { matchExpressions: [{ key: "bar", operator: "Exists" }] };

/** A constraint of a Pod; hard, on Pods with the label `foo`, with a skew of at most 1 where nothing else is said. */
const spread = (topologyKey: string, more: object = {}) => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: foo,
  ...more,
});
const soft = (topologyKey: string, more: object = {}) =>
  spread(topologyKey, { whenUnsatisfiable: "ScheduleAnyway", ...more });

interface PodParts {
  readonly labels?: Labels;
  readonly namespace?: string;
  readonly isTerminating?: boolean;
  readonly spec?: object;
}

let made = 0;
/** A Pod with the label `foo`, and a name of its own. */
function pod(constraints: readonly object[] = [], parts: PodParts = {}): Pod {
  const { labels = { foo: "" }, namespace = "default", isTerminating = false, spec = {} } = parts;
  const plain = aPod(`p${(made += 1)}`, {}, { topologySpreadConstraints: constraints, ...spec });
  const end = isTerminating ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  return { ...plain, metadata: { ...plain.metadata, ...end, namespace, labels } };
}

interface NodeParts {
  readonly labels: Labels;
  readonly taints?: readonly object[];
}

type Nodes = Readonly<Record<string, NodeParts>>;

/** Nodes by their names, each with labels for its name and its zone, such as `a/zone1`. */
function nodesOf(text: string): Nodes {
  const all = text.split(" ").map((one): readonly [string, NodeParts] => {
    const [name = "", zone] = one.split("/");
    return [name, { labels: { node: name, [hostname]: name, ...(zone === undefined ? {} : { zone }) } }];
  });
  return Object.fromEntries(all);
}

/** Nodes with the Pods on each, such as `2/1/0/3`: all with the label `foo`. */
function counts(nodes: Nodes, text: string): readonly (readonly [string, Pod])[] {
  const numbers = text.split("/").map(Number);
  return Object.keys(nodes).flatMap((name, i) =>
    Array.from({ length: numbers[i] ?? 0 }, () => [name, pod()] as const),
  );
}

function snapshotOf(nodes: Nodes, placed: readonly (readonly [string, Pod])[]): Snapshot {
  const snapshot = new Snapshot();
  for (const [name, { labels, taints = [] }] of Object.entries(nodes))
    snapshot.setNode(aNode(name, { taints }, { labels }));
  for (const [node, one] of placed) snapshot.setPod(one, node);
  return snapshot;
}

function filtering(incoming: Pod, snapshot: Snapshot): Filtering {
  const state = podTopologySpread().preFilter?.(incoming, snapshot);
  if (state?.type !== "filtering") throw new Error("The Pod has no hard constraints");
  return state;
}

/** By node: `fits`, `skew`, or `label` where the node lacks one. */
function verdicts(state: Filtering, { nodes }: Snapshot): string {
  const skew = "node(s) didn't match pod topology spread constraints";
  const names = new Map([
    [undefined, "fits"],
    [skew, "skew"],
    [`${skew} (missing required label)`, "label"],
  ]);
  return nodes
    .map((node) => {
      const unfit = state.filter(node);
      const name = names.get(unfit?.reasons.join());
      // A missing label stays missing, whatever Pods are removed.
      expect(unfit?.unresolvable).toBe(unfit === undefined ? undefined : name === "label");
      return name;
    })
    .join(" ");
}

const four = nodesOf("a/zone1 b/zone1 x/zone2 y/zone2");
const three = nodesOf("a b c");
const withFoo = (names: string, without: NodeParts): Nodes => ({
  ...Object.fromEntries(names.split(" ").map((name) => [name, { labels: { node: name, foo: "" } }] as const)),
  y: without,
});
const onlyFoo = withFoo("a b x", { labels: { node: "y" } });
const tainted = withFoo("a b x", {
  labels: { node: "y" },
  taints: [{ key: "bar", value: "", effect: "NoSchedule" }],
});
const nodeAffinity = (key: string, operator: string, ...values: readonly string[]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }],
      },
    },
  },
});
const selecting = { spec: { nodeSelector: { foo: "" } } };
/** The four nodes, of which some have the label `foo`, and one may have a taint. */
function included(withLabel: string, taintedNode = ""): Nodes {
  const all = Object.entries(four).map(([name, { labels }]): [string, NodeParts] => {
    const foos = withLabel.split(" ").includes(name) ? { foo: "" } : {};
    const taints = name === taintedNode ? [{ key: "bar", value: "", effect: "NoSchedule" }] : [];
    return [name, { labels: { ...labels, ...foos }, taints }];
  });
  return Object.fromEntries(all);
}
const spreadBoth = pod([spread("zone"), spread("node")]);
const differently = [spread("zone"), spread("node", { labelSelector: bar })];
const onlyBar = { labels: { bar: "" } };
const fooAndBar = { labels: { foo: "", bar: "" } };

/** Upstream's cases, by value (`podtopologyspread/filtering_test.go`). */
test.each<[string, Pod, Nodes, readonly (readonly [string, Pod])[], string]>([
  ["no Pods", pod([spread("zone")]), four, [], "fits fits fits fits"],
  [
    "no Pods, and the Pod does not count itself",
    pod([spread("zone", { labelSelector: bar })]),
    four,
    [],
    "fits fits fits fits",
  ],
  [
    "Pods of other namespaces",
    pod([spread("zone")]),
    four,
    [["a", pod([], { namespace: "ns1" })], ["a", pod([], { namespace: "ns2" })], ...counts(four, "0/0/1/1")],
    "fits fits skew skew",
  ],
  [
    "no selector",
    pod([spread("zone", { labelSelector: undefined })]),
    four,
    counts(four, "0/0/1/1"),
    "fits fits fits fits",
  ],
  ["zones 3/3", pod([spread("zone")]), four, counts(four, "2/1/0/3"), "fits fits fits fits"],
  [
    "zones 1/2, a node without the label",
    pod([spread("zone")]),
    nodesOf("a/zone1 b x/zone2 y/zone2"),
    counts(four, "1/1/1/1"),
    "fits label skew skew",
  ],
  ["no node has the label", pod([spread("rack")]), nodesOf("a x"), [], "label label"],
  ["nodes 2/1/0/3", pod([spread("node")]), four, counts(four, "2/1/0/3"), "skew skew fits skew"],
  [
    "nodes 2/1/0/3, maxSkew 2",
    pod([spread("node", { maxSkew: 2 })]),
    four,
    counts(four, "2/1/0/3"),
    "skew fits fits skew",
  ],
  [
    "nodes 2/1/0/3, the Pod does not count itself",
    pod([spread("node")], onlyBar),
    four,
    counts(four, "2/1/0/3"),
    "skew fits fits skew",
  ],
  [
    "nodes 2/~1~/~0~/3, by node affinity",
    pod([spread("node")], { spec: nodeAffinity("node", "In", "a", "y") }),
    four,
    counts(four, "2/1/0/3"),
    "fits fits fits skew",
  ],
  [
    "a terminating Pod",
    pod([spread("node")]),
    nodesOf("a b"),
    [
      ["a", pod([], { isTerminating: true })],
      ["b", pod()],
    ],
    "fits skew",
  ],
  [
    "nodes 0/~2~/0/1, by node affinity",
    pod([spread("zone")], { spec: nodeAffinity("node", "NotIn", "b") }),
    four,
    counts(four, "0/2/0/1"),
    "fits fits skew skew",
  ],
  [
    "nodes 2/2/1, maxSkew 2, fewer domains than minDomains",
    pod([spread("node", { maxSkew: 2, minDomains: 4 })]),
    three,
    counts(three, "2/2/1"),
    "skew skew fits",
  ],
  [
    "nodes 2/2/1, maxSkew 2, as many domains as minDomains",
    pod([spread("node", { maxSkew: 2, minDomains: 3 })]),
    three,
    counts(three, "2/2/1"),
    "fits fits fits",
  ],
  [
    "zones 2/1, maxSkew 2, fewer domains than minDomains",
    pod([spread("zone", { maxSkew: 2, minDomains: 3 })]),
    four,
    counts(four, "1/1/0/1"),
    "skew skew fits fits",
  ],
  [
    "nodes 2/2/1, maxSkew 2, more domains than minDomains",
    pod([spread("node", { maxSkew: 2, minDomains: 2 })]),
    three,
    counts(three, "2/2/1"),
    "fits fits fits",
  ],
  [
    "zones 2/1, maxSkew 2, more domains than minDomains",
    pod([spread("zone", { maxSkew: 2, minDomains: 1 })]),
    four,
    counts(four, "1/1/0/1"),
    "fits fits fits fits",
  ],
  [
    "node affinity honored: 1/1/0/~1~",
    pod([spread("node")], { spec: nodeAffinity("foo", "In", "") }),
    onlyFoo,
    counts(onlyFoo, "1/1/0/1"),
    "skew skew fits fits",
  ],
  [
    "node affinity ignored: 1/1/0/1",
    pod([spread("node", { nodeAffinityPolicy: "Ignore" })], { spec: nodeAffinity("foo", "In", "") }),
    onlyFoo,
    counts(onlyFoo, "1/1/0/1"),
    "skew skew fits skew",
  ],
  [
    "node selector honored: 1/1/0/~1~",
    pod([spread("node")], { spec: { nodeSelector: { foo: "" } } }),
    onlyFoo,
    counts(onlyFoo, "1/1/0/1"),
    "skew skew fits fits",
  ],
  [
    "node selector ignored: 1/1/0/1",
    pod([spread("node", { nodeAffinityPolicy: "Ignore" })], { spec: { nodeSelector: { foo: "" } } }),
    onlyFoo,
    counts(onlyFoo, "1/1/0/1"),
    "skew skew fits skew",
  ],
  [
    "taints honored: 1/1/0/~1~",
    pod([spread("node", { nodeTaintsPolicy: "Honor" })]),
    tainted,
    counts(tainted, "1/1/0/1"),
    "skew skew fits fits",
  ],
  [
    "taints honored and tolerated: 1/1/0/1",
    pod([spread("node", { nodeTaintsPolicy: "Honor" })], { spec: { tolerations: [{ operator: "Exists" }] } }),
    tainted,
    counts(tainted, "1/1/0/1"),
    "skew skew fits skew",
  ],
  [
    "taints ignored: 1/1/0/1",
    pod([spread("node")]),
    tainted,
    counts(tainted, "1/1/0/1"),
    "skew skew fits skew",
  ],
  ["zones 3/3 and nodes 2/1/0/3", spreadBoth, four, counts(four, "2/1/0/3"), "skew skew fits skew"],
  ["zones 3/4 and nodes 2/1/0/4", spreadBoth, four, counts(four, "2/1/0/4"), "skew skew skew skew"],
  [
    "selectors of their own: zones 1/0, nodes 1/0/0/1",
    pod(differently, fooAndBar),
    four,
    [
      ["a", pod([], fooAndBar)],
      ["y", pod([], onlyBar)],
    ],
    "skew skew fits skew",
  ],
  [
    "selectors of their own: zones 1/0, nodes 0/0/1/1",
    pod(differently, fooAndBar),
    four,
    [
      ["a", pod()],
      ["x", pod([], onlyBar)],
      ["y", pod([], onlyBar)],
    ],
    "skew skew skew skew",
  ],
  [
    "selectors of their own: zones 1/0, the Pod does not count itself by zone",
    pod(differently, onlyBar),
    four,
    [
      ["a", pod()],
      ["x", pod([], onlyBar)],
      ["y", pod([], onlyBar)],
    ],
    "fits fits skew skew",
  ],
  [
    "selectors of their own: zones 2/3, nodes 1/0/0/1",
    pod(differently, fooAndBar),
    four,
    [
      ["a", pod()],
      ["a", pod([], fooAndBar)],
      ["y", pod()],
      ["y", pod([], fooAndBar)],
      ["y", pod()],
    ],
    "skew fits skew skew",
  ],
  [
    "two constraints on zones: 3/3 and 2/1",
    pod([spread("zone", { labelSelector: bar }), spread("zone")], fooAndBar),
    four,
    [...counts(four, "1/0/0/2"), ...["a", "b", "y"].map((name) => [name, pod([], fooAndBar)] as const)],
    "skew skew fits fits",
  ],
  [
    "two constraints on zones: 3/4 and 2/1",
    pod([spread("zone", { labelSelector: bar }), spread("zone")], fooAndBar),
    four,
    [...counts(four, "1/0/0/3"), ...["a", "b", "y"].map((name) => [name, pod([], fooAndBar)] as const)],
    "skew skew skew skew",
  ],
  [
    "zones honor the selector, nodes do not",
    pod([spread("zone"), spread("node", { nodeAffinityPolicy: "Ignore" })], selecting),
    included("a b x"),
    counts(four, "1/1/0/1"),
    "skew skew fits skew",
  ],
  [
    "zones honor taints, nodes do not",
    pod([spread("zone", { nodeTaintsPolicy: "Honor" }), spread("node")]),
    included("a b x", "y"),
    counts(four, "1/1/0/1"),
    "skew skew fits skew",
  ],
  [
    "both honor the selector",
    pod([spread("zone"), spread("node")], selecting),
    included("a x y", "y"),
    counts(four, "1/1/0/1"),
    "skew fits fits skew",
  ],
  [
    "zones honor selector and taints, nodes neither",
    pod(
      [spread("zone", { nodeTaintsPolicy: "Honor" }), spread("node", { nodeAffinityPolicy: "Ignore" })],
      selecting,
    ),
    included("a x y", "y"),
    counts(four, "1/1/0/1"),
    "skew skew fits skew",
  ],
  [
    "a node without one of two labels, without Pods",
    spreadBoth,
    { ...nodesOf("a/zone1 b/zone1"), x: { labels: { zone: "zone2" } }, ...nodesOf("y/zone2") },
    counts(four, "1/0/0/1"),
    "skew fits label skew",
  ],
  [
    "a node without one of two labels counts for neither: zones 1/~1~",
    spreadBoth,
    { ...nodesOf("a/zone1 b/zone1"), x: { labels: { zone: "zone2" } }, ...nodesOf("y/zone2") },
    counts(four, "1/0/1/1"),
    "skew fits label skew",
  ],
])("filter: %s", (_, incoming, nodes, placed, expected) => {
  const snapshot = snapshotOf(nodes, placed);
  expect(verdicts(filtering(incoming, snapshot), snapshot)).toBe(expected);
});

test("the filter follows Pods that come and leave", () => {
  const snapshot = snapshotOf(four, counts(four, "1/0/0/0"));
  const [x, y] = [snapshot.node("x"), snapshot.node("y")];
  if (x === undefined || y === undefined) throw new Error("There are four nodes");
  const state = filtering(pod([spread("zone")]), snapshot);
  const other = pod();
  const seen = [verdicts(state, snapshot)];
  state.addPod?.(other, x);
  seen.push(verdicts(state, snapshot));
  state.addPod?.(pod(), y);
  seen.push(verdicts(state, snapshot));
  state.removePod?.(other, x);
  seen.push(verdicts(state, snapshot));
  expect(seen).toEqual([
    "skew skew fits fits",
    "fits fits fits fits",
    "fits fits skew skew",
    "fits fits fits fits",
  ]);
});

test("a Pod without hard constraints is not filtered, one without soft constraints is not scored", () => {
  const plugin = podTopologySpread();
  const snapshot = snapshotOf(four, []);
  expect(plugin.preFilter?.(pod([soft("zone")]), snapshot)).toBeUndefined();
  expect(plugin.preScore?.(pod([spread("zone")]), snapshot)).toBeUndefined();
});

function scoring(incoming: Pod, snapshot: Snapshot, plugin: Plugin = podTopologySpread()): Scoring {
  const state = plugin.preScore?.(incoming, snapshot);
  if (state === undefined) throw new Error("The Pod has no soft constraints");
  return state;
}

/** The scores of the nodes that are candidates. */
function scores(state: Scoring, snapshot: Snapshot, candidates: string): readonly number[] {
  const nodes = snapshot.nodes.filter(({ name }) => candidates.split(" ").includes(name));
  state.begin?.(nodes.map((node) => ({ node, count: 1 })));
  const found = nodes.map((node) => state.score(node));
  state.normalize?.(found);
  return found;
}

const abcd = nodesOf("a b c d");
const withoutHostname: Nodes = { ...nodesOf("a x y"), b: { labels: { n: "b" } } };
const softBoth = pod([soft("zone"), soft(hostname)]);
const softDifferently = pod([soft("zone"), soft(hostname, { labelSelector: bar })], fooAndBar);

/** Upstream's cases, by value (`podtopologyspread/scoring_test.go`): `~1~` is on a node that is no candidate. */
test.each<[string, Pod, Nodes, readonly (readonly [string, Pod])[], string, readonly number[]]>([
  ["no Pods", pod([soft(hostname)]), abcd, [], "a b", [100, 100]],
  ["one candidate", pod([soft(hostname)]), abcd, counts(abcd, "2/1"), "a", [100]],
  ["equal nodes", pod([soft(hostname)]), abcd, counts(abcd, "1/1"), "a b", [100, 100]],
  ["2/1/0/3", pod([soft(hostname)]), abcd, counts(abcd, "2/1/0/3"), "a b c d", [20, 60, 100, 0]],
  [
    "2/1/0/3, no selector",
    pod([soft(hostname, { labelSelector: undefined })]),
    abcd,
    counts(abcd, "2/1/0/3"),
    "a b c d",
    [100, 100, 100, 100],
  ],
  [
    "2/1/0/3, maxSkew 2",
    pod([soft(hostname, { maxSkew: 2 })]),
    abcd,
    counts(abcd, "2/1/0/3"),
    "a b c d",
    [33, 66, 100, 16],
  ],
  [
    "4/3/2/1, maxSkew 3",
    pod([soft(hostname, { maxSkew: 3 })]),
    abcd,
    counts(abcd, "4/3/2/1"),
    "a b c d",
    [44, 66, 77, 100],
  ],
  ["4/2/1/~3~", pod([soft(hostname)]), abcd, counts(abcd, "4/2/1/3"), "a b c", [33, 83, 100]],
  [
    "4/1/~3~, a node without the label",
    pod([soft(hostname)]),
    withoutHostname,
    counts(withoutHostname, "4/1/3/2"),
    "a x b",
    [16, 100, 0],
  ],
  ["zones 6/4, by 4/2/1/~3~", pod([soft("zone")]), four, counts(four, "4/2/1/3"), "a b x", [75, 75, 100]],
  ["zones and nodes 2/~1~/2/~4~", softBoth, four, counts(four, "2/1/2/4"), "a x", [100, 63]],
  [
    "two constraints on zones: 3/3 and 2/1",
    pod([soft("zone"), soft("zone", { labelSelector: bar })], fooAndBar),
    four,
    [
      ["a", pod([], fooAndBar)],
      ["a", pod()],
      ["b", pod([], fooAndBar)],
      ["y", pod()],
      ["y", pod([], fooAndBar)],
      ["y", pod()],
    ],
    "a x",
    [85, 100],
  ],
  [
    "selectors of their own: zones 2/1, nodes 0/1/0/1",
    softDifferently,
    four,
    [
      ["a", pod()],
      ["b", pod([], fooAndBar)],
      ["y", pod()],
      ["y", pod([], onlyBar)],
    ],
    "a b x y",
    [60, 20, 100, 60],
  ],
  [
    "selectors of their own: zones 0/2, nodes 0/1/0/1",
    softDifferently,
    four,
    [
      ["b", pod([], onlyBar)],
      ["x", pod()],
      ["y", pod([], fooAndBar)],
    ],
    "a b x y",
    [100, 60, 40, 0],
  ],
  [
    "selectors of their own: zones 2/1, nodes 0/1/0/~1~",
    softDifferently,
    four,
    [
      ["a", pod()],
      ["b", pod([], fooAndBar)],
      ["y", pod()],
      ["y", pod([], onlyBar)],
    ],
    "a b x",
    [50, 25, 100],
  ],
  [
    "Pods of other namespaces",
    pod([soft(hostname)]),
    abcd,
    [["a", pod([], { namespace: "ns1" })], ...counts(abcd, "1/2")],
    "a b",
    [100, 33],
  ],
  [
    "a terminating Pod",
    pod([soft(hostname)]),
    abcd,
    [
      ["a", pod([], { isTerminating: true })],
      ["b", pod()],
    ],
    "a b",
    [100, 0],
  ],
  [
    "2/2/1, whatever minDomains",
    pod([soft("node", { maxSkew: 2, minDomains: 10 })]),
    three,
    counts(three, "2/2/1"),
    "a b c",
    [75, 75, 100],
  ],
  [
    "node selector ignored: 2/1/1",
    pod([soft("node", { nodeAffinityPolicy: "Ignore" })], { spec: { nodeSelector: { foo: "" } } }),
    onlyFoo,
    counts(onlyFoo, "2/1/0/1"),
    "a b y",
    [66, 100, 100],
  ],
  [
    "node affinity honored: 2/1/~1~",
    pod([soft("node")], { spec: nodeAffinity("foo", "In", "") }),
    onlyFoo,
    counts(onlyFoo, "2/1/0/1"),
    "a b y",
    [0, 33, 100],
  ],
  [
    "node affinity ignored: 2/1/1",
    pod([soft("node", { nodeAffinityPolicy: "Ignore" })], { spec: nodeAffinity("foo", "In", "") }),
    onlyFoo,
    counts(onlyFoo, "2/1/0/1"),
    "a b y",
    [66, 100, 100],
  ],
  [
    "taints honored: 2/1/~1~",
    pod([soft("node", { nodeTaintsPolicy: "Honor" })]),
    tainted,
    counts(tainted, "2/1/0/1"),
    "a b y",
    [0, 33, 100],
  ],
  [
    "taints ignored: 2/1/1",
    pod([soft("node")]),
    tainted,
    counts(tainted, "2/1/0/1"),
    "a b y",
    [66, 100, 100],
  ],
  [
    "node selector honored: 2/1/~1~",
    pod([soft("node")], { spec: { nodeSelector: { foo: "" } } }),
    onlyFoo,
    counts(onlyFoo, "2/1/0/1"),
    "a b y",
    [0, 33, 100],
  ],
])("score: %s", (_, incoming, nodes, placed, candidates, expected) => {
  const snapshot = snapshotOf(nodes, placed);
  expect(scores(scoring(incoming, snapshot), snapshot, candidates)).toEqual(expected);
});

test("scores follow Pods that come and leave", () => {
  const snapshot = snapshotOf(abcd, counts(abcd, "1/0"));
  const b = snapshot.node("b");
  if (b === undefined) throw new Error("There are four nodes");
  const state = scoring(pod([soft(hostname)]), snapshot);
  const other = pod();
  expect(scores(state, snapshot, "a b")).toEqual([0, 100]);
  state.addPod?.(other, b);
  expect(scores(state, snapshot, "a b")).toEqual([100, 100]);
  state.removePod?.(other, b);
  expect(scores(state, snapshot, "a b")).toEqual([0, 100]);
});

/** A Pod of a ReplicaSet that selects the label `foo`. */
function owned(snapshot: Snapshot, parts: PodParts = {}): Pod {
  snapshot.owners.setController("ReplicaSet", "default", "web", { matchLabels: { foo: "" } });
  const one = pod([], parts);
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true };
  return { ...one, metadata: { ...one.metadata, ownerReferences: [owner] } };
}

test("a Pod without constraints is spread by the system's, by the selector of its owner", () => {
  const snapshot = snapshotOf(abcd, counts(abcd, "4/3/2/1"));
  // No node has a zone: as with the constraint on host names alone.
  expect(scores(scoring(owned(snapshot), snapshot), snapshot, "a b c d")).toEqual([44, 66, 77, 100]);
  expect(podTopologySpread().preScore?.(pod(), snapshot)).toBeUndefined();
});

test("defaults that are not the system's score only nodes with all of their labels", () => {
  const constraint = { whenUnsatisfiable: "ScheduleAnyway", maxSkew: 1 } as const;
  const defaults = [
    { ...constraint, topologyKey: hostname },
    { ...constraint, topologyKey: "zone" },
  ];
  const nodes = { ...nodesOf("a/zone1 b/zone2"), ...nodesOf("c") };
  const snapshot = snapshotOf(nodes, []);
  const own = scoring(
    owned(snapshot),
    snapshot,
    podTopologySpread({ defaultConstraints: defaults, defaultingType: "List" }),
  );
  expect(scores(own, snapshot, "a b c")).toEqual([100, 100, 0]);
});

const spreading = pod([spread("zone")]);
const others = pod([spread("zone", { labelSelector: bar })]);
const elsewhere = pod([spread("zone")], { namespace: "other" });
const plain = pod();
const node = aNode("n");

/** Each Pod with the events that may make it schedulable. */
test.each<[string, ClusterEvent, readonly Pod[]]>([
  ["a new node", { type: "nodeAdded", node }, [spreading, others, elsewhere]],
  ["another node", { type: "nodeUpdated", old: node, node }, [spreading, others, elsewhere]],
  ["a lost node", { type: "nodeDeleted", node }, [spreading, others, elsewhere]],
  ["another namespace", { type: "namespaceChanged", name: "n" }, []],
  ["a Pod on a node that is selected", { type: "podAssigned", pod: plain }, [spreading]],
  ["a Pod that is selected and leaves", { type: "podRemoved", pod: plain }, [spreading]],
  [
    "another Pod on a node, whose labels may have changed",
    { type: "assignedPodUpdated", old: plain, pod: plain },
    [spreading, others],
  ],
])("%s helps the Pods whose constraints look at it", (_, event, helped) => {
  const plugin = podTopologySpread();
  expect([spreading, others, elsewhere, plain].filter((one) => plugin.helps?.(one, event))).toEqual(helped);
});
