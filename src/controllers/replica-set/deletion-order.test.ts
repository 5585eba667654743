import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, aReplicaSet, start as now } from "../builders.suite.ts";
import { podsToDelete } from "./deletion-order.ts";
import { planStatus } from "./plan.ts";

// Upstream's cases by value: `controller_utils_test.go`, `replica_set_test.go`, `replica_set_utils_test.go`.

const hour = 3_600_000;
const month = 31 * 24 * hour;

interface Facts {
  readonly node?: false;
  readonly phase?: string;
  /** The age of the readiness in ms; "unknown" for one without a time. */
  readonly ready?: number | "unknown";
  readonly created?: number;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly cost?: string;
}

const unscheduled: Facts = { node: false, phase: "Pending" };
const pending: Facts = { phase: "Pending" };
const unknown: Facts = { phase: "Unknown" };
const notReady: Facts = {};
const readyForever: Facts = { ready: "unknown" };
const readyNow: Facts = { ready: 0, created: 0 };
const readyThen: Facts = { ready: month, created: month };
const restarted: Facts = { ...readyNow, restarts: 9001 };
const sidecarRestarted: Facts = { ...restarted, sidecarRestarts: 9001 };
const createdThen: Facts = { ready: 0, created: month };
const readySince = (hours: number): Facts => ({ node: false, ready: hours * hour, created: month });

