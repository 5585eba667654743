import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DiscoveredResource } from "../../client/discovery.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { OwnerGraph } from "./graph.ts";
import { type OwnerState, planObject } from "./plan.ts";

const resource = {
  group: "",
  version: "v1",
  plural: "things",
  namespaced: true,
} as unknown as DiscoveredResource;

interface Facts {
  readonly owners?: readonly string[];
  readonly blocking?: boolean;
  readonly finalizers?: readonly string[];
  readonly deleting?: boolean;
}

function anObject(
  uid: string,
  { owners = [], blocking = true, finalizers = [], deleting = false }: Facts = {},
): KubeObject {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: "v1",
    kind: "Thing",
    name: owner,
    uid: owner,
    blockOwnerDeletion: blocking,
  }));
  const ending = deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  return {
    apiVersion: "v1",
    kind: "Thing",
    metadata: { uid, name: uid, namespace: "ns", ownerReferences, finalizers, ...ending },
  };
}

function planOf(uid: string, objects: Readonly<Record<string, Facts>>, absent: readonly string[] = []) {
  const graph = new OwnerGraph();
  for (const [name, facts] of Object.entries(objects)) graph.set(anObject(name, facts), resource);
  const node = graph.get(uid);
  if (node === undefined) throw new TypeError(`${uid} is not in the graph`);
  const stateOf = ({ uid: owner }: { uid: string }): OwnerState => {
    if (absent.includes(owner)) return "absent";
    const facts = objects[owner];
    if (facts === undefined) return "unknown";
    return facts.deleting === true && facts.finalizers?.includes("foregroundDeletion") === true
      ? "waiting"
      : "solid";
  };
  return planObject(node, graph.dependents(node), stateOf);
}

const foreground = { deleting: true, finalizers: ["foregroundDeletion"] };

