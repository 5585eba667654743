import { expect, test } from "vitest";
import { namespaces } from "../api/core/namespace/schema.ts";
import { persistentVolumeClaims } from "../api/core/persistent-volume-claim/schema.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import { silentLogger } from "../util/logger.ts";
import { VirtualClock } from "../util/virtual-clock.ts";
import { waitingForTurn } from "../util/yield.ts";
import { aNode, aPod, build, handleOf } from "./builders.suite.ts";
import type { ClusterEvent } from "./cluster-event.ts";
import { EventHandlers } from "./event-handlers.ts";
import type { Plugin } from "./framework.ts";
import { Profiles } from "./profiles.ts";
import { SchedulingQueue } from "./queue.ts";
import { onlyShard, type Shard } from "./shard.ts";
import { Snapshot } from "./snapshot.ts";

/** Handlers of a scheduler whose only profile has these plugins. */
function start(plugins: readonly Plugin[] = [], shard: Shard = onlyShard) {
  const clock = new VirtualClock();
  const snapshot = new Snapshot();
  const queue = new SchedulingQueue(clock);
  const handle = handleOf();
  const env = { clock, random: handle.random, log: silentLogger };
  const profile = () => plugins.map((plugin) => ({ plugin, weight: 0 }));
  const profiles = new Profiles(new Map([["default-scheduler", profile]]), { env, snapshot, handle });
  return { snapshot, queue, handlers: new EventHandlers({ profiles, snapshot, queue, shard }) };
}

type Started = Pick<ReturnType<typeof start>, "handlers" | "queue" | "snapshot">;

const stateOf = ({ queue }: Started, name = "p") => queue.stateOf(`uid-${name}`).type;
const add = ({ handlers }: Started, object: Pod, initial = false) =>
  handlers.seePod({ type: "added", object, initial });
const update = ({ handlers }: Started, old: Pod, object: Pod) =>
  handlers.seePod({ type: "updated", old, object });
const nominated = (pod: Pod, nominatedNodeName: string): Pod => ({
  ...pod,
  status: { ...pod.status, nominatedNodeName },
});
const terminating = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
});
/** The names of the Pods that are nominated to the node; "" has none. */
const namesOn = ({ snapshot }: Started) =>
  ["n", ""].flatMap((node) => snapshot.nominatedOn(node).map(({ metadata }) => metadata.name));

/** Resolves when all that waited for its turn has had it. */
async function turns(): Promise<void> {
  do await new Promise(setImmediate);
  while (waitingForTurn() > 0);
}

const claim = build(persistentVolumeClaims, { metadata: { name: "data", namespace: "default" } });
const pod = aPod("p");
const bound = aPod("p", {}, { nodeName: "n" });

test("a Pod of a profile enters the queue, and one of another scheduler does not", () => {
  const one = start();
  add(one, pod);
  add(one, aPod("q", {}, { schedulerName: "other" }));
  add(one, terminating(aPod("r")));
  expect(["p", "q", "r"].map((name) => stateOf(one, name))).toEqual(["active", "absent", "absent"]);
});

test("a Pod leaves the queue when it gets a node, another scheduler, a deletion timestamp, or is deleted", () => {
  const changes: readonly ((one: Started) => void)[] = [
    (one) => update(one, pod, bound),
    (one) => update(one, pod, aPod("p", {}, { schedulerName: "other" })),
    (one) => update(one, pod, terminating(pod)),
    (one) => one.handlers.seePod({ type: "deleted", object: pod }),
  ];
  for (const change of changes) {
    const one = start();
    add(one, nominated(pod, "n"));
    expect([stateOf(one), namesOn(one)]).toEqual(["active", ["p"]]);
    change(one);
    expect([stateOf(one), namesOn(one)]).toEqual(["absent", []]);
  }
});

test("the nomination of a Pod counts when the Pod is first seen, and not from the scheduler's own writes", () => {
  const one = start();
  add(one, pod);
  expect(namesOn(one)).toEqual([]);
  update(one, pod, nominated(aPod("p", { cpu: "1" }), "n"));
  expect(namesOn(one)).toEqual([]);
});

test("the nomination of another shard's Pod counts as long as it is written", () => {
  const [other] = [0, 1].filter((index) => {
    const one = start([], { index, total: 2 });
    add(one, pod);
    return stateOf(one) === "absent";
  });
  const one = start([], { index: other ?? -1, total: 2 });
  add(one, nominated(pod, "n"));
  expect([stateOf(one), namesOn(one)]).toEqual(["absent", ["p"]]);
  update(one, nominated(pod, "n"), pod);
  expect(namesOn(one)).toEqual([]);
});

