import { describe, expect, test } from "vitest";
import { type DaemonSet, daemonSets } from "../../api/apps/daemon-set/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { aPod, build, readyAt, start, template } from "../builders.suite.ts";
import { affinityFor, nodeOf, tolerationsOf } from "./placement.ts";
import { planDaemonSet, planStatus, untilNextMs } from "./plan.ts";

const before = (seconds: number) => new Date(start - seconds * 1000).toISOString();

function aSet(spec: object = {}, podSpec: object = {}): DaemonSet {
  return build(daemonSets, {
    metadata: { name: "agent", namespace: "default", uid: "uid-agent", generation: 1 },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { ...template, spec: { ...template.spec, ...podSpec } },
      ...spec,
    },
  });
}

const aNode = (name: string, spec: object = {}, labels: object = {}) =>
  build(nodes, { metadata: { name, labels }, spec });

/** The affinity of a Pod that is meant for a node. */
const meantFor = (name: string, key = "metadata.name", operator = "In") => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key, operator, values: [name] }] }],
      },
    },
  },
});

/**
 * Pods as `n1:ready n1:old`: the node, and the state; `old*` states are of another revision. A node as `?n1` is only meant:
 * the Pod is not scheduled yet. Each Pod is a second younger than the one before it.
 */
function podsOf(text: string): readonly Pod[] {
  return text
    .split(" ")
    .filter((one) => one !== "")
    .map((one, i) => {
      const [node = "", state = ""] = one.split(":");
      const revision = state.startsWith("old") ? "old" : "new";
      const status =
        state.endsWith("failed") || state.endsWith("gone")
          ? { phase: "Failed" }
          : state.endsWith("succeeded")
            ? { phase: "Succeeded" }
            : state.endsWith("unready")
              ? { phase: "Running" }
              : readyAt(before(state.endsWith("young") ? 5 : 60));
      return aPod(`p${i}`, {
        metadata: {
          labels: { app: "web", "controller-revision-hash": revision },
          creationTimestamp: before(100 - i),
          ...(state.endsWith("ending") || state.endsWith("gone") ? { deletionTimestamp: before(1) } : {}),
        },
        spec: node.startsWith("?") ? meantFor(node.slice(1)) : { nodeName: node },
        status,
      });
    });
}

const three = [aNode("n1"), aNode("n2"), aNode("n3")];
const observe = (set: DaemonSet, pods: string, all = three) => ({
  set,
  nodes: all,
  pods: podsOf(pods),
  hash: "new",
  collisionCount: undefined,
  backoffs: new Map<string, number>(),
  now: start,
});

/** The nodes that get a Pod, and the Pods that go, by their place in the text. */
function plan(set: DaemonSet, pods: string, all = three): string {
  const { create, remove } = planDaemonSet(observe(set, pods, all));
  return [...create.map((node) => `+${node}`), ...remove.map(({ metadata }) => `-${metadata.name}`)].join(
    " ",
  );
}

const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: "RollingUpdate", rollingUpdate } });
const surging = rolling({ maxSurge: 1, maxUnavailable: 0 });

