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

type Kind = "ready" | "new" | "unready" | "pending" | "failed" | "ending";

/** The Pod of an ordinal. Of revision `new` when it is so marked: `ready*`. */
function pod(ordinal: number, text: string): Pod {
  const [kind, revision] = text.endsWith("*") ? [text.slice(0, -1), "new"] : [text, "old"];
  const status: Readonly<Record<Kind, object>> = {
    ready: readyAt(then),
    new: readyAt(new Date(start - 5000).toISOString()),
    unready: { phase: "Running" },
    pending: { phase: "Pending" },
    failed: { phase: "Failed" },
    ending: readyAt(then),
  };
  return aPod(`web-${ordinal}`, {
    metadata: {
      labels: {
        app: "web",
        "controller-revision-hash": revision,
        "statefulset.kubernetes.io/pod-name": `web-${ordinal}`,
        "apps.kubernetes.io/pod-index": String(ordinal),
      },
      ...(kind === "ending" ? { deletionTimestamp: then } : {}),
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
    ["rounds a share up", "ready ready ready", rolling({ maxUnavailable: "40%" }), "delete 2, delete 1"],
    ["leaves Pods alone until they are deleted", "ready ready ready", onDelete, ""],
    ["creates deleted Pods from the new revision", "ready - ready", onDelete, "create 1 new"],
    ["numbers from the start", "ready* ready* ready*", { replicas: 2, ordinals: { start: 1 } }, "delete 0"],
    ["waits until a Pod is available", "new*", { replicas: 2, minReadySeconds: 10 }, "again 5000"],
    ["creates when a Pod has been available", "new*", { replicas: 2, minReadySeconds: 3 }, "create 1 new"],
  ])("%s", (_, pods, spec, expected) => {
    expect(plan(pods, spec)).toBe(expected);
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

  test("does not count a Pod as available before its time", () => {
    expect(status("ready* new*", { replicas: 2, minReadySeconds: 10 })).toMatchObject({
      readyReplicas: 2,
      availableReplicas: 1,
    });
  });
});
