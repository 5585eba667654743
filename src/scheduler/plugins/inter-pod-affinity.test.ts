import { expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { aNode, aPod } from "../builders.suite.ts";
import type { ClusterEvent } from "../cluster-event.ts";
import type { Filtering, Scoring } from "../framework.ts";
import { Snapshot } from "../snapshot.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";

type Labels = Readonly<Record<string, string>>;

interface TermParts {
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: object;
}

const one = (key: string, operator: string, ...values: readonly string[]) => ({ key, operator, values });
const term = (topologyKey: string, expressions: readonly object[], more: TermParts = {}) => ({
  topologyKey,
  labelSelector: { matchExpressions: expressions },
  ...more,
});
const weighted = (weight: number, podAffinityTerm: object) => ({ weight, podAffinityTerm });

interface Rules {
  readonly near?: readonly object[];
  readonly far?: readonly object[];
  readonly preferNear?: readonly object[];
  readonly preferFar?: readonly object[];
}

function affinityOf({ near, far, preferNear, preferFar }: Rules): object {
  const rules = (required: readonly object[] = [], preferred: readonly object[] = []) => ({
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  });
  return {
    ...(near === undefined && preferNear === undefined ? {} : { podAffinity: rules(near, preferNear) }),
    ...(far === undefined && preferFar === undefined ? {} : { podAntiAffinity: rules(far, preferFar) }),
  };
}

let made = 0;
/** A Pod of a name of its own. */
function pod(labels: Labels, rules: Rules = {}, namespace = "default"): Pod {
  const plain = aPod(`p${(made += 1)}`, {}, { affinity: affinityOf(rules) });
  return { ...plain, metadata: { ...plain.metadata, namespace, labels } };
}

type Nodes = Readonly<Record<string, Labels>>;
type Placed = readonly (readonly [node: string, pod: Pod])[];

/** Upstream's namespaces: two teams with two namespaces each. */
function snapshotOf(nodes: Nodes, placed: Placed): Snapshot {
  const snapshot = new Snapshot();
  for (const name of ["subteam1.team1", "subteam2.team1", "subteam1.team2", "subteam2.team2"]) {
    const labels = { team: name.split(".")[1] ?? "" };
    snapshot.setNamespace({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels },
      spec: {},
      status: {},
    });
  }
  for (const [name, labels] of Object.entries(nodes)) snapshot.setNode(aNode(name, {}, { labels }));
  for (const [node, other] of placed) snapshot.setPod(other, node);
  return snapshot;
}

function filtering(incoming: Pod, snapshot: Snapshot): Filtering {
  const state = interPodAffinity().preFilter?.(incoming, snapshot);
  if (state?.type !== "filtering") throw new Error("The plugin has rejected the Pod");
  return state;
}

function verdicts(state: Filtering, { nodes }: Snapshot): string {
  return nodes.map((node) => nameOf(state.filter(node)?.reasons.join())).join(" ");
}

/** Short names of upstream's reasons. */
function nameOf(reason: string | undefined): string {
  switch (reason) {
    case undefined:
      return "fits";
    case "node(s) didn't match pod affinity rules":
      return "affinity";
    case "node(s) didn't match pod anti-affinity rules":
      return "anti-affinity";
    case "node(s) didn't satisfy existing pods anti-affinity rules":
      return "existing";
    default:
      return reason;
  }
}

const scan = { service: "securityscan" };
const s1 = { security: "S1" };
const s2 = { security: "S2" };
const isScan = one("service", "In", "securityscan", "value2");
const isVirus = one("service", "In", "antivirusscan", "value2");
const has = (key: string) => one(key, "Exists");
const ofTeam1 = { namespaceSelector: { matchExpressions: [one("team", "In", "team1")] } };
const apart = (key: string, topologyKey: string) => term(topologyKey, [has(key)]);

const single: Nodes = { node1: { region: "r1", zone: "z11" } };
const china = { region: "China" };
const chinaAz1 = { region: "China", az: "az1" };
const india = { region: "India" };
const twoZones: Nodes = { a: { region: "r1", zone: "z1" }, b: { region: "r1", zone: "z2" } };
const oneZone: Nodes = { a: { region: "r1", zone: "z1" }, b: { region: "r1", zone: "z1" } };

