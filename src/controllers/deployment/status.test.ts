import { describe, expect, test } from "vitest";
import { formatTime } from "../../util/clock.ts";
import { aDeployment, aReplicaSet, start as now } from "../builders.suite.ts";
import { countedStatus, isComplete, progressCheckMs, rolloutStatus } from "./status.ts";

const set = (replicas: number, status: object = {}, name = "web-1") =>
  aReplicaSet({ replicas }, { name, uid: name }, { replicas, ...status });
const ago = (seconds: number) => formatTime(now - seconds * 1000);
const conditionIn = (status: ReturnType<typeof countedStatus>, type: string) =>
  status.conditions?.find((one) => one.type === type);

describe("the counts of a Deployment", () => {
  test("add up those of its ReplicaSets", () => {
    const current = set(3, { readyReplicas: 2, availableReplicas: 1, terminatingReplicas: 1 });
    const old = [set(2, { readyReplicas: 2, availableReplicas: 2, terminatingReplicas: 3 }, "web-0")];
    const deployment = aDeployment({ replicas: 4 }, { generation: 7 }, { collisionCount: 2 });
    expect(countedStatus(deployment, { current, old }, [], now)).toMatchObject({
      observedGeneration: 7,
      replicas: 5,
      updatedReplicas: 3,
      readyReplicas: 4,
      availableReplicas: 3,
      unavailableReplicas: 2,
      terminatingReplicas: 4,
      collisionCount: 2,
    });
  });

  test("leave out what is none", () => {
    const { conditions: _, ...counts } = countedStatus(
      aDeployment(),
      { current: undefined, old: [] },
      [],
      now,
    );
    expect(counts).toEqual({ observedGeneration: 1, terminatingReplicas: 0 });
  });

  test.each([
    ["an observed ReplicaSet reports no number", { observedGeneration: 1 }, undefined],
    ["a ReplicaSet is not observed yet", { observedGeneration: 0 }, 2],
    ["a ReplicaSet has no observed generation", {}, 2],
  ])("include the terminating Pods, or not, when %s", (_, status, terminating) => {
    const old = [set(1, { observedGeneration: 1, terminatingReplicas: 2 }, "web-0")];
    const counted = countedStatus(aDeployment(), { current: set(1, status), old }, [], now);
    expect(counted.terminatingReplicas).toBe(terminating);
  });

  test.each([
    [4, { maxUnavailable: 1 }, 3, "True"],
    [4, { maxUnavailable: 1 }, 2, "False"],
    [4, { maxUnavailable: "50%" }, 2, "True"],
  ])(
    "of %i replicas with %j are enough when %i are available: %s",
    (replicas, rollingUpdate, available, expected) => {
      const deployment = aDeployment({
        replicas,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, ...rollingUpdate } },
      });
      const sets = { current: set(4, { availableReplicas: available }), old: [] };
      const enough = conditionIn(countedStatus(deployment, sets, [], now), "Available");
      expect(enough).toMatchObject({
        status: expected,
        reason: expected === "True" ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      });
    },
  );
});

describe("a rollout is complete", () => {
  const counts = { replicas: 2, updatedReplicas: 2, availableReplicas: 2, observedGeneration: 3 };
  test.each([
    ["when all Pods are new and available, and no others are there", {}, true],
    ["not while old ones are there", { replicas: 3 }, false],
    ["not while some are not new", { updatedReplicas: 1 }, false],
    ["not while some are not available", { availableReplicas: 1 }, false],
    ["not before the last change was seen", { observedGeneration: 2 }, false],
    ["also when a later change was seen", { observedGeneration: 4 }, true],
  ])("%s", (_, more, complete) => {
    const status = { ...counts, ...more };
    expect(isComplete(aDeployment({ replicas: 2 }, { generation: 3 }), status)).toBe(complete);
    expect(isComplete(aDeployment({ replicas: 0 }, { generation: 0 }), {})).toBe(true);
  });
});