/** Handlers with an unschedulable Pod `waits`, and the events that its plugin has been asked about. */
function startWaiting() {
  const events: ClusterEvent[] = [];
  const helps: Plugin["helps"] = (_, event) => events.push(event) > 0 && event.type === "podRemoved";
  const one = start([{ name: "Other" }, { name: "Room", helps }]);
  add(one, aPod("waits"));
  one.queue.pop();
  one.queue.setUnschedulable("uid-waits", new Set(["Room"]));
  return { ...one, events, types: () => events.map(({ type }) => type) };
}

test("a bound Pod counts on its node until it is deleted, and then an unschedulable one is tried again", () => {
  const one = startWaiting();
  one.handlers.seeNode({ type: "added", object: aNode("n"), initial: true });
  add(one, bound);
  expect(one.snapshot.node("n")?.pods).toHaveLength(1);
  update(one, bound, bound);
  expect(stateOf(one, "waits")).toBe("unschedulable");
  one.handlers.seePod({ type: "deleted", object: bound });
  expect(one.snapshot.node("n")?.pods).toHaveLength(0);
  expect(stateOf(one, "waits")).toBe("backingOff");
  expect(one.types()).toEqual(["nodeAdded", "podAssigned", "assignedPodUpdated", "podRemoved"]);
});

test("a Pod frees room when it is deleted during its binding, and none while it waits", () => {
  const one = startWaiting();
  add(one, pod);
  add(one, aPod("q"));
  one.handlers.seePod({ type: "deleted", object: aPod("q") });
  expect(one.types()).toEqual([]);
  one.queue.pop();
  one.queue.assume("uid-p");
  one.handlers.seePod({ type: "deleted", object: pod });
  expect(one.types()).toEqual(["podRemoved"]);
});

test("a Pod that gets its node is an assigned one, and not an update", () => {
  const one = startWaiting();
  add(one, pod);
  update(one, pod, bound);
  expect(one.events).toEqual([{ type: "podAssigned", pod: bound }]);
});

test("a change of an object is handed on with its old and its new state", () => {
  const one = startWaiting();
  const changed = { ...claim, metadata: { ...claim.metadata, labels: { a: "b" } } };
  one.handlers.seeObject(persistentVolumeClaims, { type: "added", object: claim, initial: false });
  one.handlers.seeObject(persistentVolumeClaims, { type: "updated", old: claim, object: changed });
  one.handlers.seeObject(persistentVolumeClaims, { type: "deleted", object: changed });
  const rest = { type: "objectChanged", kind: persistentVolumeClaims };
  expect(one.events).toEqual([
    { ...rest, old: undefined, object: claim },
    { ...rest, old: claim, object: changed },
    { ...rest, old: changed, object: undefined },
  ]);
});

test("an event during an attempt counts when any plugin may be helped", () => {
  const one = start([{ name: "Other" }, { name: "Room", helps: () => true }]);
  add(one, pod);
  one.queue.pop();
  one.handlers.seeNode({ type: "added", object: aNode("n"), initial: false });
  one.queue.setUnschedulable("uid-p", new Set(["Room"]));
  expect(stateOf(one)).toBe("backingOff");
});

test("a change asks only the plugins that rejected the Pod", () => {
  const helps = () => true;
  const one = start([{ name: "Rejecting" }, { name: "Other", helps }]);
  add(one, pod);
  one.queue.pop();
  one.queue.setUnschedulable("uid-p", new Set(["Rejecting"]));
  one.handlers.seeNode({ type: "added", object: aNode("n"), initial: false });
  expect(stateOf(one)).toBe("unschedulable");
});

test("a node or a namespace is in the snapshot until it is deleted, and each change is an event", () => {
  const one = startWaiting();
  one.handlers.seeNode({ type: "added", object: aNode("n"), initial: false });
  one.handlers.seeNode({ type: "updated", old: aNode("n"), object: aNode("n", { unschedulable: true }) });
  expect(one.snapshot.node("n")?.node.spec.unschedulable).toBe(true);
  one.handlers.seeNode({ type: "deleted", object: aNode("n") });
  expect(one.snapshot.node("n")).toBeUndefined();
  const namespace = build(namespaces, { metadata: { name: "default", labels: { team: "a" } } });
  one.handlers.seeNamespace({ type: "added", object: namespace, initial: false });
  expect(one.snapshot.namespaceLabels("default")).toEqual({ team: "a" });
  one.handlers.seeNamespace({ type: "deleted", object: namespace });
  expect(one.snapshot.namespaceLabels("default")).toBeUndefined();
  expect(one.types()).toEqual([
    "nodeAdded",
    "nodeUpdated",
    "nodeDeleted",
    "namespaceChanged",
    "namespaceChanged",
  ]);
  expect(one.events.at(-1)).toEqual({ type: "namespaceChanged", name: "default" });
});