/** Upstream's cases, by value (`interpodaffinity/filtering_test.go`). */
test.each<[string, Pod, Placed, Nodes, string]>([
  ["without rules and Pods", pod({}), [], single, "fits"],
  ["near: In", pod(s2, { near: [term("region", [isScan])] }), [["node1", pod(scan)]], single, "fits"],
  [
    "near: NotIn",
    pod(s2, { near: [term("region", [one("service", "NotIn", "securityscan3", "value3")])] }),
    [["node1", pod(scan)]],
    single,
    "fits",
  ],
  [
    "near: a Pod of a namespace that the term does not name",
    pod(s2, { near: [term("region", [isScan], { namespaces: ["DiffNameSpace"] })] }),
    [["node1", pod(scan, {}, "ns")]],
    single,
    "affinity",
  ],
  [
    "near: a Pod of a namespace that the term names",
    pod(s2, { near: [term("region", [isScan], { namespaces: ["ns"] })] }),
    [["node1", pod(scan, {}, "ns")]],
    single,
    "fits",
  ],
  [
    "near: a Pod of the Pod's own namespace, which the term does not name",
    pod(s2, { near: [term("region", [isScan], { namespaces: ["ns"] })] }),
    [["node1", pod(scan)]],
    single,
    "affinity",
  ],
  [
    "near: no Pod is selected",
    pod(scan, { near: [term("region", [isVirus])] }),
    [["node1", pod(scan)]],
    single,
    "affinity",
  ],
  [
    "near: two terms of several requirements",
    pod(s2, {
      near: [
        term("region", [has("service"), one("wrongkey", "DoesNotExist")]),
        term("region", [one("service", "In", "securityscan"), one("service", "NotIn", "WrongValue")]),
      ],
    }),
    [["node1", pod(scan)]],
    single,
    "fits",
  ],
  [
    "near: one of two terms selects no Pod",
    pod(s2, {
      near: [
        term("region", [has("service"), one("wrongkey", "DoesNotExist")]),
        term("region", [one("service", "In", "securityscan2"), one("service", "NotIn", "WrongValue")]),
      ],
    }),
    [["node1", pod(scan)]],
    single,
    "affinity",
  ],
  [
    "near and far: the Pod to be far from is another",
    pod(s2, { near: [term("region", [isScan])], far: [term("node", [isVirus])] }),
    [["node1", pod(scan, { far: [term("node", [isVirus])] })]],
    single,
    "fits",
  ],
  [
    "near and far of the same Pod",
    pod(s2, { near: [term("region", [isScan])], far: [term("zone", [isScan])] }),
    [["node1", pod(scan)]],
    single,
    "anti-affinity",
  ],
  [
    "near, but the other Pod wants to be far",
    pod(scan, { near: [term("region", [isScan])], far: [term("node", [isVirus])] }),
    [["node1", pod(scan, { far: [term("zone", [isScan])] })]],
    single,
    "existing",
  ],
  [
    "near: a Pod that its own term does not select is not the first of its group",
    pod(scan, { near: [term("region", [one("service", "NotIn", "securityscan", "value2")])] }),
    [["node2", pod(scan)]],
    single,
    "affinity",
  ],
  [
    "a Pod without rules: the other Pod wants to be far",
    pod(scan),
    [["node1", pod(scan, { far: [term("zone", [isScan])] })]],
    single,
    "existing",
  ],
  [
    "a Pod without rules: the other Pod wants to be far from others",
    pod(scan),
    [["node1", pod(scan, { far: [term("zone", [one("service", "NotIn", "securityscan")])] })]],
    single,
    "fits",
  ],
  [
    "far: each Pod selects the other",
    pod(scan, { far: [apart("service", "region"), apart("security", "region")] }),
    [["node1", pod(s2, { far: [apart("security", "zone")] })]],
    single,
    "anti-affinity",
  ],
  [
    "far: only the other Pod selects the Pod",
    pod(s2, { far: [apart("security", "zone")] }),
    [["node1", pod(scan, { far: [apart("service", "zone"), apart("security", "zone")] })]],
    single,
    "existing",
  ],
  [
    "far: both Pods select each other by different terms",
    pod({ abc: "", xyz: "" }, { far: [apart("abc", "zone"), apart("def", "zone")] }),
    [["node1", pod({ def: "", xyz: "" }, { far: [apart("abc", "zone"), apart("def", "zone")] })]],
    single,
    "anti-affinity",
  ],
  [
    "near: a namespaceSelector that matches",
    pod(s2, { near: [term("region", [isScan], ofTeam1)] }),
    [["node1", pod(scan, {}, "subteam1.team1")]],
    single,
    "fits",
  ],
  [
    "near: a namespaceSelector that does not match",
    pod(s2, { near: [term("region", [isScan], ofTeam1)] }),
    [["node1", pod(scan, {}, "subteam1.team2")]],
    single,
    "affinity",
  ],
  [
    "near: a namespaceSelector does not add the Pod's own namespace",
    pod(s2, { near: [term("region", [isScan], ofTeam1)] }),
    [["node1", pod(scan)]],
    single,
    "affinity",
  ],
  [
    "far: a namespaceSelector that matches",
    pod(s2, { far: [term("zone", [isScan], ofTeam1)] }, "subteam1.team1"),
    [["node1", pod(scan, {}, "subteam2.team1")]],
    single,
    "anti-affinity",
  ],
  [
    "far: an empty namespaceSelector matches all namespaces, known or not",
    pod(s2, { far: [term("zone", [isScan], { namespaceSelector: {} })] }, "subteam1.team1"),
    [["node1", pod(scan, {}, "unknown")]],
    single,
    "anti-affinity",
  ],
  [
    "far: a namespaceSelector that does not match",
    pod(s2, { far: [term("zone", [isScan], ofTeam1)] }, "subteam1.team1"),
    [["node1", pod(scan, {}, "subteam1.team2")]],
    single,
    "fits",
  ],
  [
    "near: all nodes of the domain fit",
    pod({}, { near: [term("region", [one("foo", "In", "bar")])] }),
    [["a", pod({ foo: "bar" })]],
    { a: china, b: chinaAz1, c: india },
    "fits fits affinity",
  ],
  [
    "near: the first of a group fits on every node with the label",
    pod({ foo: "bar", ...scan }, { near: [term("zone", [has("foo")]), term("zone", [isScan])] }),
    [["a", pod({ foo: "bar" })]],
    { a: { zone: "az1" }, b: { zone: "az2" }, c: { region: "az3" } },
    "fits fits affinity",
  ],
  [
    "near: the second of a group does not fit everywhere",
    pod({ foo: "bar" }, { near: [term("zone", [has("foo")])] }),
    [["a", pod({ foo: "bar" })]],
    { a: { zone: "az1" }, b: { zone: "az2" } },
    "fits affinity",
  ],
  [
    "far: no node of the domain fits",
    pod({}, { far: [term("region", [one("foo", "In", "abc")])] }),
    [["a", pod({ foo: "abc" })]],
    { a: china, b: chinaAz1, c: india },
    "anti-affinity anti-affinity fits",
  ],
  [
    "far: one of two terms is enough",
    pod({}, { far: [term("region", [one("foo", "In", "abc")]), term("zone", [isScan])] }),
    [["a", pod({ foo: "abc", ...scan })]],
    twoZones,
    "anti-affinity anti-affinity",
  ],
  [
    "far: Pods of other namespaces do not count, nor do their terms",
    pod({ foo: "123" }, { far: [term("region", [one("foo", "In", "bar")])] }, "NS1"),
    [
      ["a", pod({ foo: "bar" }, {}, "NS1")],
      ["c", pod({}, { far: [term("region", [one("foo", "In", "123")])] }, "NS2")],
    ],
    { a: china, b: chinaAz1, c: india },
    "anti-affinity anti-affinity fits",
  ],
  [
    "existing: nodes without the label of the other Pod's term fit",
    pod({ foo: "" }),
    [["a", pod({}, { far: [apart("foo", "invalid-node-label")] })]],
    oneZone,
    "fits fits",
  ],
  [
    "far: nodes without the label of the term fit",
    pod({}, { far: [apart("foo", "invalid-node-label")] }),
    [["a", pod({ foo: "" })]],
    oneZone,
    "fits fits",
  ],
  [
    "existing: two Pods rule out all nodes",
    pod({ foo: "", bar: "" }),
    [
      ["a", pod({}, { far: [apart("foo", "zone")] })],
      ["a", pod({}, { far: [apart("bar", "region")] })],
    ],
    twoZones,
    "existing existing",
  ],
  [
    "far: two terms rule out all nodes",
    pod({}, { far: [apart("foo", "zone"), apart("bar", "region")] }),
    [
      ["a", pod({ foo: "" })],
      ["b", pod({ bar: "" })],
    ],
    twoZones,
    "anti-affinity anti-affinity",
  ],
  [
    "existing: of two terms, one has a label that nodes lack",
    pod({ foo: "", bar: "" }),
    [["a", pod({}, { far: [apart("foo", "invalid-node-label"), apart("bar", "zone")] })]],
    twoZones,
    "existing fits",
  ],
  [
    "far: of two terms, one has a label that nodes lack",
    pod({}, { far: [apart("foo", "invalid-node-label"), apart("bar", "zone")] }),
    [["a", pod({ foo: "", bar: "" })]],
    twoZones,
    "anti-affinity fits",
  ],
  [
    "existing: each of two Pods rules out its own node",
    pod({ foo: "", bar: "" }),
    [
      ["a", pod({}, { far: [apart("foo", "zone"), apart("labelA", "zone")] })],
      ["b", pod({}, { far: [apart("bar", "zone"), apart("labelB", "zone")] })],
    ],
    { ...twoZones, c: { region: "r1", zone: "z3" } },
    "existing existing fits",
  ],
  [
    "near: one Pod matches all terms",
    pod({}, { near: [apart("foo", "region"), apart("bar", "zone")] }),
    [["a", pod({ foo: "", bar: "" })]],
    { ...oneZone, c: { region: "r1", zone: "z3" } },
    "fits fits affinity",
  ],
  [
    "near: no single Pod matches all terms",
    pod({}, { near: [apart("foo", "region"), apart("bar", "zone")] }),
    [
      ["a", pod({ foo: "" })],
      ["b", pod({ bar: "" })],
    ],
    twoZones,
    "affinity affinity",
  ],
  [
    "a term without a selector selects nothing",
    pod(scan, { far: [{ topologyKey: "zone" }] }),
    [["node1", pod(scan, { far: [{ topologyKey: "zone" }] })]],
    single,
    "fits",
  ],
])("filter: %s", (_, incoming, placed, nodes, expected) => {
  const snapshot = snapshotOf(nodes, placed);
  expect(verdicts(filtering(incoming, snapshot), snapshot)).toBe(expected);
});

