import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, aReplicaSet, readyAt, start as now } from "../builders.suite.ts";
import { podsToDelete } from "./deletion-order.ts";
import { burst, planScaling, planStatus, untilNextAvailableMs } from "./plan.ts";

const ago = (seconds: number) => formatTime(now - seconds * 1000);
const onNode = (name: string, nodeName: string, more: Parameters<typeof aPod>[1] = {}) =>
  aPod(name, {
    metadata: { creationTimestamp: ago(1000), ...more.metadata },
    spec: { nodeName, ...more.spec },
    status: { ...readyAt(ago(900)), ...more.status },
  });
const cost = (value: string) => ({ annotations: { "controller.kubernetes.io/pod-deletion-cost": value } });
const restarted = (restartCount: number) => ({
  containerStatuses: [{ name: "web", ready: true, restartCount, image: "", imageID: "" }],
});

const sidecar = { initContainers: [{ name: "side", restartPolicy: "Always" }] };
const initContainer = { initContainers: [{ name: "side" }] };
const sidecarRestarted = (restartCount: number) => ({
  initContainerStatuses: [{ name: "side", ready: true, restartCount, image: "", imageID: "" }],
});

describe("the Pod to delete first is", () => {
  const cases: readonly (readonly [why: string, first: Pod, other: Pod, related?: readonly Pod[]])[] = [
    ["one without a node", aPod("a"), onNode("b", "n1")],
    [
      "a pending one",
      onNode("a", "n1", { status: { phase: "Pending" } }),
      onNode("b", "n1", { status: { conditions: [] } }),
    ],
    ["one of an unknown phase", onNode("a", "n1", { status: { phase: "Unknown" } }), onNode("b", "n1")],
    [
      "one that is not ready",
      onNode("a", "n1", { status: { conditions: [] } }),
      onNode("b", "n1", { metadata: cost("-5") }),
    ],
    ["a cheap one", onNode("a", "n1", { metadata: cost("-5") }), onNode("b", "n1")],
    [
      "the cheaper one, with an invalid cost as 0",
      onNode("a", "n1", { metadata: cost("0x7") }),
      onNode("b", "n1", { metadata: cost("1") }),
    ],
    ["one that shares its node", onNode("a", "n1"), onNode("b", "n2"), [onNode("c", "n1")]],
    [
      "one that has been ready for less time",
      onNode("a", "n1", { status: readyAt(ago(10)) }),
      onNode("b", "n2"),
    ],
    [
      "one that restarted more often",
      onNode("a", "n1", { status: restarted(3) }),
      onNode("b", "n2", { status: restarted(1) }),
    ],
    [
      "a newer one",
      onNode("a", "n1", { metadata: { creationTimestamp: ago(10) }, status: { conditions: [] } }),
      onNode("b", "n2", { status: { conditions: [] } }),
    ],
    [
      "one without a node, before all other rules",
      aPod("a", { status: { phase: "Running" } }),
      onNode("b", "n1", { status: { phase: "Pending" } }),
    ],
    [
      "one with an empty node name",
      aPod("a", { spec: { nodeName: "" }, status: readyAt(ago(900)) }),
      onNode("b", "n1", { status: { phase: "Pending", conditions: [] } }),
    ],
    [
      "one of no phase, as if pending",
      onNode("a", "n1", { status: { phase: undefined } }),
      onNode("b", "n1", { status: { phase: "Unknown" } }),
    ],
    [
      "a cheap one, where a cost beyond 32 bits is none",
      onNode("a", "n1", { metadata: cost("2147483648") }),
      onNode("b", "n1", { metadata: cost("1") }),
    ],
    [
      "a cheap one, by any cost of 32 bits",
      onNode("a", "n1", { metadata: cost("10") }),
      onNode("b", "n1", { metadata: cost("2147483647") }),
    ],
    [
      "one that shares its node with active Pods",
      onNode("a", "n1"),
      onNode("b", "n2"),
      [
        onNode("c", "n1"),
        onNode("d", "n2", { status: { phase: "Failed" } }),
        onNode("e", "n2", { status: { phase: "Failed" } }),
      ],
    ],
    [
      "one whose sidecar restarted more often",
      onNode("a", "n1", { spec: sidecar, status: sidecarRestarted(3) }),
      onNode("b", "n2", { spec: sidecar, status: sidecarRestarted(1) }),
    ],
    [
      "not one whose init container restarted more often: the newer one",
      onNode("a", "n1", {
        metadata: { creationTimestamp: ago(10) },
        spec: initContainer,
        status: sidecarRestarted(1),
      }),
      onNode("b", "n2", { spec: initContainer, status: sidecarRestarted(3) }),
    ],
    [
      "one whose container restarted more often, before sidecars count",
      onNode("a", "n1", { spec: sidecar, status: { ...sidecarRestarted(1), ...restarted(2) } }),
      onNode("b", "n2", { spec: sidecar, status: { ...sidecarRestarted(3), ...restarted(1) } }),
    ],
    [
      "one that is ready since an unknown time",
      onNode("a", "n1", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
      onNode("b", "n2", { status: readyAt(ago(10)) }),
    ],
    [
      "one with an unknown creation time",
      onNode("a", "n1", { metadata: { creationTimestamp: undefined }, status: { conditions: [] } }),
      onNode("b", "n2", { metadata: { creationTimestamp: ago(10) }, status: { conditions: [] } }),
    ],
    [
      "one that is ready only from a moment to come",
      onNode("a", "n1", { metadata: { uid: "z" }, status: readyAt(ago(-10)) }),
      onNode("b", "n2", { status: readyAt(ago(1)) }),
    ],
    [
      "the one ready for less time, by the magnitude alone",
      onNode("a", "n1", { metadata: { uid: "z" }, status: readyAt(ago(100)) }),
      onNode("b", "n2", { status: readyAt(ago(800)) }),
    ],
    [
      "the newer one, where one is not ready since longer",
      onNode("a", "n1", {
        metadata: { creationTimestamp: ago(10) },
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(999) }],
        },
      }),
      onNode("b", "n2", {
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(1) }],
        },
      }),
    ],
    [
      "decided by UID among those of about one age",
      onNode("a", "n1", { status: readyAt(ago(901)) }),
      onNode("b", "n2"),
    ],
  ];
  for (const [why, first, other, related = []] of cases) {
    test(why, () => {
      const all = [first, other, ...related];
      expect(podsToDelete([other, first], all, 1, now)).toEqual([first]);
      expect(podsToDelete([first, other], all, 1, now)).toEqual([first]);
    });
  }
});

