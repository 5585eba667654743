import { expect, test } from "vitest";
import { seededRandom } from "../../util/random.ts";
import { aNode, aPod, nodeWith } from "../builders.suite.ts";
import { type Plugin, type Scoring, unschedulable } from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import { Snapshot } from "../snapshot.ts";
import { type Candidate, Cell } from "./cell.ts";
import { Decider } from "./decider.ts";

/** A plugin that counts the questions, and accepts nodes with room for so many Pods. */
function counting(room: number, score: Partial<Scoring> = {}) {
  const asked = { prepared: 0, filtered: 0, scored: 0 };
  const plugin: Plugin = {
    name: "Counting",
    preFilter: () => {
      asked.prepared += 1;
      return {
        type: "filtering",
        filter: ({ pods }) => {
          asked.filtered += 1;
          return pods.size < room ? undefined : unschedulable("full");
        },
      };
    },
    preScore: () => ({
      score: ({ pods }) => {
        asked.scored += 1;
        return -pods.size;
      },
      ...score,
    }),
  };
  return { asked, plugin };
}

function clusterOf(count: number, plugin: Plugin) {
  const snapshot = new Snapshot();
  for (let i = 0; i < count; i++) snapshot.setNode(aNode(`n${i}`));
  const decider = new Decider({ plugins: [{ plugin, weight: 1 }], snapshot, random: seededRandom(1) });
  return { snapshot, decider };
}

test("a Pod of a known class asks about the nodes that have changed, and no others", () => {
  const { asked, plugin } = counting(10);
  const { snapshot, decider } = clusterOf(100, plugin);
  decider.decide(aPod("p0"));
  expect(asked).toEqual({ prepared: 1, filtered: 100, scored: 100 });
  for (const name of ["p1", "p2", "p3"]) {
    const outcome = decider.decide(aPod(name));
    if (outcome.type !== "node") throw new Error(outcome.error.message);
    snapshot.setPod(aPod(name), outcome.node.name);
  }
  decider.decide(aPod("p4"));
  expect(asked).toEqual({ prepared: 1, filtered: 103, scored: 103 });
  // Two changes of one node are one.
  snapshot.setPod(aPod("x"), "n0");
  snapshot.removePod("uid-x");
  decider.decide(aPod("p5"));
  expect(asked).toEqual({ prepared: 1, filtered: 104, scored: 104 });
});

test("a change of the topology asks about all nodes anew", () => {
  const { asked, plugin } = counting(10);
  const { snapshot, decider } = clusterOf(3, plugin);
  decider.decide(aPod("p0"));
  snapshot.setNode(aNode("n0", {}, { labels: { zone: "z" } }));
  decider.decide(aPod("p1"));
  expect(asked).toEqual({ prepared: 2, filtered: 6, scored: 6 });
});

test("a class that is far behind is made anew", () => {
  const { asked, plugin } = counting(10);
  const { snapshot, decider } = clusterOf(2, plugin);
  decider.decide(aPod("p0"));
  for (let i = 0; i < 10_000; i++) {
    snapshot.setPod(aPod("x"), "n0");
    snapshot.removePod("uid-x");
  }
  expect(decider.decide(aPod("p1")).type).toBe("node");
  expect(asked.prepared).toBe(2);
});

test("the reasons for a failure are computed once, until something changes", () => {
  const { asked, plugin } = counting(0);
  const { snapshot, decider } = clusterOf(5, plugin);
  const decide = () => {
    const outcome = decider.decide(aPod("p"));
    return outcome.type === "unschedulable" ? outcome.error : undefined;
  };
  const first = decide();
  expect(first?.message).toBe("0/5 nodes are available: 5 full.");
  const { filtered } = asked;
  expect(decide()).toBe(first);
  expect(asked.filtered).toBe(filtered);
  snapshot.nominate(aPod("other"), "n0");
  expect(decide()).not.toBe(first);
});

test("on few nodes many classes are remembered, on many nodes few", () => {
  const { asked, plugin } = counting(10);
  const { snapshot, decider } = clusterOf(1, plugin);
  const decideAll = (classes: number) => {
    for (let i = 0; i < classes; i++) decider.decide(aPod("p", {}, { priority: i }));
  };
  decideAll(40);
  decideAll(40);
  expect(asked.prepared).toBe(40);
  // With twice as many nodes, no class is forgotten for the number of nodes alone.
  snapshot.setNode(aNode("m"));
  decideAll(40);
  decideAll(40);
  expect(asked.prepared).toBe(80);
});

test("scores of cells are asked for once for each cell, those of a node once for each node", () => {
  const { asked, plugin } = counting(10, { cellOf: ({ name }) => Number(name.slice(1)) % 2 });
  const { decider } = clusterOf(100, plugin);
  decider.decide(aPod("p0"));
  expect(asked).toEqual({ prepared: 1, filtered: 100, scored: 2 });
});

test("cells of one node each are told apart by a score that is normalized", () => {
  const { plugin } = counting(10, {
    score: ({ name }) => (name === "n7" ? 2 : 1),
    normalize: (scores) => scores.forEach((score, i) => (scores[i] = score * 50)),
  });
  const { decider } = clusterOf(20, plugin);
  const outcome = decider.decide(aPod("p0"));
  expect(outcome.type === "node" ? outcome.node.name : undefined).toBe("n7");
});

test("among cells with equal scores, the node is chosen at random", () => {
  const chosen = new Set<string>();
  for (let seed = 0; seed < 20; seed++) {
    const { plugin } = counting(10, { score: () => 1, cellOf: ({ name }) => name });
    const snapshot = new Snapshot();
    for (const name of ["a", "b", "c"]) snapshot.setNode(aNode(name));
    const decider = new Decider({ plugins: [{ plugin, weight: 1 }], snapshot, random: seededRandom(seed) });
    const outcome = decider.decide(aPod("p"));
    if (outcome.type === "node") chosen.add(outcome.node.name);
  }
  expect(chosen).toEqual(new Set(["a", "b", "c"]));
});

function candidates(cell: Cell, count: number): readonly Candidate[] {
  const node: NodeInfo = nodeWith(aNode("n"));
  const all = Array.from({ length: count }, (_, i) => ({ node, score: count - i, tie: 0, cell }));
  for (const one of all) cell.push(one);
  return all;
}

test.each([
  [65, 1, 0],
  [66, 1, 66],
  [83, 10, 0],
  [84, 10, 84],
])(
  "of %i candidates of a cell with %i nodes, %i are looked at to forget the outdated",
  (count, nodes, looked) => {
    const cell = new Cell(nodeWith(aNode("n")));
    const last = candidates(cell, count).at(-1);
    cell.count = nodes;
    let asked = 0;
    const isCurrent = (one: Candidate) => {
      asked += 1;
      return one === last;
    };
    cell.tidy(isCurrent);
    expect(asked).toBe(looked);
    asked = 0;
    expect(cell.best(isCurrent)).toBe(last);
    expect(asked).toBe(looked === 0 ? count : 1);
  },
);

test("the best candidate of a cell has the highest score, then the lowest number", () => {
  const [first, other] = [nodeWith(aNode("a")), nodeWith(aNode("b"))];
  const cell = new Cell(first);
  expect(cell.representative).toBe(first);
  expect(cell.best(() => true)).toBeUndefined();
  const make = (node: NodeInfo, score: number, tie: number) => {
    const one = { node, score, tie, cell };
    cell.push(one);
    return one;
  };
  make(first, 1, 0.1);
  make(first, 2, 0.9);
  const best = make(other, 2, 0.2);
  expect(cell.best(() => true)).toBe(best);
  expect(cell.representative).toBe(other);
});