test("only a removal of Pods resolves anti-affinity; nothing resolves affinity", () => {
  const unresolvable = (incoming: Pod, other: Pod) => {
    const snapshot = snapshotOf(single, [["node1", other]]);
    return snapshot.nodes.map((node) => filtering(incoming, snapshot).filter(node)?.unresolvable);
  };
  expect(unresolvable(pod(s2, { near: [term("region", [isVirus])] }), pod(scan))).toEqual([true]);
  expect(unresolvable(pod(s2, { far: [term("region", [isScan])] }), pod(scan))).toEqual([false]);
  expect(unresolvable(pod(scan), pod(s2, { far: [term("region", [isScan])] }))).toEqual([false]);
});

test("the filter follows Pods that come and leave", () => {
  const incoming = pod(scan, { near: [term("region", [has("foo")])], far: [term("zone", [isVirus])] });
  const snapshot = snapshotOf({ a: { region: "r1", zone: "z1" }, b: { region: "r1", zone: "z2" } }, []);
  const [a, b] = [snapshot.node("a"), snapshot.node("b")];
  if (a === undefined || b === undefined) throw new Error("There are two nodes");
  const state = filtering(incoming, snapshot);
  const friend = pod({ foo: "" });
  const enemy = pod({ service: "antivirusscan" });
  const loner = pod({}, { far: [term("zone", [isScan])] });
  const seen = [verdicts(state, snapshot)];
  for (const [other, node] of [
    [friend, a],
    [enemy, a],
    [loner, b],
  ] as const) {
    state.addPod?.(other, node);
    seen.push(verdicts(state, snapshot));
  }
  state.removePod?.(enemy, a);
  seen.push(verdicts(state, snapshot));
  state.removePod?.(loner, b);
  seen.push(verdicts(state, snapshot));
  expect(seen).toEqual([
    "affinity affinity",
    "fits fits",
    "anti-affinity fits",
    "anti-affinity existing",
    "fits existing",
    "fits fits",
  ]);
});

