import { describe, expect, test } from "vitest";
import { type StatefulSet, statefulSets } from "../../api/apps/stateful-set/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { aPod, build, readyAt, start, template } from "../builders.suite.ts";
import { planStatefulSet, statusOf } from "./plan.ts";

const then = new Date(start - 60_000).toISOString();

function aSet(spec: object = {}, metadata: object = {}, status: object = {}): StatefulSet {
  return build(statefulSets, {
    metadata: { name: "web", namespace: "default", uid: "uid-web", generation: 1, ...metadata },
    spec: {
      serviceName: "web",
      selector: { matchLabels: { app: "web" } },
      template,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status,
  });
}

type Kind =
  | "ready"
  | "new"
  | "newer"
  | "unready"
  | "pending"
  | "failed"
  | "succeeded"
  | "gone"
  | "ending"
  | "bare";

/** The Pod of an ordinal. Of revision `new` when it is so marked: `ready*`. */
function pod(ordinal: number, text: string): Pod {
  const [kind, revision] = text.endsWith("*") ? [text.slice(0, -1), "new"] : [text, "old"];
  const status: Readonly<Record<Kind, object>> = {
    ready: readyAt(then),
    new: readyAt(new Date(start - 5000).toISOString()),
    newer: readyAt(new Date(start - 2000).toISOString()),
    unready: { phase: "Running" },
    pending: { phase: "Pending" },
    failed: { phase: "Failed" },
    succeeded: { phase: "Succeeded" },
    gone: { phase: "Failed" },
    ending: readyAt(then),
    // Just created: no kubelet has reported anything.
    bare: {},
  };
  return aPod(`web-${ordinal}`, {
    metadata: {
      labels: {
        app: "web",
        "controller-revision-hash": revision,
        "statefulset.kubernetes.io/pod-name": `web-${ordinal}`,
        "apps.kubernetes.io/pod-index": String(ordinal),
      },
      ...(kind === "ending" || kind === "gone" ? { deletionTimestamp: then } : {}),
    },
    status: status[kind as Kind],
  });
}

const revisions = { current: "old", update: "new", collisionCount: undefined };

/** The Pods by ordinal, as `ready unready*`, `-` for none; and the actions as `create 2 new`, `delete 1`. */
function plan(pods: string, spec: object = {}, update = "new"): string {
  const present = pods.split(" ").flatMap((text, i) => (text === "-" || text === "" ? [] : [pod(i, text)]));
  const observed = { set: aSet(spec), pods: present, revisions: { ...revisions, update }, now: start };
  const { actions, againMs } = planStatefulSet(observed);
  const texts = actions.map((action) =>
    action.type === "create"
      ? `create ${action.ordinal} ${action.revision}`
      : `${action.type} ${action.pod.metadata.name?.slice(4)}`,
  );
  return [...texts, ...(againMs === undefined ? [] : [`again ${againMs}`])].join(", ");
}

const three = { replicas: 3 };
const parallel = { replicas: 3, podManagementPolicy: "Parallel" };
const rolling = (rollingUpdate: object, spec: object = three) => ({
  ...spec,
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0, ...rollingUpdate } },
});
const onDelete = { ...three, updateStrategy: { type: "OnDelete" } };

