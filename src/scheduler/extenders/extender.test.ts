import { expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { aNode, aPod, defaultPlugins } from "../builders.suite.ts";
import { rejected, type WeightedPlugin } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { Snapshot } from "../snapshot.ts";
import { decideWithExtenders } from "./decide.ts";
import { Extender, type Post } from "./extender.ts";

type Configuration = ConstructorParameters<typeof Extender>[0];

/** A cluster of three nodes, of which `c` is cordoned. */
const snapshot = new Snapshot();
for (const [name, spec] of [
  ["a", {}],
  ["b", {}],
  ["c", { unschedulable: true }],
] as const)
  snapshot.setNode(aNode(name, spec));

const requests: { url: string; body: unknown; timeoutMs: number }[] = [];

/** Answers each verb with a value, or fails. */
function answering(answers: Readonly<Record<string, unknown>>): Post {
  return async (url, body, timeoutMs) => {
    requests.push({ url, body: JSON.parse(body), timeoutMs });
    const verb = url.slice(url.lastIndexOf("/") + 1);
    if (!Object.hasOwn(answers, verb)) throw new Error(`failed with extender at URL ${url}, code 500`);
    return JSON.stringify(answers[verb]);
  };
}

const named: Configuration = {
  urlPrefix: "http://extender/",
  filterVerb: "filter",
  nodeCacheCapable: true,
};

async function decide(...extenders: readonly (readonly [Configuration, object])[]) {
  requests.length = 0;
  const made = extenders.map(
    ([configuration, answers]) => new Extender(configuration, answering({ ...answers })),
  );
  const options = { plugins: defaultPlugins, snapshot, random: seededRandom(1), log: silentLogger };
  const outcome = await decideWithExtenders(aPod("p"), { ...options, extenders: made });
  return outcome.type === "node" ? outcome.node.name : outcome.error;
}

test("an extender is asked about the feasible nodes by name, and chooses among them", async () => {
  expect(await decide([named, { filter: { NodeNames: ["b"] } }])).toBe("b");
  expect(requests).toMatchObject([
    {
      url: "http://extender/filter",
      body: { Pod: { metadata: { name: "p" } }, NodeNames: ["a", "b"], Nodes: null },
      timeoutMs: 5000,
    },
  ]);
});

test("an extender without a cache of nodes gets and returns whole nodes", async () => {
  const { nodeCacheCapable: _, ...whole } = named;
  const left = { Nodes: { items: [{ metadata: { name: "b" } }] } };
  expect(await decide([{ ...whole, httpTimeout: "250ms" }, { filter: left }])).toBe("b");
  expect(requests).toMatchObject([
    {
      body: { Nodes: { items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }] }, NodeNames: null },
      timeoutMs: 250,
    },
  ]);
});

test("a second extender is asked about what the first has left", async () => {
  const first = [named, { filter: { NodeNames: ["a"], FailedNodes: { b: "too loud" } } }] as const;
  const second = [
    named,
    { filter: { NodeNames: [], FailedAndUnresolvableNodes: { a: "too dear" } } },
  ] as const;
  expect(await decide(first, second)).toMatchObject({
    message: "0/3 nodes are available: 1 node(s) were unschedulable, 1 too dear, 1 too loud.",
    plugins: new Set(["Extender", "NodeUnschedulable"]),
    // Where the reason stands, no removal of Pods helps.
    resolvable: ["b"],
  });
  expect(requests).toMatchObject([{ body: { NodeNames: ["a", "b"] } }, { body: { NodeNames: ["a"] } }]);
});

test("an extender's scores, up to 10, count ten times its weight", async () => {
  const scoring = { urlPrefix: "http://extender", prioritizeVerb: "prioritize", weight: 5 };
  const prefer = (Host: string) => [{ Host, Score: 10 }];
  for (const host of ["a", "b"]) expect(await decide([scoring, { prioritize: prefer(host) }])).toBe(host);
  // One that fails gives no scores.
  expect(await decide([scoring, {}], [scoring, { prioritize: prefer("b") }])).toBe("b");
});