const isS1 = one("security", "In", "S1");
const isS2 = one("security", "In", "S2");
const withS1: Rules = { preferNear: [weighted(5, term("region", [isS1]))] };
const withS2: Rules = { preferNear: [weighted(6, term("region", [isS2]))] };
const awayFromS1: Rules = { preferFar: [weighted(5, term("az", [isS1]))] };
const awayFromS2: Rules = { preferFar: [weighted(5, term("az", [isS2]))] };
const withS1AwayFromS2: Rules = { preferNear: [weighted(8, term("region", [isS1]))], ...awayFromS2 };
const several: Rules = {
  preferNear: [
    weighted(8, term("region", [one("security", "NotIn", "S1"), isS2])),
    weighted(2, term("region", [has("security"), one("wrongkey", "DoesNotExist")])),
  ],
};
const mustBeWithS1: Rules = {
  near: [
    term("region", [one("security", "In", "S1", "value2")]),
    term("region", [has("security"), one("wrongkey", "DoesNotExist")]),
  ],
};
const teamTerm = weighted(5, term("region", [isS1], { namespaces: ["subteam2.team2"], ...ofTeam1 }));
const nearTeam: Rules = { preferNear: [teamTerm] };
const farFromTeam: Rules = { preferFar: [teamTerm] };
const three: Nodes = { "1": china, "2": india, "3": { az: "az1" } };
const team1 = "subteam1.team1";