// Upstream's cases by value: `TestDeploymentComplete`. The counts are the desired, present, updated and available Pods.
test.each<readonly [readonly [number, number, number, number], boolean]>([
  [[5, 5, 5, 4], false],
  [[5, 5, 5, 3], false],
  [[5, 5, 5, 5], true],
  [[5, 5, 4, 5], false],
  [[1, 2, 1, 1], false],
  [[1, 1, 1, 0], false],
])(
  "a rollout with the counts %j is complete: %s",
  ([desired, replicas, updatedReplicas, availableReplicas], expected) => {
    const status = { replicas, updatedReplicas, availableReplicas, observedGeneration: 1 };
    expect(isComplete(aDeployment({ replicas: desired }), status)).toBe(expected);
  },
);

describe("the progress of a rollout", () => {
  const deadline = { replicas: 4, progressDeadlineSeconds: 60 };
  const since = (seconds: number, reason: string) => ({
    type: "Progressing",
    status: reason === "ProgressDeadlineExceeded" ? "False" : "True",
    reason,
    message: "before",
    lastUpdateTime: ago(seconds),
    lastTransitionTime: ago(seconds),
  });
  const progress = (
    before: object,
    after: object,
    present: object[],
    old: number = 0,
    spec: object = deadline,
  ) => {
    const sets = {
      current: set(4, { replicas: 2, ...after }),
      old: old === 0 ? [] : [set(old, { replicas: old }, "web-0")],
    };
    const deployment = aDeployment(spec, {}, { ...before, conditions: present });
    const conditions = deployment.status.conditions ?? [];
    const { reason, status, lastUpdateTime, lastTransitionTime } =
      conditionIn(rolloutStatus(deployment, sets, conditions, now), "Progressing") ?? {};
    return [status, reason, lastUpdateTime, lastTransitionTime];
  };
  const same = { replicas: 2, updatedReplicas: 2 };
  const at = formatTime(now);

  test.each<readonly [string, object, object, number]>([
    ["more new Pods", { replicas: 2, updatedReplicas: 1 }, {}, 0],
    ["fewer old Pods", { replicas: 4, updatedReplicas: 2 }, {}, 1],
    ["more ready Pods", same, { readyReplicas: 1 }, 0],
    ["more available Pods", same, { availableReplicas: 1 }, 0],
  ])("is %s, and the deadline counts from then", (_, before, after, old) => {
    expect(progress(before, after, [since(30, "ReplicaSetUpdated")], old)).toEqual([
      "True",
      "ReplicaSetUpdated",
      at,
      ago(30),
    ]);
  });

  // Upstream's cases by value: `TestDeploymentProgressing`. The counts are the present, updated, ready and available Pods.
  type Counts = readonly [number, number, number, number];
  test.each<readonly [string, Counts, Counts, boolean]>([
    ["updated Pods", [10, 4, 4, 4], [10, 6, 4, 4], true],
    ["nothing", [10, 4, 4, 4], [10, 4, 4, 4], false],
    ["removed old Pods", [10, 4, 6, 6], [8, 4, 6, 6], true],
    ["fewer new Pods", [10, 7, 3, 3], [10, 6, 3, 3], false],
    ["fewer Pods, but more new ones", [10, 4, 7, 7], [8, 8, 5, 5], true],
    ["more ready Pods", [10, 10, 9, 8], [10, 10, 10, 8], true],
    ["more available Pods", [10, 10, 10, 9], [10, 10, 10, 10], true],
  ])("counts %s", (_, [replicas, updated, ready, available], after, expected) => {
    const before = { replicas, updatedReplicas: updated, readyReplicas: ready, availableReplicas: available };
    const [all, fresh, readyReplicas, availableReplicas] = after;
    const present = [since(30, "ReplicaSetUpdated")];
    const counts = { replicas: fresh, readyReplicas, availableReplicas };
    const spec = { ...deadline, replicas: 99 };
    const [, , updatedAt] = progress(before, counts, present, all - fresh, spec);
    expect(updatedAt).toBe(expected ? at : ago(30));
  });

  test("does not count while nothing changes or the counts shrink", () => {
    const present = [since(30, "ReplicaSetUpdated")];
    for (const before of [same, { ...same, readyReplicas: 1, availableReplicas: 1 }])
      expect(progress(before, {}, present)).toEqual(["True", "ReplicaSetUpdated", ago(30), ago(30)]);
  });

  test.each([
    ["ReplicaSetUpdated", 60, "ReplicaSetUpdated"],
    ["ReplicaSetUpdated", 61, "ProgressDeadlineExceeded"],
    ["NewReplicaSetAvailable", 999, "NewReplicaSetAvailable"],
    ["ProgressDeadlineExceeded", 1, "ProgressDeadlineExceeded"],
  ])("with the reason %s for %i s gets the reason %s", (before, seconds, after) => {
    expect(progress(same, {}, [since(seconds, before)])[1]).toBe(after);
    expect(progress(same, {}, [since(seconds, before)], 1)[1]).toBe(after);
  });

  test("does not exceed the deadline when the update time is unknown", () => {
    const { lastUpdateTime: _, ...timeless } = since(999, "ReplicaSetUpdated");
    expect(progress(same, {}, [timeless])[1]).toBe("ReplicaSetUpdated");
    expect(progress(same, {}, [])).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("has no condition without a deadline", () => {
    const none = { replicas: 4, progressDeadlineSeconds: 2147483647 };
    expect(progress({}, {}, [since(1, "ReplicaSetUpdated")], 0, none)[1]).toBeUndefined();
  });

  test("is not updated for Pods that restart after a rollout", () => {
    const present = [since(30, "NewReplicaSetAvailable")];
    expect(progress({ replicas: 1, updatedReplicas: 1 }, {}, present)[2]).toBe(ago(30));
    expect(progress({ replicas: 1, updatedReplicas: 1 }, {}, present, 1)[1]).toBe("ReplicaSetUpdated");
  });

  test("names the Deployment when no ReplicaSet has its template", () => {
    const deployment = aDeployment({ ...deadline, replicas: 0 });
    const status = rolloutStatus(deployment, { current: undefined, old: [] }, [], now);
    expect(conditionIn(status, "Progressing")?.message).toBe('Deployment "web" has successfully progressed.');
  });

  test("is looked at again a second after the deadline", () => {
    const check = (conditions: object[], spec: object = deadline, status: object = {}) => {
      const deployment = aDeployment(spec, {}, { conditions, ...status });
      return progressCheckMs(deployment, deployment.status, now);
    };
    expect(check([since(20, "ReplicaSetUpdated")])).toBe(41_000);
    expect(check([since(99, "ReplicaSetUpdated")])).toBe(1000);
    expect(check([since(20, "ProgressDeadlineExceeded")])).toBeUndefined();
    expect(check([])).toBeUndefined();
    expect(
      check([since(20, "ReplicaSetUpdated")], { replicas: 4, progressDeadlineSeconds: 2147483647 }),
    ).toBeUndefined();
    const complete = { replicas: 4, updatedReplicas: 4, availableReplicas: 4, observedGeneration: 1 };
    expect(check([since(20, "ReplicaSetUpdated")], deadline, complete)).toBeUndefined();
  });
});

describe("the failure of a ReplicaSet", () => {
  const failed = (message: string, name: string) =>
    set(
      1,
      {
        conditions: [
          { type: "Other", status: "True" },
          { type: "ReplicaFailure", status: "True", reason: name, message, lastTransitionTime: ago(9) },
        ],
      },
      name,
    );
  const failure = (current: ReturnType<typeof set> | undefined, ...old: readonly ReturnType<typeof set>[]) =>
    conditionIn(rolloutStatus(aDeployment(), { current, old }, [], now), "ReplicaFailure");

  test("is the Deployment's, that of the present one first", () => {
    expect(failure(failed("new", "b"), failed("old", "a"))).toEqual({
      type: "ReplicaFailure",
      status: "True",
      reason: "b",
      message: "new",
      lastUpdateTime: ago(9),
      lastTransitionTime: ago(9),
    });
    expect(failure(set(1), failed("old", "a"))?.message).toBe("old");
    expect(failure(undefined, failed("old", "a"))?.message).toBe("old");
  });

  test("is none where none has failed", () => {
    expect(failure(set(1))).toBeUndefined();
  });
});