test("the failure of an extender is an error, unless it is ignorable", async () => {
  await expect(decide([named, {}])).rejects.toThrow(
    "failed with extender at URL http://extender/filter, code 500",
  );
  await expect(decide([named, { filter: { Error: "broken" } }])).rejects.toThrow("broken");
  await expect(decide([named, { filter: { NodeNames: ["c"] } }])).rejects.toThrow(
    'extender "http://extender/" claims a filtered node "c" which is not found in the input node list',
  );
  const strict = [named, { filter: { NodeNames: ["b"] } }] as const;
  expect(await decide([{ ...named, ignorable: true }, {}], strict)).toBe("b");
});

test("an extender with managed resources is interested in the Pods that ask for one", () => {
  const managedResources = [
    { name: "example.com/gpu", ignoredByScheduler: true },
    { name: "example.com/fpga" },
  ];
  const extender = new Extender({ ...named, managedResources }, answering({}));
  expect(extender.isInterested(aPod("p", { cpu: "1" }))).toBe(false);
  expect(extender.isInterested(aPod("p", { "example.com/gpu": "1" }))).toBe(true);
});

/** An extender with these answers. */
const extenderWith = (configuration: Configuration, answers: object) => {
  requests.length = 0;
  return new Extender({ urlPrefix: "http://extender", ...configuration }, answering({ ...answers }));
};
/** A required node affinity to the node of the name. */
const required = (name: string) => {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [name] }];
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } };
};
const infos = () => snapshot.nodes.filter(({ name }) => name !== "c");

test("an extender without a verb is not asked, and changes nothing", async () => {
  const extender = extenderWith({}, {});
  const filtered = await extender.filter(aPod("p"), infos());
  expect([filtered.nodes, filtered.failed.size, filtered.unresolvable.size]).toEqual([infos(), 0, 0]);
  expect(await extender.prioritize(aPod("p"), infos())).toEqual(new Map());
  expect([requests, extender.isBinder, extender.isPreempting, extender.isIgnorable]).toEqual([
    [],
    false,
    false,
    false,
  ]);
  expect(extender.isInterested(aPod("p"))).toBe(true);
  expect(new Extender({}, answering({})).url).toBe("");
});

test("an extender that binds gets the names of the Pod and of the node", async () => {
  const settings = { urlPrefix: "http://extender//", bindVerb: "bind", httpTimeout: "0s" };
  const extender = extenderWith(settings, { bind: { Error: "" } });
  await extender.bind(aPod("p"), "a");
  const body = { PodName: "p", PodNamespace: "default", PodUID: "uid-p", Node: "a" };
  expect(requests).toEqual([{ url: "http://extender/bind", body, timeoutMs: 5000 }]);
  expect([extender.isBinder, extender.isPreempting]).toEqual([true, false]);
  const failing = (answers: object) => extenderWith({ bindVerb: "bind" }, answers).bind(aPod("p"), "a");
  await expect(failing({ bind: { Error: "full" } })).rejects.toThrow("full");
  await expect(failing({})).rejects.toThrow("code 500");
  await expect(failing({ bind: { Error: null } })).resolves.toBeUndefined();
});

test("an extender's scores are by node, and none for an answer in another form", async () => {
  const scoring: Configuration = { prioritizeVerb: "prioritize", weight: 2, nodeCacheCapable: true };
  const scores = [
    { Host: "a", Score: 3 },
    { Host: "b", Score: 10 },
  ];
  const found = await extenderWith(scoring, { prioritize: scores }).prioritize(aPod("p"), infos());
  expect([...found]).toEqual([
    ["a", 60],
    ["b", 200],
  ]);
  expect(requests).toMatchObject([
    { body: { Pod: { metadata: { name: "p" } }, NodeNames: ["a", "b"], Nodes: null } },
  ]);
  expect(await extenderWith(scoring, { prioritize: {} }).prioritize(aPod("p"), infos())).toEqual(new Map());
});