describe("the plan of a StatefulSet", () => {
  test.each([
    ["creates the first Pod alone", "", three, "create 0 new"],
    ["creates the next when the ones before are ready", "ready* ready*", three, "create 2 new"],
    ["waits for a Pod that is not ready", "ready* unready*", three, ""],
    ["fills a gap first", "ready* - ready*", three, "create 1 new"],
    ["creates all at once in parallel", "- unready* -", parallel, "create 0 new, create 2 new"],
    ["waits for a terminating Pod before it is created again", "ready* ending ready*", three, ""],
    ["replaces a failed Pod, and nothing else meanwhile", "ready* failed* ready*", three, "delete 1"],
    ["in parallel goes on beside a failed Pod", "failed* - ready*", parallel, "delete 0, create 1 new"],
    ["makes the claims of a pending Pod", "ready* pending*", parallel, "repair 1, create 2 new"],
    ["deletes from the highest ordinal down", "ready* ready* ready* ready* ready*", three, "delete 4"],
    ["waits while a Pod beyond the number is terminating", "ready* ready* ready* ready* ending*", three, ""],
    ["does not delete beyond while one before is not ready", "ready* unready* ready* ready*", three, ""],
    ["deletes an unhealthy Pod beyond the number", "ready* ready* ready* unready*", three, "delete 3"],
    [
      "deletes all beyond at once in parallel",
      "ready* ready* ready* ready* ready*",
      parallel,
      "delete 4, delete 3",
    ],
    ["scales to nothing", "ready* ready*", { replicas: 0 }, "delete 1"],
    ["updates from the highest ordinal down", "ready ready ready", three, "delete 2"],
    ["updates the next when the last is ready", "ready ready ready*", three, "delete 1"],
    ["waits for the updated Pod", "ready ready unready*", three, ""],
    ["stops at the partition", "ready ready* ready*", rolling({ partition: 1 }), ""],
    [
      "creates below the partition from the current revision",
      "- ready* ready*",
      rolling({ partition: 1 }),
      "create 0 old",
    ],
    [
      "updates as many at a time as may be unavailable",
      "ready ready ready",
      rolling({ maxUnavailable: 2 }),
      "delete 2, delete 1",
    ],
    [
      "counts an updated Pod that is not ready",
      "ready ready unready*",
      rolling({ maxUnavailable: 2 }, parallel),
      "delete 1",
    ],
    ["rounds a share down", "ready ready ready", rolling({ maxUnavailable: "67%" }), "delete 2, delete 1"],
    [
      "counts an unavailable Pod below the ones to update",
      "unready* ready ready",
      rolling({ maxUnavailable: 2 }, parallel),
      "delete 2",
    ],
    [
      "updates nothing beside as many unavailable Pods as there may be",
      "unready ready ready",
      rolling({ maxUnavailable: 1 }, parallel),
      "",
    ],
    [
      "without a setting updates beside an unavailable lower Pod",
      "unready ready ready",
      parallel,
      "delete 2",
    ],
    ["leaves Pods alone until they are deleted", "ready ready ready", onDelete, ""],
    ["creates deleted Pods from the new revision", "ready - ready", onDelete, "create 1 new"],
    ["numbers from the start", "ready* ready* ready*", { replicas: 2, ordinals: { start: 1 } }, "delete 0"],
    ["waits until a Pod is available", "new*", { replicas: 2, minReadySeconds: 10 }, "again 5000"],
    [
      "looks again when the first Pod becomes available",
      "ready* ready* new* newer*",
      { replicas: 2, minReadySeconds: 10, podManagementPolicy: "Parallel" },
      "delete 3, delete 2",
    ],
    ["waits for a Pod that no kubelet has reported", "ready* bare*", three, ""],
    ["replaces a Pod that has succeeded", "ready* succeeded* ready*", three, "delete 1"],
    ["does not delete a failed Pod twice", "ready* gone* ready*", three, ""],
    [
      "in parallel goes on beside a failed Pod that is terminating",
      "gone* - ready*",
      parallel,
      "create 1 new",
    ],
    [
      "does not delete a Pod beyond the number twice",
      "ready* ready* ready* ready* ending*",
      parallel,
      "delete 3",
    ],
    [
      "waits for a Pod beyond the number that is not available yet",
      "new* ready* new*",
      { replicas: 1, minReadySeconds: 10 },
      "again 5000",
    ],
    [
      "waits for a Pod beyond the number while a lower one is not available yet",
      "ready* new* new*",
      { replicas: 1, minReadySeconds: 10 },
      "again 5000",
    ],
    [
      "deletes the only Pod beyond the number that is not available yet",
      "ready* ready* new*",
      { replicas: 1, minReadySeconds: 10 },
      "delete 2",
    ],
    [
      "deletes the highest Pod beyond the number while a lower one is not ready",
      "ready* unready* ready*",
      { replicas: 1 },
      "delete 2",
    ],
    ["updates no Pod at the same time as it deletes one", "ready ready ready ready", three, "delete 3"],
    [
      "in parallel updates while Pods are created",
      "ready - ready*",
      { ...parallel, ...rolling({ maxUnavailable: 2 }, parallel) },
      "create 1 new, delete 0",
    ],
    ["updates no Pod that is terminating", "ready ready ending", parallel, ""],
    ["waits until an updated Pod is available", "ready ready new*", { ...parallel, minReadySeconds: 10 }, ""],
    [
      "updates one at a time without a setting",
      "ready ready",
      { replicas: 2, updateStrategy: { type: "RollingUpdate" } },
      "delete 1",
    ],
    ["updates one at least", "ready ready", rolling({ maxUnavailable: "0%" }, { replicas: 2 }), "delete 1"],
    ["updates the Pod at the partition", "ready ready ready*", rolling({ partition: 1 }), "delete 1"],
    [
      "counts the partition from the start",
      "- - -",
      rolling({ partition: 1 }, { ...parallel, replicas: 2, ordinals: { start: 1 } }),
      "create 1 old, create 2 new",
    ],
    ["creates when a Pod has been available", "new*", { replicas: 2, minReadySeconds: 3 }, "create 1 new"],
  ])("%s", (_, pods, spec, expected) => {
    expect(plan(pods, spec)).toBe(expected);
  });

  // Upstream's cases by value: `TestGetStatefulSetMaxUnavailable`.
  test.each([
    [undefined, 10, 1],
    [3, 10, 3],
    ["10%", 25, 2],
    ["100%", 5, 5],
    ["50%", 5, 2],
    ["10%", 5, 1],
  ])("updates, with maxUnavailable %s, of %i Pods %i", (maxUnavailable, replicas, expected) => {
    const pods = Array.from({ length: replicas }, () => "ready").join(" ");
    const spec = rolling(maxUnavailable === undefined ? {} : { maxUnavailable }, { replicas });
    expect(plan(pods, spec).split(", ")).toHaveLength(expected);
  });

  // Upstream's case by value: `TestStatefulSetControlRollingUpdateWithMaxUnavailable`.
  test.each([
    ["OrderedReady", "ready ready ready ready - -", "create 4 new"],
    ["Parallel", "ready ready ready ready - -", "create 4 new, create 5 new"],
    ["OrderedReady", "ready ready ready ready ready* bare*", ""],
    ["Parallel", "ready ready ready ready ready* bare*", "delete 3"],
    ["Parallel", "ready ready ready ready* ready* ready*", ""],
  ])("of %s, to the partition 3 and with two unavailable, of %s: %s", (policy, pods, expected) => {
    const spec = rolling({ partition: 3, maxUnavailable: 2 }, { replicas: 6, podManagementPolicy: policy });
    expect(plan(pods, spec)).toBe(expected);
    expect(plan("ready ready ready ready ready ready", spec)).toBe("delete 5, delete 4");
  });

  test("without a setting, as many Pods as the current revision has keep it", () => {
    const set = aSet({ ...parallel, updateStrategy: { type: "RollingUpdate" } }, {}, { currentReplicas: 2 });
    const { actions } = planStatefulSet({ set, pods: [], revisions, now: start });
    expect(actions.map((action) => (action.type === "create" ? action.revision : action.type))).toEqual([
      "old",
      "old",
      "new",
    ]);
  });

  test("leaves Pods of other names alone", () => {
    const other = aPod("other-9");
    expect(
      planStatefulSet({ set: aSet({ replicas: 0 }), pods: [other], revisions, now: start }).actions,
    ).toEqual([]);
  });

  test("looks again when the first of several Pods becomes available", () => {
    const spec = { replicas: 2, minReadySeconds: 10, podManagementPolicy: "OrderedReady" };
    expect(plan("newer*", spec)).toBe("again 8000");
    expect(plan("ready* new* newer*", { ...spec, replicas: 1 })).toBe("again 8000");
  });

  test("does nothing for a StatefulSet that is terminating", () => {
    const set = aSet(three, { deletionTimestamp: then });
    expect(planStatefulSet({ set, pods: [], revisions, now: start }).actions).toEqual([]);
  });

  test("gives a Pod back the labels of its ordinal", () => {
    const lost = pod(0, "ready*");
    const stripped = {
      ...lost,
      metadata: { ...lost.metadata, labels: { app: "web", "controller-revision-hash": "new" } },
    };
    const { actions } = planStatefulSet({ set: aSet(), pods: [stripped], revisions, now: start });
    expect(actions).toEqual([{ type: "repair", pod: stripped }]);
  });
});