test("where all Pods go, their order does not matter", () => {
  const all = [onNode("a", "n1"), aPod("b")];
  expect(podsToDelete(all, all, 2, now)).toEqual(all);
  expect(podsToDelete(all, all, 3, now)).toEqual(all);
});

const pods = (count: number) => Array.from({ length: count }, (_, i) => aPod(`p${i}`));
const observed = (replicas: number, have: readonly Pod[], metadata: object = {}) => ({
  replicaSet: aReplicaSet({ replicas }, metadata),
  pods: have,
  terminating: 0,
  now,
});

test("scaling creates or deletes the difference, in bursts, and ignores a terminating ReplicaSet", () => {
  const plan = (replicas: number, have: number, metadata = {}) =>
    planScaling(observed(replicas, pods(have), metadata), () => []);
  expect(plan(3, 3)).toEqual({ type: "none" });
  expect(plan(3, 1)).toEqual({ type: "create", count: 2 });
  expect(plan(2000, 0)).toEqual({ type: "create", count: burst });
  expect(plan(0, 2)).toMatchObject({ type: "delete", pods: { length: 2 } });
  expect(plan(3, 1, { deletionTimestamp: formatTime(now) })).toEqual({ type: "none" });
});

test("repeated scaling ends at the desired number and never passes it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1200 }), fc.integer({ min: 0, max: 1200 }), (wanted, initial) => {
      let have: readonly Pod[] = pods(initial);
      let made = initial;
      for (let step = 0; step < 5; step++) {
        const scaling = planScaling(observed(wanted, have), () => have);
        if (scaling.type === "create") {
          have = [...have, ...Array.from({ length: scaling.count }, () => aPod(`p${made++}`))];
          expect(have.length).toBeLessThanOrEqual(wanted);
        } else if (scaling.type === "delete") {
          const gone = new Set(scaling.pods);
          have = have.filter((pod) => !gone.has(pod));
          expect(have.length).toBeGreaterThanOrEqual(wanted);
        }
      }
      expect(have.length).toBe(wanted);
    }),
    { numRuns: 20 },
  );
});