test("pending Pods are those in the queue, and the gated ones of this scheduler", () => {
  const preEnqueue = ({ spec }: Pod) => ((spec.schedulingGates ?? []).length > 0 ? "waiting" : undefined);
  const gates = { schedulingGates: [{ name: "example.com/wait" }] };
  const own = Array.from({ length: 8 }, (_, i) => aPod(`gated-${i}`, {}, gates));
  const others = [pod, bound, aPod("o", {}, { ...gates, schedulerName: "other" })];
  const gated = (shard?: Shard) =>
    start([{ name: "SchedulingGates", preEnqueue }], shard).handlers.pending([...own, ...others]).gated;
  expect(gated()).toBe(8);
  const [first = 0, second = 0] = [0, 1].map((index) => gated({ index, total: 2 }));
  expect([first > 0, second > 0, first + second]).toEqual([true, true, 8]);
});

test("a gated Pod is asked about again when an object changes that the plugin reads, once for all changes", async () => {
  let isOpen = false;
  let asked = 0;
  const preEnqueue = () => ((asked += 1), isOpen ? undefined : "the claim is missing");
  const one = start([{ name: "Claims", reads: [persistentVolumeClaims], preEnqueue }]);
  const change = async () => {
    asked = 0;
    for (let i = 0; i < 3; i++)
      one.handlers.seeObject(persistentVolumeClaims, { type: "added", object: claim, initial: false });
    expect(asked).toBe(0);
    await turns();
    return asked;
  };
  expect(await change()).toBe(0);
  add(one, nominated(pod, "n"));
  expect(one.handlers.pending([pod, bound])).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 1 });
  for (let round = 0; round < 2; round++) expect(await change()).toBe(1);
  expect(stateOf(one)).toBe("absent");
  isOpen = true;
  expect(await change()).toBe(1);
  expect([stateOf(one), namesOn(one)]).toEqual(["active", []]);
  // The Pod is not gated any more.
  expect(await change()).toBe(0);
});

test("a Pod whose gate reads nothing is asked about when the Pod itself changes, and not with objects", async () => {
  let asked = 0;
  const preEnqueue = ({ spec }: Pod) => (
    (asked += 1),
    (spec.schedulingGates ?? []).length > 0 ? "waiting" : undefined
  );
  const one = start([{ name: "SchedulingGates", preEnqueue }]);
  const gated = aPod("p", {}, { schedulingGates: [{ name: "example.com/wait" }] });
  add(one, gated);
  one.handlers.seeObject(persistentVolumeClaims, { type: "added", object: claim, initial: false });
  await turns();
  expect([stateOf(one), asked]).toEqual(["absent", 1]);
  update(one, gated, pod);
  expect(stateOf(one)).toBe("active");
});

test("a change of the status alone does not bring an unschedulable Pod back", () => {
  const one = start();
  add(one, pod);
  one.queue.pop();
  one.queue.setUnschedulable("uid-p", new Set());
  update(one, pod, nominated(pod, "n"));
  expect(stateOf(one)).toBe("unschedulable");
  update(one, pod, aPod("p", { cpu: "1" }));
  expect(stateOf(one)).toBe("active");
});

test("a gated Pod is asked about again with every change of it", () => {
  let isOpen = false;
  const preEnqueue = () => (isOpen ? undefined : "the claim is missing");
  const one = start([{ name: "Claims", reads: [persistentVolumeClaims], preEnqueue }]);
  add(one, pod);
  isOpen = true;
  update(one, pod, nominated(pod, "n"));
  expect(stateOf(one)).toBe("active");
});

test("a plugin is asked once for a group of equal Pods about a node, and for each Pod about other objects", () => {
  let asked = 0;
  const one = start([{ name: "Any", helps: () => (asked += 1) < 0 }]);
  for (const name of ["p", "q"]) {
    add(one, aPod(name));
    one.queue.pop();
    one.queue.setUnschedulable(`uid-${name}`, new Set(["Any"]), "group");
  }
  asked = 0;
  one.handlers.seeNode({ type: "added", object: aNode("n"), initial: false });
  expect(asked).toBe(1);
  one.handlers.seeObject(persistentVolumeClaims, { type: "added", object: claim, initial: false });
  expect(asked).toBe(3);
});