function scores(incoming: Pod, snapshot: Snapshot): readonly number[] {
  const state = interPodAffinity().preScore?.(incoming, snapshot);
  if (state === undefined) throw new Error("The plugin has no scores");
  return normalized(state, snapshot);
}

function normalized(state: Scoring, { nodes }: Snapshot): readonly number[] {
  const found = nodes.map((node) => state.score(node));
  state.normalize?.(found);
  return found;
}

/** Upstream's cases, by value (`interpodaffinity/scoring_test.go`). */
test.each<[string, Pod, Placed, Nodes, readonly number[]]>([
  ["no Pod has rules", pod(s1), [], three, [0, 0, 0]],
  [
    "near: the node of a Pod that is selected, with the label",
    pod(s1, withS1),
    [
      ["1", pod(s1)],
      ["2", pod(s2)],
      ["3", pod(s1)],
    ],
    three,
    [100, 0, 0],
  ],
  [
    "near: all nodes of the domain",
    pod({}, withS1),
    [["1", pod(s1)]],
    { "1": china, "2": chinaAz1, "3": india },
    [100, 100, 0],
  ],
  [
    "near: the domain with more Pods",
    pod(s1, withS2),
    ["1", "1", "2", "3", "4", "5"].map((node) => [node, pod(s2)] as const),
    { "1": china, "2": india, "3": china, "4": china, "5": india },
    [100, 0, 100, 100, 0],
  ],
  [
    "near: weights of all terms are added",
    pod(s1, several),
    [
      ["1", pod(s1)],
      ["2", pod(s2)],
      ["3", pod(s1)],
    ],
    three,
    [20, 100, 0],
  ],
  [
    "the preferences of other Pods count",
    pod(s2),
    [
      ["1", pod(s1, withS1)],
      ["2", pod(s2, withS2)],
    ],
    three,
    [0, 100, 0],
  ],
  [
    "the preferences of Pods of other namespaces count, by their namespaceSelector",
    pod(s1, {}, team1),
    [
      ["1", pod(s1, nearTeam)],
      ["2", pod(s2, withS2)],
    ],
    three,
    [100, 0, 0],
  ],
  [
    "the anti-affinity of Pods of other namespaces counts, by their namespaceSelector",
    pod(s1, {}, team1),
    [
      ["1", pod(s1, farFromTeam)],
      ["2", pod(s2, withS2)],
    ],
    three,
    [0, 100, 100],
  ],
  [
    "the required affinity of other Pods counts",
    pod(s1),
    [
      ["1", pod(s1, mustBeWithS1)],
      ["2", pod(s2, mustBeWithS1)],
    ],
    three,
    [100, 100, 0],
  ],
  [
    "far: a node without the label scores higher, whatever its Pods",
    pod(s1, awayFromS1),
    [
      ["1", pod(s1)],
      ["2", pod(s1)],
    ],
    { "1": { az: "az1" }, "2": china },
    [0, 100],
  ],
  [
    "the anti-affinity of other Pods counts",
    pod(s2),
    [
      ["1", pod(s1, awayFromS2)],
      ["2", pod(s2, awayFromS1)],
    ],
    { "1": { az: "az1" }, "2": { az: "az2" } },
    [0, 100],
  ],
  [
    "near and far",
    pod(s1, withS1AwayFromS2),
    [
      ["1", pod(s1)],
      ["2", pod(s1)],
    ],
    { "1": china, "2": { az: "az1" } },
    [100, 0],
  ],
  [
    "near and far, of the Pod and of others",
    pod(s1, withS1AwayFromS2),
    [
      ["1", pod(s1)],
      ["2", pod(s2)],
      ["3", pod({}, withS1AwayFromS2)],
      ["4", pod({}, awayFromS1)],
    ],
    { "1": china, "2": { az: "az1" }, "3": india, "4": { az: "az2" } },
    [100, 0, 100, 0],
  ],
  [
    "equal nodes",
    pod(s1),
    [
      ["1", pod(s1)],
      ["2", pod({}, withS1AwayFromS2)],
    ],
    { "1": china, "2": china },
    [0, 0],
  ],
  [
    "near: Pods of the namespaces that the selector matches",
    pod(s1, nearTeam, team1),
    [
      ["1", pod(s1, {}, team1)],
      ["1", pod(s1, {}, team1)],
      ["1", pod(s1, {}, "subteam1.team2")],
      ["2", pod(s1, {}, "subteam2.team1")],
    ],
    { "1": china, "2": india },
    [100, 0],
  ],
  [
    "far: Pods of the namespaces that the term names, beside those of the selector",
    pod(s1, farFromTeam, team1),
    [
      ["1", pod(s1, {}, team1)],
      ["1", pod(s1, {}, "subteam2.team2")],
      ["2", pod(s1, {}, "subteam2.team1")],
    ],
    { "1": china, "2": india },
    [0, 100],
  ],
])("score: %s", (_, incoming, placed, nodes, expected) => {
  expect(scores(incoming, snapshotOf(nodes, placed))).toEqual(expected);
});