/** All Pods have one UID, which would decide otherwise. */
function pod(name: string, facts: Facts): Pod {
  const { node, phase = "Running", ready, created, restarts = 0, sidecarRestarts = 0, cost } = facts;
  const at = (age: number) => formatTime(now - age);
  const since = typeof ready === "number" ? { lastTransitionTime: at(ready) } : {};
  return aPod(name, {
    metadata: {
      uid: "same",
      ...(created === undefined ? {} : { creationTimestamp: at(created) }),
      ...(cost === undefined ? {} : { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
    },
    spec: {
      ...(node === false ? {} : { nodeName: name }),
      initContainers: [{ name: "side", image: "side:1", restartPolicy: "Always" }],
    },
    status: {
      phase,
      conditions: ready === undefined ? [] : [{ type: "Ready", status: "True", ...since }],
      containerStatuses: [{ name: "web", restartCount: restarts }],
      initContainerStatuses: [{ name: "side", restartCount: sidecarRestarts }],
    },
  });
}

/** The first Pod to be deleted, where the Pods are on nodes with `ranks` related Pods. */
function first(all: readonly Pod[], ranks: readonly number[]): readonly Pod[] {
  const related = all.flatMap(({ spec }, i) =>
    Array.from({ length: ranks[i] ?? 0 }, (_, j) =>
      aPod(`${i}-${j}`, { spec: { nodeName: spec.nodeName }, status: { phase: "Running" } }),
    ),
  );
  return podsToDelete(all, related, 1, now);
}

describe("of two Pods, the first is deleted", () => {
  test.each<readonly [string, Facts, number, Facts, number]>([
    ["unscheduled", unscheduled, 1, pending, 2],
    ["unscheduled, in a crowd", unscheduled, 2, pending, 1],
    ["pending", pending, 1, unknown, 2],
    ["of an unknown phase", unknown, 1, notReady, 2],
    ["not ready", notReady, 1, readyForever, 1],
    ["ready since an unknown time", readyForever, 1, readyNow, 1],
    ["in a crowd, ready since an unknown time", readyNow, 2, readyForever, 1],
    ["ready now", readyNow, 1, readyThen, 1],
    ["in a crowd, ready now", readyNow, 2, readyThen, 1],
    ["restarted", restarted, 1, readyNow, 1],
    ["with a restarted sidecar", sidecarRestarted, 1, restarted, 1],
    ["in a crowd, restarted", readyNow, 2, restarted, 1],
    ["created now", readyNow, 1, createdThen, 1],
    ["in a crowd, created now", createdThen, 2, readyNow, 1],
    ["of a low cost", { ...createdThen, cost: "10" }, 2, { ...createdThen, cost: "100" }, 1],
    ["ready for 2 hours", readySince(2), 1, readySince(5), 1],
  ])("%s", (_, lesser, lesserRank, greater, greaterRank) => {
    const [one, other] = [pod("n1", lesser), pod("n2", greater)];
    expect(first([one, other], [lesserRank, greaterRank])).toEqual([one]);
    expect(first([other, one], [greaterRank, lesserRank])).toEqual([one]);
  });

  test.each<readonly [string, Facts, Facts]>([
    ["unscheduled", unscheduled, unscheduled],
    ["pending", pending, pending],
    ["of an unknown phase", unknown, unknown],
    ["not ready", notReady, notReady],
    ["created a month ago", createdThen, createdThen],
    ["ready now", readyNow, readyNow],
    ["ready for a month", readyThen, readyThen],
    ["restarted", restarted, restarted],
    [
      "unscheduled for 5 and 8 hours",
      { ...unscheduled, created: 5 * hour },
      { ...unscheduled, created: 8 * hour },
    ],
    ["ready for 5 and 8 hours", readySince(5), readySince(8)],
  ])("or the other, if they are equal: %s", (_, one, other) => {
    const both = [pod("n1", one), pod("n2", other)];
    expect(first(both, [1, 1])).toEqual(both.slice(0, 1));
    expect(first(both.toReversed(), [1, 1])).toEqual(both.slice(1));
  });
});

describe("the Pods to delete", () => {
  const named = (name: string, facts: Facts, nodeName = name) => {
    const made = pod(name, facts);
    return facts.node === false ? made : { ...made, spec: { ...made.spec, nodeName } };
  };
  const byName = new Map(
    [
      named("unscheduled", unscheduled),
      named("pending", pending, "n"),
      named("unready", notReady, "n"),
      named("ready1", readyForever, "n1"),
      named("ready2", readyForever, "n2"),
    ].map((one) => [one.metadata.name, one] as const),
  );
  const read = (text: string) =>
    text.split(" ").flatMap((name) => {
      const found = byName.get(name);
      return found === undefined ? [] : [found];
    });
  const all = "ready1 ready2 unready pending unscheduled";
  test.each<readonly [string, number, string]>([
    ["", 0, ""],
    ["unready ready1", 2, "unready ready1"],
    ["ready1 unready", 1, "unready"],
    [all, 5, all],
    ["pending unscheduled", 1, "unscheduled"],
    ["ready1 unready unready", 2, "unready unready"],
    ["pending unready", 1, "pending"],
    [all, 3, "unscheduled pending unready"],
  ])("of %s are, for %i: %s", (pods, count, expected) => {
    const chosen = podsToDelete(read(pods), read(pods), count, now);
    expect(chosen.map(({ metadata }) => metadata.name).join(" ")).toBe(expected);
  });

  test("are first those on a node with related Pods", () => {
    const chosen = podsToDelete(read("ready1 ready2"), read("ready1 ready2 ready2"), 1, now);
    expect(chosen).toEqual(read("ready2"));
  });
});

describe("the status counts", () => {
  const labels = { app: "web", type: "production" };
  const aSet = (templateLabels: object, minReadySeconds = 0) =>
    aReplicaSet({
      minReadySeconds,
      template: { metadata: { labels: templateLabels }, spec: { containers: [{ name: "web", image: "w" }] } },
    });
  const labelled = (one: Pod): Pod => ({ ...one, metadata: { ...one.metadata, labels } });
  const ready = pod("a", readyNow);
  const both = [ready, pod("b", readyNow)];
  test.each<readonly [string, ReturnType<typeof aSet>, readonly Pod[], number, string]>([
    ["one Pod with all labels", aSet(labels), [labelled(ready)], 0, "1 1 1 1 0"],
    ["one Pod without", aSet(labels), [ready], 0, "1 0 1 1 0"],
    ["two Pods with all labels", aSet(labels), both.map(labelled), 0, "2 2 2 2 0"],
    ["two Pods without", aSet(labels), both, 0, "2 0 2 2 0"],
    ["one of each", aSet(labels), [labelled(ready), ready], 0, "2 1 2 2 0"],
    ["one that is not ready", aSet(labels), [labelled(pod("a", pending))], 0, "1 1 0 0 0"],
    ["one that is not available", aSet(labels, 3600), [labelled(ready)], 0, "1 1 1 0 0"],
    ["one that is available", aSet(labels, 3600), [labelled(pod("a", { ready: hour }))], 0, "1 1 1 1 0"],
    [
      "one that is long available",
      aSet(labels, 3600),
      [labelled(pod("a", { ready: 2 * hour }))],
      0,
      "1 1 1 1 0",
    ],
    ["two that are terminating", aSet(labels), [labelled(ready)], 2, "1 1 1 1 2"],
  ])("%s", (_, replicaSet, pods, terminating, expected) => {
    const status = planStatus({ replicaSet, pods, terminating, now }, undefined);
    const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, terminatingReplicas } =
      status ?? { replicas: -1 };
    const counts = [replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, terminatingReplicas];
    expect(counts.map((count) => count ?? 0).join(" ")).toBe(expected);
  });
});
