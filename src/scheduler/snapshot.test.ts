import fc from "fast-check";
import { expect, test } from "vitest";
import type { Namespace } from "../api/core/namespace/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { aNode, aPod, nodeWith } from "./builders.suite.ts";
import { Snapshot } from "./snapshot.ts";

const port = (hostPort: number) => [
  {
    name: "main",
    image: "web:1",
    resources: { requests: { cpu: "1" } },
    ports: [{ containerPort: 80, hostPort }],
  },
];
const names = fc.constantFrom("a", "b", "c");
const uids = fc.constantFrom("p", "q", "r", "s", "t");
const podArbitrary = fc.oneof(
  fc
    .tuple(uids, fc.integer({ min: 0, max: 4000 }))
    .map(([uid, cpu]) => aPod(uid, { cpu: `${cpu}m`, memory: "1Mi" })),
  fc.tuple(uids, fc.constantFrom(80, 81)).map(([uid, number]) => aPod(uid, {}, { containers: port(number) })),
);
const eventArbitrary = fc.oneof(
  names.map((node) => ({ type: "setNode", node }) as const),
  names.map((node) => ({ type: "removeNode", node }) as const),
  fc.tuple(podArbitrary, names).map(([pod, node]) => ({ type: "setPod", pod, node }) as const),
  uids.map((uid) => ({ type: "removePod", uid: `uid-${uid}` }) as const),
);

test("sums updated Pod by Pod equal sums computed anew, after any sequence of events", () => {
  fc.assert(
    fc.property(fc.array(eventArbitrary, { maxLength: 60 }), (events) => {
      const snapshot = new Snapshot();
      const nodes = new Set<string>();
      const pods = new Map<string, { pod: Pod; node: string }>();
      for (const event of events) {
        if (event.type === "setNode") {
          nodes.add(event.node);
          snapshot.setNode(aNode(event.node));
        } else if (event.type === "removeNode") {
          nodes.delete(event.node);
          snapshot.removeNode(event.node);
        } else if (event.type === "setPod") {
          pods.set(event.pod.metadata.uid ?? "", event);
          snapshot.setPod(event.pod, event.node);
        } else {
          pods.delete(event.uid);
          snapshot.removePod(event.uid);
        }
      }
      expect(snapshot.nodes.map(({ name }) => name).sort()).toEqual([...nodes].sort());
      for (const info of snapshot.nodes) {
        const here = [...pods.values()].filter(({ node }) => node === info.name).map(({ pod }) => pod);
        const fresh = nodeWith(aNode(info.name), ...here);
        expect(info.pods).toEqual(fresh.pods);
        expect(info.requested).toEqual(fresh.requested);
        expect(info.nonZero).toEqual(fresh.nonZero);
        expect(info.ports).toEqual(fresh.ports);
      }
    }),
  );
});

/** Runs an action, and returns the changes that readers see: `anew` when they must start anew. */
function changesOf(snapshot: Snapshot, action: () => void): readonly string[] | "anew" {
  const { topology, position } = snapshot;
  action();
  if (snapshot.topology > topology) return "anew";
  expect(snapshot.topology).toBe(topology);
  return (snapshot.changesSince(position) ?? []).map((change) =>
    change.type === "node"
      ? `node ${change.node.name}`
      : `${change.sign === 1 ? "+" : "-"}${change.pod.metadata.name} ${change.node.name}`,
  );
}

const namespace = (name: string, labels?: Readonly<Record<string, string>>): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
  spec: {},
  status: {},
});

test("readers start anew when nodes come, leave or change their place, and see changes of their room", () => {
  const snapshot = new Snapshot();
  const see = (action: () => void) => changesOf(snapshot, action);
  const n = aNode("n");
  expect(see(() => snapshot.setNode(n))).toBe("anew");
  expect(see(() => snapshot.setNode(aNode("n")))).toEqual([]);
  const larger = aNode("n", {}, { allocatable: { cpu: "9" } });
  expect(see(() => snapshot.setNode(larger))).toEqual(["node n"]);
  expect(snapshot.node("n")?.allocatable.milliCpu).toBe(9000);
  const noted = { ...larger, metadata: { ...larger.metadata, annotations: { a: "b" } } };
  expect(see(() => snapshot.setNode(noted))).toEqual(["node n"]);
  for (const next of [
    aNode("n", {}, { labels: { zone: "z" } }),
    aNode("n", { unschedulable: true }),
    aNode("n", { taints: [{ key: "k", effect: "NoSchedule" }] }),
    { ...n, status: { ...n.status, images: [{ names: ["web:1"], sizeBytes: 1 }] } },
  ]) {
    expect(see(() => snapshot.setNode(next))).toBe("anew");
    expect(see(() => snapshot.setNode(next))).toEqual([]);
  }
  expect(see(() => snapshot.removeNode("unknown"))).toEqual([]);
  expect(see(() => snapshot.removeNode("n"))).toBe("anew");
  expect(snapshot.node("n")).toBeUndefined();
});