describe("planObject", () => {
  it.each([
    ["keeps an object without owners", () => planOf("a", { a: {} }), { type: "nothing" }],
    [
      "keeps an object with an owner",
      () => planOf("a", { a: { owners: ["o"] }, o: {} }),
      { type: "nothing" },
    ],
    [
      "deletes an object that lost its only owner",
      () => planOf("a", { a: { owners: ["o"] } }, ["o"]),
      { type: "delete", propagationPolicy: "Background", unblock: false },
    ],
    [
      "keeps an object with another owner, and drops the lost one",
      () => planOf("a", { a: { owners: ["o", "p"] }, p: {} }, ["o"]),
      { type: "dropOwners", uids: ["o"] },
    ],
    [
      "waits while an owner's state is unknown",
      () => planOf("a", { a: { owners: ["o"] } }),
      { type: "nothing" },
    ],
    [
      "verifies an owner that is only known from references",
      () => planOf("o", { a: { owners: ["o"] } }),
      { type: "verify" },
    ],
    [
      "processes the dependents of a foreground deletion",
      () => planOf("o", { o: foreground, a: { owners: ["o"] } }),
      { type: "lookAtDependents" },
    ],
    [
      "removes the finalizer when no dependent blocks",
      () => planOf("o", { o: foreground, a: { owners: ["o"], blocking: false } }),
      { type: "removeFinalizer", finalizer: "foregroundDeletion" },
    ],
    [
      "deletes the dependents of a foreground deletion",
      () => planOf("a", { o: foreground, a: { owners: ["o"] } }),
      { type: "delete", propagationPolicy: "Background", unblock: false },
    ],
    [
      "deletes dependents with dependents in the foreground",
      () => planOf("a", { o: foreground, a: { owners: ["o"] }, b: { owners: ["a"] } }),
      { type: "delete", propagationPolicy: "Foreground", unblock: false },
    ],
    [
      "breaks a circle of objects that wait for each other",
      () => planOf("a", { o: foreground, a: { owners: ["o"] }, b: { owners: ["a"], ...foreground } }),
      { type: "delete", propagationPolicy: "Foreground", unblock: true },
    ],
    [
      "keeps an object with a solid owner beside a waiting one",
      () => planOf("a", { o: foreground, p: {}, a: { owners: ["o", "p"] } }),
      { type: "dropOwners", uids: ["o"] },
    ],
    [
      "orphans before anything else",
      () => planOf("o", { o: { deleting: true, finalizers: ["orphan"] }, a: { owners: ["o"] } }),
      { type: "orphanDependents" },
    ],
    [
      "does not delete twice",
      () => planOf("a", { a: { owners: ["o"], deleting: true } }, ["o"]),
      { type: "nothing" },
    ],
    [
      "deletes in the foreground when the object has that finalizer",
      () => planOf("a", { a: { owners: ["o"], finalizers: ["foregroundDeletion"] } }, ["o"]),
      { type: "delete", propagationPolicy: "Foreground", unblock: false },
    ],
    [
      "breaks a circle though some of its dependents do not wait",
      () =>
        planOf("a", {
          o: foreground,
          a: { owners: ["o"] },
          b: { owners: ["a"], ...foreground },
          c: { owners: ["a"] },
        }),
      { type: "delete", propagationPolicy: "Foreground", unblock: true },
    ],
    [
      "unblocks nothing when the object does not block its owners",
      () =>
        planOf("a", {
          o: foreground,
          a: { owners: ["o"], blocking: false },
          b: { owners: ["a"], ...foreground },
        }),
      { type: "delete", propagationPolicy: "Foreground", unblock: false },
    ],
    [
      "waits for one of several dependents that blocks",
      () =>
        planOf("o", {
          o: foreground,
          a: { owners: ["o"], blocking: false },
          b: { owners: ["o", "p"] },
          p: {},
        }),
      { type: "lookAtDependents" },
    ],
    [
      "does not wait for those that block other owners",
      () =>
        planOf("o", { o: foreground, a: { owners: ["p"] }, b: { owners: ["o"], blocking: false }, p: {} }),
      { type: "removeFinalizer", finalizer: "foregroundDeletion" },
    ],
    [
      "deletes what has lost all owners in the background though others depend on it",
      () => planOf("a", { a: { owners: ["o"] }, b: { owners: ["a"] } }, ["o"]),
      { type: "delete", propagationPolicy: "Background", unblock: false },
    ],
    [
      "deletes with the policy of the object's finalizer",
      () => planOf("a", { a: { owners: ["o"], finalizers: ["orphan"] } }, ["o"]),
      { type: "delete", propagationPolicy: "Orphan", unblock: false },
    ],
  ])("%s", (_name, plan, expected) => {
    expect(plan()).toEqual(expected);
  });
});

describe("OwnerGraph", () => {
  it("knows the dependents of every object, whatever the order of events", () => {
    const uids = ["a", "b", "c", "d"];
    const event = fc.record({
      uid: fc.constantFrom(...uids),
      owners: fc.uniqueArray(fc.constantFrom(...uids), { maxLength: 2 }),
      gone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const graph = new OwnerGraph();
        const model = new Map<string, readonly string[]>();
        // A UID is never reused.
        const retired = new Set<string>();
        for (const { uid, owners, gone } of events) {
          if (retired.has(uid)) continue;
          if (gone) {
            graph.remove(uid);
            model.delete(uid);
            retired.add(uid);
          } else {
            graph.set(anObject(uid, { owners }), resource);
            model.set(uid, owners);
          }
        }
        for (const owner of model.keys()) {
          const expected = [...model].filter(([, owners]) => owners.includes(owner)).map(([uid]) => uid);
          expect([...(graph.get(owner)?.dependents ?? [])].sort()).toEqual(expected.sort());
        }
      }),
    );
  });
});

