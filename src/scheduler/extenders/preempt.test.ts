import { describe, expect, test } from "vitest";
import { silentLogger } from "../../util/logger.ts";
import { aNode, aPod } from "../builders.suite.ts";
import type { Candidate } from "../framework.ts";
import { Snapshot } from "../snapshot.ts";
import { Extender } from "./extender.ts";
import { withExtenders } from "./preempt.ts";

const [one, two, three] = ["one", "two", "three"].map((name) => aPod(name));
const uid = (pod: typeof one) => pod?.metadata.uid ?? "";

function setUp() {
  const snapshot = new Snapshot();
  for (const name of ["a", "b"]) snapshot.setNode(aNode(name));
  if (one === undefined || two === undefined || three === undefined) throw new TypeError("there are Pods");
  snapshot.setPod(one, "a");
  snapshot.setPod(two, "b");
  snapshot.setPod(three, "b");
  const candidates: readonly Candidate[] = [
    { node: "a", victims: [one], violations: 0 },
    { node: "b", victims: [two, three], violations: 1 },
  ];
  return { snapshot, candidates };
}

/** The candidates, each as a text, that extenders with these answers leave; and what each was asked. */
async function leave(...extenders: readonly (readonly [object, unknown])[]) {
  const { snapshot, candidates } = setUp();
  const asked: unknown[] = [];
  const made = extenders.map(
    ([more, answer]) =>
      new Extender({ urlPrefix: "http://e", preemptVerb: "preempt", ...more }, async (url, body) => {
        if (answer instanceof Error) throw answer;
        asked.push([url, JSON.parse(body)]);
        return JSON.stringify(answer);
      }),
  );
  const options = { snapshot, log: silentLogger, extenders: made };
  const left = await withExtenders(aPod("high"), candidates, options);
  const texts = left.map(
    ({ node, victims, violations }) =>
      `${node}: ${victims.map(({ metadata }) => metadata.name).join(" ")} (${violations})`,
  );
  return { texts, asked };
}

const answer = (nodes: Readonly<Record<string, readonly string[]>>, NumPDBViolations = 0) => ({
  NodeNameToMetaVictims: Object.fromEntries(
    Object.entries(nodes).map(([node, uids]) => [
      node,
      { Pods: uids.map((UID) => ({ UID })), NumPDBViolations },
    ]),
  ),
});
const capable = { nodeCacheCapable: true };

describe("an extender that takes part in preemption", () => {
  test("with a cache of nodes gets the victims' UIDs, and leaves candidates with victims of its choice", async () => {
    const { texts, asked } = await leave([capable, answer({ b: [uid(three)] }, 2)]);
    expect(texts).toEqual(["b: three (2)"]);
    expect(asked).toMatchObject([
      [
        "http://e/preempt",
        {
          Pod: { metadata: { name: "high" } },
          NodeNameToVictims: null,
          NodeNameToMetaVictims: {
            a: { Pods: [{ UID: uid(one) }], NumPDBViolations: 0 },
            b: { Pods: [{ UID: uid(two) }, { UID: uid(three) }], NumPDBViolations: 1 },
          },
        },
      ],
    ]);
  });

  test("without a cache of nodes gets whole Pods, and answers in the same form", async () => {
    const { texts, asked } = await leave([{}, answer({ a: [uid(one)] })]);
    expect(texts).toEqual(["a: one (0)"]);
    expect(asked).toMatchObject([
      [
        "http://e/preempt",
        {
          NodeNameToMetaVictims: null,
          NodeNameToVictims: {
            b: {
              Pods: [{ metadata: { name: "two" } }, { metadata: { name: "three" } }],
              NumPDBViolations: 1,
            },
          },
        },
      ],
    ]);
  });

  test("is asked about what the one before has left, and not at all about nothing", async () => {
    const first = [capable, answer({ b: [uid(two)] })] as const;
    const { asked } = await leave(first, [capable, answer({ b: [uid(two)] })]);
    expect(asked[1]).toMatchObject([
      "http://e/preempt",
      { NodeNameToMetaVictims: { b: { Pods: [{ UID: uid(two) }] } } },
    ]);
    const none = await leave([capable, answer({})], [capable, answer({ a: [uid(one)] })]);
    expect([none.texts, none.asked.length]).toEqual([[], 1]);
  });

  test.each<readonly [string, unknown, string]>([
    ["fails", new Error("code 500"), "code 500"],
    ["names no victim", answer({ a: [] }), 'expected at least one victim pod on node "a"'],
    ["names an unknown node", answer({ c: ["x"] }), 'nodeinfo not found for node name "c"'],
    [
      "names a Pod of another node",
      answer({ a: [uid(two)] }),
      `extender: http://e claims to preempt pod (UID: ${uid(two)}) on node: a, but the pod is not found on that node`,
    ],
  ])("that %s makes the preemption fail", async (_, given, message) => {
    await expect(leave([capable, given])).rejects.toThrow(message);
  });

  test("that is ignorable is skipped when it fails, and a node without victims is left out", async () => {
    const ignorable = { ...capable, ignorable: true };
    expect((await leave([ignorable, new Error("code 500")])).texts).toEqual([
      "a: one (0)",
      "b: two three (1)",
    ]);
    expect((await leave([ignorable, answer({ a: [], b: [uid(two)] })])).texts).toEqual(["b: two (0)"]);
  });
});