test("scores follow Pods that come and leave", () => {
  const snapshot = snapshotOf({ "1": china, "2": india }, [["1", pod(s1)]]);
  const [china1, india2] = [snapshot.node("1"), snapshot.node("2")];
  const state = interPodAffinity().preScore?.(pod(s1, withS1), snapshot);
  if (state === undefined || china1 === undefined || india2 === undefined)
    throw new Error("There are scores");
  const rival = pod(s1);
  expect(snapshot.nodes.map((node) => state.score(node))).toEqual([5, 0]);
  state.addPod?.(rival, india2);
  state.addPod?.(rival, india2);
  expect(normalized(state, snapshot)).toEqual([0, 100]);
  state.removePod?.(rival, india2);
  state.removePod?.(rival, india2);
  expect(normalized(state, snapshot)).toEqual([100, 0]);
});

const near = pod({}, { near: [term("zone", [isScan])] });
const preferring = pod({}, withS1);
const far = pod({}, { far: [term("zone", [isScan])] });
const plain = pod({});
const node = aNode("n");

/** Each Pod with the events that may make it schedulable. */
test.each<[string, ClusterEvent, readonly Pod[]]>([
  ["a new node", { type: "nodeAdded", node }, [near, preferring, far]],
  ["another node", { type: "nodeUpdated", old: node, node }, [near, preferring, far]],
  ["a lost node", { type: "nodeDeleted", node }, []],
  ["another namespace", { type: "namespaceChanged", name: "n" }, [near, preferring, far]],
  ["a Pod on a node", { type: "podAssigned", pod: plain }, [near]],
  ["another Pod on a node", { type: "assignedPodUpdated", old: plain, pod: plain }, [near]],
  ["a Pod that leaves", { type: "podRemoved", pod: plain }, [far]],
  ["a Pod with anti-affinity that leaves", { type: "podRemoved", pod: far }, [near, preferring, far, plain]],
])("%s helps the Pods whose rules look at it", (_, event, helped) => {
  const all = [near, preferring, far, plain];
  expect(all.filter((one) => interPodAffinity().helps?.(one, event))).toEqual(helped);
});