describe("the plan of a DaemonSet", () => {
  test.each<[string, DaemonSet, string, string]>([
    ["gives every node a Pod", aSet(), "", "+n1 +n2 +n3"],
    ["does not wait for a failed Pod that is terminating", aSet(), "n1:gone n2:ready n3:ready", "+n1"],
    ["gives a new node its Pod", aSet(), "n1:ready n2:ready", "+n3"],
    ["waits for a terminating Pod", aSet(), "n1:ready n2:ready n3:ending", ""],
    ["replaces a failed Pod", aSet(), "n1:ready n2:failed n3:ready", "-p1"],
    ["keeps the oldest of two", aSet(), "n1:ready n1:ready n2:ready n3:ready", "-p1"],
    ["updates one node at a time", aSet(), "n1:old n2:old n3:old", "-p0"],
    ["waits for the updated Pod", aSet(), "n1:unready n2:old n3:old", ""],
    ["goes on when it is ready", aSet(), "n1:ready n2:old n3:old", "-p1"],
    [
      "replaces unavailable Pods without asking the limit",
      aSet(),
      "n1:old n2:old-unready n3:old-unready",
      "-p1 -p2",
    ],
    [
      "updates as many as may be unavailable",
      aSet(rolling({ maxUnavailable: 2 })),
      "n1:old n2:old n3:old",
      "-p0 -p1",
    ],
    ["rounds a share up", aSet(rolling({ maxUnavailable: "34%" })), "n1:old n2:old n3:old", "-p0 -p1"],
    [
      "leaves old Pods until they are deleted",
      aSet({ updateStrategy: { type: "OnDelete" } }),
      "n1:old n2:old n3:old",
      "",
    ],
    ["creates beside an old Pod in a surge", aSet(surging), "n1:old n2:old n3:old", "+n1"],
    ["waits for the Pod of the surge", aSet(surging), "n1:old n1:unready n2:old n3:old", ""],
    [
      "deletes the old Pod when the new one is available",
      aSet(surging),
      "n1:old n1:ready n2:old n3:old",
      "-p0",
    ],
    [
      "surges at once where the old Pod is unavailable",
      aSet(surging),
      "n1:old-unready n2:old n3:old",
      "+n1 +n2",
    ],
    ["replaces a Pod that has succeeded", aSet(), "n1:ready n2:succeeded n3:ready", "-p1"],
    [
      "replaces a failed Pod and goes on with the others",
      aSet(),
      "n1:failed n1:ready n2:ready n3:ready",
      "-p0",
    ],
    ["keeps the Pod that is scheduled of two", aSet(), "?n1:ready n1:ready n2:ready n3:ready", "-p0"],
    ["does not count a terminating Pod as one of two", aSet(), "n1:ending n1:ready n2:ready n3:ready", ""],
    ["counts a Pod that is not scheduled yet", aSet(), "?n1:unready n2:ready n3:ready", ""],
    ["updates nothing while a node has no Pod", aSet(), "n1:old n2:old", "+n3"],
    ["updates nothing while a Pod is terminating", aSet(), "n1:old n2:old n3:old-ending", ""],
    [
      "updates beside a terminating Pod when two may be unavailable",
      aSet(rolling({ maxUnavailable: 2 })),
      "n1:old n2:old n3:old-ending",
      "-p0",
    ],
    [
      "updates at least one at a time",
      aSet(rolling({ maxUnavailable: "0%" })),
      "n1:old n2:old n3:old",
      "-p0",
    ],
    [
      "in a surge deletes no old Pod before the new one is available",
      aSet({ ...surging, minReadySeconds: 10 }),
      "n1:old n1:young n2:old n3:old",
      "",
    ],
    [
      "in a surge deletes an old Pod that is not ready, even before the new one is available",
      aSet({ ...surging, minReadySeconds: 10 }),
      "n1:old-unready n1:young n2:old n3:old",
      "-p0",
    ],
    [
      "in a surge keeps the oldest new and the oldest old Pod",
      aSet(surging),
      "n1:old n1:old n1:unready n1:unready n2:old n3:old",
      "-p3 -p1",
    ],
    [
      "in a surge deletes failed Pods first",
      aSet(surging),
      "n1:old n1:failed n1:unready n2:old n3:old",
      "-p1",
    ],
    [
      "in a surge does not wait for a Pod that is terminating",
      aSet(surging),
      "n1:old n1:unready n2:old-ending n3:old",
      "+n2",
    ],
    [
      "in a surge does not wait for a Pod that has failed",
      aSet(surging),
      "n1:ready n2:failed n3:ready",
      "+n2 -p1",
    ],
    [
      "in a surge gives as many nodes a second Pod as the share, rounded up",
      aSet(rolling({ maxSurge: "34%", maxUnavailable: 0 })),
      "n1:old n2:old n3:old",
      "+n1 +n2",
    ],
    [
      "makes no second Pod when old Pods are left until they are deleted",
      aSet({ updateStrategy: { type: "OnDelete", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
      "n1:old n1:ready n2:old n3:old",
      "-p1",
    ],
    [
      "waits until a Pod has been ready for long enough",
      aSet({ minReadySeconds: 10 }),
      "n1:young n2:old n3:old",
      "",
    ],
  ])("%s", (_, set, pods, expected) => {
    expect(plan(set, pods)).toBe(expected);
  });

  const taint = (effect: string, key = "only") => ({ taints: [{ key, effect }] });
  test.each<[string, DaemonSet, ReturnType<typeof aNode>, string, string]>([
    [
      "not where the node selector does not match",
      aSet({}, { nodeSelector: { disk: "ssd" } }),
      aNode("n"),
      "n:ready",
      "-p0",
    ],
    [
      "where the node selector matches",
      aSet({}, { nodeSelector: { disk: "ssd" } }),
      aNode("n", {}, { disk: "ssd" }),
      "",
      "+n",
    ],
    ["not beside a NoSchedule taint", aSet(), aNode("n", taint("NoSchedule")), "", ""],
    ["a Pod stays beside a NoSchedule taint", aSet(), aNode("n", taint("NoSchedule")), "n:ready", ""],
    ["a Pod goes with a NoExecute taint", aSet(), aNode("n", taint("NoExecute")), "n:ready", "-p0"],
    [
      "beside a taint that is tolerated",
      aSet({}, { tolerations: [{ operator: "Exists" }] }),
      aNode("n", taint("NoExecute")),
      "",
      "+n",
    ],
    [
      "on cordoned nodes",
      aSet(),
      aNode("n", taint("NoSchedule", "node.kubernetes.io/unschedulable")),
      "",
      "+n",
    ],
    [
      "on nodes that are not ready",
      aSet(),
      aNode("n", taint("NoExecute", "node.kubernetes.io/not-ready")),
      "",
      "+n",
    ],
    ["only on the node that the template names", aSet({}, { nodeName: "other" }), aNode("n"), "", ""],
  ])("runs %s", (_, set, node, pods, expected) => {
    expect(plan(set, pods, [node])).toBe(expected);
  });

  // Upstream's case by value: `TestDaemonSetUpdatesPodsNotMatchTainstWithMaxSurge`. Nothing tolerates the taint of n1.
  test.each([
    ["n1:old n2:old n3:old", "+n2 -p0"],
    ["n2:old n2:unready n3:old", ""],
    ["n2:old n2:ready n3:old", "-p0"],
    ["n2:ready n3:old", "+n3"],
    ["n1:old-unready n2:ready n3:ready", "-p0"],
    ["n1:old n2:old-unready n3:old", "+n2 +n3"],
    ["n1:ready n2:ready n3:ready", ""],
  ])("in a surge, with a node that should run no Pod any more, of %s: %s", (pods, expected) => {
    const [, ...others] = three;
    expect(plan(aSet(surging), pods, [aNode("n1", taint("NoSchedule")), ...others])).toBe(expected);
  });

  test.each([
    ["n1:failed n2:ready n3:ready", aSet(), ""],
    ["n1:failed n2:failed n3:succeeded", aSet(), "-p1 -p2"],
    ["n1:succeeded n2:ready n3:ready", aSet(), "-p0"],
    ["n1:failed n2:ready n3:ready", aSet(surging), "+n1"],
    ["n1:old-failed n2:ready n3:ready", aSet(), "-p0"],
  ])("keeps a failed Pod during its node's back-off, of %s", (pods, set, expected) => {
    const { create, remove } = planDaemonSet({ ...observe(set, pods), backoffs: new Map([["n1", 500]]) });
    const names = [...create.map((node) => `+${node}`), ...remove.map(({ metadata }) => `-${metadata.name}`)];
    expect(names.join(" ")).toBe(expected);
  });

  test("does nothing for a DaemonSet that is terminating", () => {
    const set = aSet();
    const ending = { ...set, metadata: { ...set.metadata, deletionTimestamp: before(1) } };
    expect(plan(ending, "")).toBe("");
  });

  test("creates and deletes 250 Pods at most at once", () => {
    const many = Array.from({ length: 251 }, (_, i) => aNode(`n${i}`));
    expect(planDaemonSet(observe(aSet(), "", many)).create.length).toBe(250);
    const failed = many.map(({ metadata }) => `${metadata.name}:failed`).join(" ");
    expect(planDaemonSet(observe(aSet(), failed, many)).remove.length).toBe(250);
  });

  test("counts the nodes that should run a Pod for a share, and no other node as unavailable", () => {
    const cordoned = { taints: [{ key: "only", effect: "NoSchedule" }] };
    const all = [...three, aNode("n4", cordoned), aNode("n5", cordoned)];
    const set = aSet(rolling({ maxUnavailable: "33%" }));
    expect(plan(set, "n1:old n2:old n3:old", all)).toBe("-p0");
  });

  test("deletes no terminating Pod again where none may stay", () => {
    const tainted = aNode("n", { taints: [{ key: "only", effect: "NoExecute" }] });
    expect(plan(aSet(), "n:ending n:ready", [tainted])).toBe("-p1");
  });

  test("runs beside a soft taint, and on the node that the template names", () => {
    const soft = aNode("n", { taints: [{ key: "only", effect: "PreferNoSchedule" }] });
    expect(plan(aSet(), "", [soft])).toBe("+n");
    expect(plan(aSet({}, { nodeName: "n" }), "", [soft, aNode("m")])).toBe("+n");
    expect(plan(aSet({}, { nodeName: "n" }), "m:ready", [soft, aNode("m")])).toBe("+n -p0");
  });

  test("keeps the template's own tolerations before those of all daemon Pods, each once", () => {
    const own = [
      { key: "mine", operator: "Exists" },
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
      { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoSchedule" },
      { key: "node.kubernetes.io/disk-pressure", operator: "Equal", effect: "NoSchedule" },
    ];
    const all = tolerationsOf(aSet({}, { tolerations: own }).spec.template);
    expect(all.map(({ key, operator, effect }) => `${key} ${operator} ${effect ?? "any"}`)).toEqual([
      "mine Exists any",
      "node.kubernetes.io/not-ready Exists NoExecute",
      "node.kubernetes.io/unreachable Exists NoSchedule",
      "node.kubernetes.io/disk-pressure Equal NoSchedule",
      "node.kubernetes.io/unreachable Exists NoExecute",
      "node.kubernetes.io/disk-pressure Exists NoSchedule",
      "node.kubernetes.io/memory-pressure Exists NoSchedule",
      "node.kubernetes.io/pid-pressure Exists NoSchedule",
      "node.kubernetes.io/unschedulable Exists NoSchedule",
    ]);
  });

  test("a Pod is meant for the one node, whatever else its template requires of nodes", () => {
    const preferred = [{ weight: 1, preference: {} }];
    const affinity = {
      podAffinity: {},
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] },
      },
    };
    const { template: one } = aSet({}, { affinity }).spec;
    expect(affinityFor(one, "n1")).toMatchObject({
      podAffinity: {},
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        ...meantFor("n1").affinity.nodeAffinity,
      },
    });
    expect(affinityFor(aSet().spec.template, "n1")).toEqual(meantFor("n1").affinity);
  });

  test.each<[string, object, string | undefined]>([
    ["its own node", { nodeName: "n1", ...meantFor("n2") }, "n1"],
    ["the node that it is meant for", meantFor("n2"), "n2"],
    ["no node by another field", meantFor("n2", "metadata.namespace"), undefined],
    ["no node by another operator", meantFor("n2", "metadata.name", "NotIn"), undefined],
    ["no node by its affinity to Pods", { affinity: { podAffinity: {} } }, undefined],
    ["no node without required affinity", { affinity: { nodeAffinity: {} } }, undefined],
    ["no node", {}, undefined],
  ])("finds %s of a Pod", (_, spec, expected) => {
    expect(nodeOf(aPod("p", { spec }))).toBe(expected);
  });

  test("tolerates a missing network only on the host network", () => {
    const keys = (spec: object) => tolerationsOf(aSet({}, spec).spec.template).map(({ key }) => key);
    expect(keys({})).not.toContain("node.kubernetes.io/network-unavailable");
    expect(keys({ hostNetwork: true })).toContain("node.kubernetes.io/network-unavailable");
  });

  test("deletes a Pod that waits for a node that has gone", () => {
    const waiting = aPod("waiting", { spec: meantFor("gone") });
    const ending = aPod("ending", { spec: meantFor("gone"), metadata: { deletionTimestamp: before(1) } });
    const scheduled = aPod("scheduled", { spec: { nodeName: "gone" } });
    const { remove } = planDaemonSet({
      ...observe(aSet(), "n1:ready n2:ready n3:ready"),
      pods: [...podsOf("n1:ready n2:ready n3:ready"), waiting, ending, scheduled],
    });
    expect(remove).toEqual([waiting]);
  });
});