describe("a change in the graph of ownership", () => {
  const own = (uid: string, facts: Facts = {}) => anObject(uid, facts);
  function graphOf(...objects: readonly KubeObject[]): OwnerGraph {
    const graph = new OwnerGraph();
    for (const one of objects) graph.set(one, resource);
    return graph;
  }
  const sorted = (uids: ReadonlySet<string>) => [...uids].sort();

  it("affects the object itself, and owners that were not seen yet", () => {
    const graph = graphOf(own("seen"));
    expect(sorted(graph.set(own("a", { owners: ["seen", "unseen"] }), resource))).toEqual(["a", "unseen"]);
    expect(graph.size).toBe(3);
    expect(graph.get("unseen")).toEqual({
      uid: "unseen",
      namespace: "ns",
      name: "unseen",
      apiVersion: "v1",
      kind: "Thing",
      resource: undefined,
      owners: [],
      finalizers: [],
      deleting: false,
      dependents: new Set(["a"]),
    });
    expect(graph.get("a")).toMatchObject({
      uid: "a",
      namespace: "ns",
      name: "a",
      resource,
      dependents: new Set(),
    });
  });

  it("affects no object when ownership is unchanged", () => {
    const graph = graphOf(own("a", { owners: ["o"], finalizers: ["f"] }));
    expect(sorted(graph.set(own("a", { owners: ["o"], finalizers: ["f"] }), resource))).toEqual([]);
  });

  it.each<[string, Facts]>([
    ["its deletion begins", { owners: ["o"], finalizers: ["f"], deleting: true }],
    ["a finalizer is removed", { owners: ["o"] }],
    ["an owner is removed", { finalizers: ["f"] }],
    ["an owner is no longer blocked", { owners: ["o"], finalizers: ["f"], blocking: false }],
  ])("affects the object when %s", (_, facts) => {
    const graph = graphOf(own("o"), own("a", { owners: ["o"], finalizers: ["f"] }));
    expect(sorted(graph.set(own("a", facts), resource))).toEqual(["a"]);
    expect(graph.get("o")?.dependents.has("a")).toBe(facts.owners !== undefined);
  });

  it("affects dependents once their owner is seen, and when the owner begins to wait for them", () => {
    const graph = graphOf(own("a", { owners: ["o"] }));
    expect(sorted(graph.set(own("o"), resource))).toEqual(["a", "o"]);
    expect(sorted(graph.set(own("o", { finalizers: ["f"] }), resource))).toEqual(["o"]);
    expect(sorted(graph.set(own("o", foreground), resource))).toEqual(["a", "o"]);
    expect(graph.dependents(graph.get("o")!).map(({ uid }) => uid)).toEqual(["a"]);
  });

  it.each<[string, Facts]>([
    ["is no longer a dependent", {}],
    ["no longer blocks the owner", { owners: ["o"], blocking: false }],
  ])("affects a waiting owner when its dependent %s", (_, facts) => {
    const graph = graphOf(own("o", foreground), own("a", { owners: ["o"] }));
    expect(sorted(graph.set(own("a", facts), resource))).toEqual(["a", "o"]);
  });

  it("affects no owner that does not wait, and none that waits for other objects", () => {
    const graph = graphOf(own("o", foreground), own("p"), own("a", { owners: ["o", "p"] }));
    expect(sorted(graph.set(own("a", { owners: ["o"] }), resource))).toEqual(["a"]);
  });

  it("affects the dependents of a removed object, and owners that waited for it", () => {
    const graph = graphOf(
      own("o", foreground),
      own("p"),
      own("a", { owners: ["o", "p"] }),
      own("b", { owners: ["a"] }),
    );
    expect(sorted(graph.remove("a"))).toEqual(["b", "o"]);
    expect(graph.get("a")).toBeUndefined();
    expect(graph.get("o")?.dependents).toEqual(new Set());
    expect(sorted(graph.remove("a"))).toEqual([]);
    expect(graph.size).toBe(3);
  });

  it("keeps a dependent linked to an owner that is removed and seen again", () => {
    const graph = graphOf(own("o"), own("a", { owners: ["o"] }));
    graph.remove("o");
    expect(sorted(graph.set(own("o"), resource))).toEqual(["a", "o"]);
    expect(graph.get("o")?.dependents).toEqual(new Set(["a"]));
  });

  it("gives dependents that the graph has seen", () => {
    const graph = graphOf(own("o"), own("a", { owners: ["o"] }), own("b", { owners: ["o"] }));
    graph.remove("b");
    expect(graph.dependents(graph.get("o")!).map(({ uid }) => uid)).toEqual(["a"]);
  });
});