describe("the status of a StatefulSet", () => {
  const status = (pods: string, spec: object = three) => {
    const present = pods.split(" ").map((text, i) => pod(i, text));
    return statusOf({ set: aSet(spec), pods: present, revisions, now: start });
  };

  test("counts Pods by their state and their revision", () => {
    expect(status("ready unready ready*")).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: "old",
      updateRevision: "new",
      collisionCount: 0,
    });
  });

  test("completes an update when all Pods are updated and ready", () => {
    expect(status("ready* ready* unready*")).toMatchObject({ currentRevision: "old", updatedReplicas: 3 });
    expect(status("ready* ready* ready*")).toMatchObject({
      currentRevision: "new",
      currentReplicas: 3,
      updatedReplicas: 3,
    });
  });

  test.each([
    ["", three, "old"],
    ["ready* ready*", three, "old"],
    ["ready* ready* ready*", three, "new"],
    ["ready* ready* ready* ready*", three, "old"],
    ["", { replicas: 0 }, "new"],
  ])("of Pods %j with %j has the current revision %s", (pods, spec, expected) => {
    const present = pods === "" ? [] : pods.split(" ").map((text, i) => pod(i, text));
    const { currentRevision } = statusOf({ set: aSet(spec), pods: present, revisions, now: start });
    expect(currentRevision).toBe(expected);
  });

  test("does not complete an update while Pods of the old revision or none at all are left", () => {
    expect(status("ready ready*", { replicas: 2 })).toMatchObject({ currentRevision: "old" });
    expect(status("ready* ready*", { ...onDelete, replicas: 2 })).toMatchObject({ currentRevision: "old" });
  });

  test("counts neither a Pod that is not created yet, nor a terminating one by its revision", () => {
    expect(status("ready* bare* ending*")).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      updatedReplicas: 1,
    });
    expect(status("bare bare")).toMatchObject({ replicas: 0, availableReplicas: 0 });
    expect(status("failed")).toMatchObject({ replicas: 1, availableReplicas: 0 });
    expect(status("failed").readyReplicas).toBeUndefined();
  });

  test("shows the only revision as both the current one and the update", () => {
    const set = aSet({ replicas: 1 });
    const same = { ...revisions, update: "old" };
    expect(statusOf({ set, pods: [pod(0, "unready")], revisions: same, now: start })).toMatchObject({
      currentRevision: "old",
      updateRevision: "old",
      currentReplicas: 1,
      updatedReplicas: 1,
    });
  });

  test("does not count a Pod as available before its time", () => {
    expect(status("ready* new*", { replicas: 2, minReadySeconds: 10 })).toMatchObject({
      readyReplicas: 2,
      availableReplicas: 1,
    });
  });
});