test("the status counts nodes by what they should run and what they run", () => {
  const all = [
    aNode("n1"),
    aNode("n2"),
    aNode("n3"),
    aNode("n4", { taints: [{ key: "only", effect: "NoSchedule" }] }),
  ];
  expect(planStatus(observe(aSet(), "n1:ready n2:old-unready n4:ready", all))).toEqual({
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 3,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
  });
});

test("a status without a change is none", () => {
  const set = aSet();
  const status = planStatus(observe(set, "n1:ready"));
  if (status === undefined) throw new Error("The first status is a change");
  expect(planStatus(observe({ ...set, status }, "n1:ready"))).toBeUndefined();
});

test("a Pod is not available before its time, and the first time to look again is known", () => {
  const seen = observe(aSet({ minReadySeconds: 10 }), "n1:ready n2:young n3:unready");
  expect(planStatus(seen)).toMatchObject({ numberReady: 2, numberAvailable: 1, numberUnavailable: 2 });
  expect(untilNextMs(seen)).toBe(5000);
  const later = aPod("later", { status: readyAt(before(2)) });
  expect(untilNextMs({ ...seen, pods: [later, ...seen.pods] })).toBe(5000);
  expect(untilNextMs({ ...seen, pods: [later] })).toBe(8000);
  expect(untilNextMs(observe(aSet(), "n1:young"))).toBeUndefined();
  expect(untilNextMs({ ...seen, backoffs: new Map([["n3", 500]]) })).toBe(500);
});