test("an extender that leaves nodes may name them in either form, and gives reasons against the others", async () => {
  const names = async (configuration: Configuration, answer: object) => {
    const extender = extenderWith({ filterVerb: "filter", ...configuration }, { filter: answer });
    return (await extender.filter(aPod("p"), infos())).nodes.map(({ name }) => name);
  };
  const whole = { Nodes: { items: [{ metadata: { name: "a" } }] } };
  expect(await names({ nodeCacheCapable: true }, whole)).toEqual(["a"]);
  expect(await names({ nodeCacheCapable: true }, { ...whole, NodeNames: ["b"] })).toEqual(["b"]);
  expect(await names({}, { ...whole, NodeNames: ["b"] })).toEqual(["a"]);
  expect(await names({}, { Error: "" })).toEqual([]);
  const answer = { NodeNames: ["b"], FailedNodes: { a: "loud" }, FailedAndUnresolvableNodes: { c: "old" } };
  const { failed, unresolvable } = await extenderWith(named, { filter: answer }).filter(aPod("p"), infos());
  expect([[...failed], [...unresolvable]]).toEqual([[["a", "loud"]], [["c", "old"]]]);
});

test("an extender's choice of victims is none where its answer has another form", async () => {
  const preempting: Configuration = { preemptVerb: "preempt", nodeCacheCapable: true };
  const answer = { NodeNameToMetaVictims: { a: { Pods: {}, NumPDBViolations: "2" } } };
  const extender = extenderWith(preempting, { preempt: answer });
  expect([extender.isBinder, extender.isPreempting]).toEqual([false, true]);
  expect([...(await extender.preempt(aPod("p"), []))]).toEqual([["a", { uids: [], violations: 0 }]]);
});

test("without a feasible node no extender is asked", async () => {
  const pod = aPod("p", { cpu: "9" });
  const extender = extenderWith(named, { filter: { NodeNames: [] } });
  const options = { plugins: defaultPlugins, snapshot, random: seededRandom(1), log: silentLogger };
  expect(await decideWithExtenders(pod, { ...options, extenders: [extender] })).toMatchObject({
    type: "unschedulable",
    error: {
      message: "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.",
      plugins: new Set(["NodeResourcesFit", "NodeUnschedulable"]),
      resolvable: [],
    },
  });
  expect(requests).toEqual([]);
});

test("an extender sees only the nodes that PreFilter names, and a rejection by PreFilter ends the attempt", async () => {
  const onB = aPod("p", {}, { affinity: { nodeAffinity: required("b") } });
  const options = { plugins: defaultPlugins, snapshot, random: seededRandom(1), log: silentLogger };
  const outcome = async (pod: typeof onB, plugins = defaultPlugins) =>
    decideWithExtenders(pod, { ...options, plugins, extenders: [extenderWith(named, answers)] });
  const answers = { filter: { NodeNames: ["b"] } };
  expect(await outcome(onB)).toMatchObject({ type: "node", node: { name: "b" } });
  expect(requests).toMatchObject([{ body: { NodeNames: ["b"] } }]);
  const refusing = { name: "Refusing", preFilter: () => rejected("never") };
  expect(await outcome(onB, [{ plugin: refusing, weight: 0 }])).toEqual({
    type: "unschedulable",
    error: { message: "0/3 nodes are available: never.", plugins: new Set(["Refusing"]), resolvable: [] },
  });
});

test("nodes with the highest total are chosen at random, and the plugins' scores count beside the extenders'", async () => {
  const scoring: Configuration = { prioritizeVerb: "prioritize", weight: 1 };
  const preferring = (name: string, weight: number) => ({
    plugin: {
      name: "Preferring",
      preScore: () => ({ score: (node: NodeInfo) => (node.name === name ? 100 : 0) }),
    },
    weight,
  });
  const chosen = async (plugins: readonly WeightedPlugin[], scores: Readonly<Record<string, number>>) => {
    const prioritize = Object.entries(scores).map(([Host, Score]) => ({ Host, Score }));
    const names = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const options = { plugins, snapshot, random: seededRandom(seed), log: silentLogger };
      const extenders = [extenderWith(scoring, { prioritize })];
      const outcome = await decideWithExtenders(aPod("p"), { ...options, extenders });
      names.add(outcome.type === "node" ? outcome.node.name : "none");
    }
    return [...names].sort();
  };
  expect(await chosen([], {})).toEqual(["a", "b", "c"]);
  expect(await chosen([], { a: 4, b: 4 })).toEqual(["a", "b"]);
  expect(await chosen([preferring("a", 1)], { b: 10 })).toEqual(["a", "b"]);
  expect(await chosen([preferring("a", 1)], { b: 9 })).toEqual(["a"]);
  expect(await chosen([preferring("a", 2)], { b: 10, c: 10 })).toEqual(["a"]);
});