test("readers start anew when the labels of a namespace change", () => {
  const snapshot = new Snapshot();
  const see = (action: () => void) => changesOf(snapshot, action);
  expect(see(() => snapshot.setNamespace(namespace("n", { team: "a" })))).toBe("anew");
  expect(see(() => snapshot.setNamespace(namespace("n", { team: "a" })))).toEqual([]);
  expect(see(() => snapshot.setNamespace(namespace("n", { team: "b" })))).toBe("anew");
  expect(snapshot.namespaceLabels("n")).toEqual({ team: "b" });
  expect(see(() => snapshot.removeNamespace("unknown"))).toEqual([]);
  expect(see(() => snapshot.removeNamespace("n"))).toBe("anew");
  expect(snapshot.namespaceLabels("n")).toBeUndefined();
});

test("readers see Pods that come to nodes, move and leave, and no update of a status", () => {
  const snapshot = new Snapshot();
  const see = (action: () => void) => changesOf(snapshot, action);
  snapshot.setNode(aNode("n"));
  snapshot.setNode(aNode("m"));
  const p = aPod("p", { cpu: "1" });
  expect(see(() => snapshot.setPod(p, "n"))).toEqual(["+p n"]);
  const running = { ...p, status: { ...p.status, phase: "Running" as const } };
  expect(see(() => snapshot.setPod(running, "n"))).toEqual([]);
  expect(snapshot.node("n")?.pods.get("uid-p")).toBe(running);
  const labelled = { ...p, metadata: { ...p.metadata, labels: { a: "b" } } };
  expect(see(() => snapshot.setPod(labelled, "n"))).toEqual(["-p n", "+p n"]);
  const ending = {
    ...labelled,
    metadata: { ...labelled.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  expect(see(() => snapshot.setPod(ending, "n"))).toEqual(["-p n", "+p n"]);
  expect(see(() => snapshot.setPod({ ...ending, status: running.status }, "n"))).toEqual([]);
  expect(see(() => snapshot.setPod(aPod("p", { cpu: "2" }), "n"))).toEqual(["-p n", "+p n"]);
  expect(see(() => snapshot.setPod(p, "m"))).toEqual(["-p n", "+p m"]);
  expect(see(() => snapshot.removePod("uid-p"))).toEqual(["-p m"]);
  expect(see(() => snapshot.removePod("uid-p"))).toEqual([]);
});

test("Pods wait for a node that is not known yet, and for one that was removed", () => {
  const snapshot = new Snapshot();
  const see = (action: () => void) => changesOf(snapshot, action);
  const on = (name: string) =>
    [...(snapshot.node(name)?.pods.values() ?? [])].map(({ metadata }) => metadata.name);
  expect(see(() => snapshot.setPod(aPod("p"), "n"))).toEqual([]);
  snapshot.setPod(aPod("q"), "n");
  snapshot.removePod("uid-q");
  snapshot.setNode(aNode("n"));
  expect(on("n")).toEqual(["p"]);
  snapshot.removeNode("n");
  snapshot.setNode(aNode("n"));
  expect(on("n")).toEqual(["p"]);
  snapshot.removePod("uid-p");
  snapshot.removeNode("n");
  snapshot.setNode(aNode("n"));
  expect(on("n")).toEqual([]);
});

test("changes are remembered for a while: a reader that is far behind starts anew", () => {
  const snapshot = new Snapshot();
  snapshot.setNode(aNode("n"));
  const begin = snapshot.position;
  const change = () => {
    snapshot.setPod(aPod("p"), "n");
    snapshot.removePod("uid-p");
  };
  for (let i = 0; i < 999; i++) change();
  expect(snapshot.position - begin).toBe(1_998);
  expect(snapshot.changesSince(begin)?.length).toBe(1_998);
  change();
  const { position } = snapshot;
  expect(position - begin).toBe(2_000);
  expect(snapshot.changesSince(begin)).toBeUndefined();
  expect(snapshot.changesSince(position - 1_001)).toBeUndefined();
  expect(snapshot.changesSince(position - 1_000)?.length).toBe(1_000);
  expect(snapshot.changesSince(position - 1)).toMatchObject([{ type: "pod", sign: -1 }]);
  expect(snapshot.changesSince(position)).toEqual([]);
});

test("as many changes are remembered as there are nodes, if there are many", () => {
  const snapshot = new Snapshot();
  for (let i = 0; i < 3_000; i++) snapshot.setNode(aNode(`n${i}`));
  const begin = snapshot.position;
  for (let i = 0; i < 5_000; i++) snapshot.setPod(aPod(`p${i}`), "n1");
  expect(snapshot.changesSince(begin + 2_500)).toHaveLength(2_500);
});

test("images are counted by the nodes that have them", () => {
  const snapshot = new Snapshot();
  const withImages = (name: string, ...names: readonly string[]) => {
    const node = aNode(name);
    return {
      ...node,
      status: { ...node.status, images: names.map((one) => ({ names: [one], sizeBytes: 1 })) },
    };
  };
  snapshot.setNode(withImages("n", "web:1", "db:1"));
  snapshot.setNode(withImages("m", "web:1"));
  expect(snapshot.imageCounts).toEqual(
    new Map([
      ["web:1", 2],
      ["db:1", 1],
    ]),
  );
  snapshot.setNode(withImages("n", "web:1", "db:2"));
  expect(snapshot.imageCounts).toEqual(
    new Map([
      ["web:1", 2],
      ["db:2", 1],
    ]),
  );
  snapshot.removeNode("n");
  expect(snapshot.imageCounts).toEqual(new Map([["web:1", 1]]));
});

test("Pods with rules about other Pods are known while they are on a known node, and so are the labels they look at", () => {
  const terms = [{ topologyKey: "zone", labelSelector: { matchLabels: { app: "a" } } }];
  const far = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
  const preferred = [
    { weight: 1, podAffinityTerm: { ...terms[0], labelSelector: { matchLabels: { tier: "b" } } } },
  ];
  const near = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  const snapshot = new Snapshot();
  const known = () =>
    [...snapshot.podsWithTerms()].map(({ pod, node }) => `${pod.metadata.name} ${node.name}`);
  snapshot.setNode(aNode("n"));
  snapshot.setPod(aPod("plain"), "n");
  snapshot.setPod(aPod("far", {}, { affinity: far }), "n");
  snapshot.setPod(aPod("near", {}, { affinity: near }), "n");
  snapshot.setPod(aPod("elsewhere", {}, { affinity: near }), "unknown");
  expect(known()).toEqual(["far n", "near n"]);
  expect(snapshot.selectedKeys).toEqual(new Set(["app", "tier"]));
  snapshot.removePod("uid-far");
  expect(known()).toEqual(["near n"]);
  snapshot.removeNode("n");
  expect(known()).toEqual([]);
});

test("a Pod is nominated to one node at a time, until it is withdrawn", () => {
  const snapshot = new Snapshot();
  const on = (name: string) => snapshot.nominatedOn(name).map(({ metadata }) => metadata.name);
  const changes = (action: () => void) => {
    const before = snapshot.nominationChanges;
    action();
    return snapshot.nominationChanges - before;
  };
  expect(changes(() => snapshot.nominate(aPod("p"), "n"))).toBe(1);
  snapshot.nominate(aPod("q"), "n");
  expect(on("n")).toEqual(["p", "q"]);
  expect(changes(() => snapshot.nominate(aPod("p"), "m"))).toBe(2);
  expect([on("n"), on("m"), on("other")]).toEqual([["q"], ["p"], []]);
  expect(changes(() => snapshot.withdrawNomination("uid-p"))).toBe(1);
  expect(changes(() => snapshot.withdrawNomination("uid-p"))).toBe(0);
  expect([on("n"), on("m")]).toEqual([["q"], []]);
});