test("status counts Pods by their state, and is not written when nothing changes", () => {
  const template = { metadata: { labels: { app: "web", tier: "front" } }, spec: { containers: [] } };
  const replicaSet = aReplicaSet({ replicas: 4, minReadySeconds: 60, template });
  const labels = { app: "web", tier: "front" };
  const all = [
    aPod("old", { metadata: { labels }, status: readyAt(ago(61)) }),
    aPod("young", { metadata: { labels }, status: readyAt(ago(20)) }),
    aPod("unlabelled", { status: { phase: "Running" } }),
  ];
  const seen = { replicaSet, pods: all, terminating: 2, now };
  const status = planStatus(seen, undefined);
  expect(status).toEqual({
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 2,
    observedGeneration: 1,
  });
  expect(untilNextAvailableMs(seen)).toBe(40_000);
  expect(
    planStatus({ ...seen, replicaSet: { ...replicaSet, status: status ?? { replicas: 0 } } }, undefined),
  ).toBeUndefined();
});

test("a failure becomes a condition that keeps its first message until the failure ends", () => {
  const replicaSet = aReplicaSet({ replicas: 2 });
  const failed = planStatus({ replicaSet, pods: [], terminating: 0, now }, "quota");
  expect(failed?.conditions).toEqual([
    {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: "quota",
      lastTransitionTime: formatTime(now),
    },
  ]);
  const after = { ...replicaSet, status: failed ?? { replicas: 0 } };
  expect(
    planStatus({ replicaSet: after, pods: [], terminating: 0, now: now + 5000 }, "other"),
  ).toBeUndefined();
  expect(
    planStatus({ replicaSet: after, pods: [], terminating: 0, now }, undefined)?.conditions,
  ).toBeUndefined();
  const tooMany = planStatus(
    { replicaSet: aReplicaSet({ replicas: 0 }), pods: pods(1), terminating: 0, now },
    "why",
  );
  expect(tooMany?.conditions?.[0]?.reason).toBe("FailedDelete");
});

test("a failure to scale is a condition that keeps its first message, until there is none", () => {
  const other = { type: "Other", status: "True" };
  const failing = (count: number, failure: string | undefined, conditions: readonly object[]) => {
    const replicaSet = aReplicaSet({ replicas: 2 }, {}, { replicas: 9, conditions });
    return planStatus({ replicaSet, pods: pods(count), terminating: 0, now }, failure)?.conditions;
  };
  const failed = {
    type: "ReplicaFailure",
    status: "True",
    message: "quota",
    lastTransitionTime: formatTime(now),
  };
  expect(failing(1, "quota", [other])).toEqual([other, { ...failed, reason: "FailedCreate" }]);
  expect(failing(2, "quota", [other])).toEqual([other, { ...failed, reason: "FailedDelete" }]);
  expect(failing(3, "quota", [])).toEqual([{ ...failed, reason: "FailedDelete" }]);
  const present = [{ ...failed, reason: "FailedCreate" }, other];
  expect(failing(1, "other", present)).toEqual(present);
  expect(failing(1, undefined, present)).toEqual([other]);
  expect(failing(1, undefined, [failed])).toBeUndefined();
});

test("the next Pod to become available decides when to look again", () => {
  const replicaSet = aReplicaSet({ minReadySeconds: 60 });
  const waiting = (...ages: readonly number[]) => {
    const all = ages.map((age, i) => aPod(`p${i}`, { status: readyAt(ago(age)) }));
    return untilNextAvailableMs({ replicaSet, pods: [...all, aPod("pending")], terminating: 0, now });
  };
  expect([waiting(10, 40, 70), waiting(60, 70), waiting()]).toEqual([20_000, undefined, undefined]);
});
