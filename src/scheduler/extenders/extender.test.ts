import { expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { aNode, aPod, defaultPlugins } from "../builders.suite.ts";
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
  const managedResources = [{ name: "example.com/gpu", ignoredByScheduler: true }];
  const extender = new Extender({ ...named, managedResources }, answering({}));
  expect(extender.isInterested(aPod("p", { cpu: "1" }))).toBe(false);
  expect(extender.isInterested(aPod("p", { "example.com/gpu": "1" }))).toBe(true);
});
