import { describe, expect, test } from "vitest";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { aDeployment, aPod, aReplicaSet, template } from "../builders.suite.ts";
import { resized, revisionAnnotation, withRevision } from "./annotations.ts";
import { planDeployment } from "./plan.ts";
import { image, RolloutSimulation } from "./rollout-simulation.suite.ts";
import { replicaSetName, sameTemplate, templateHash } from "./template-hash.ts";
import { findCondition } from "../../meta/conditions.ts";

const progress = ({ deployment }: RolloutSimulation) => {
  const {
    status = "",
    reason = "",
    message = "",
  } = findCondition(deployment.status.conditions ?? [], "Progressing") ?? {};
  return [status, reason, message];
};
const roll = (simulation: RolloutSimulation, version: number) =>
  simulation.change({ template: { ...simulation.deployment.spec.template, ...image(version) } as never });
const names = (simulation: RolloutSimulation) =>
  [...simulation.sets.values()].map(({ metadata }) => metadata.name ?? "");
const annotationsOf = (one: ReplicaSet | undefined, name: string) =>
  one?.metadata.annotations?.[`deployment.kubernetes.io/${name}`];

describe("a template's hash", () => {
  const { template: decoded } = aDeployment().spec;
  test("does not depend on the order of keys, and changes with a collision", () => {
    const turned = { spec: decoded.spec, metadata: decoded.metadata };
    expect(templateHash(turned, undefined)).toBe(templateHash(decoded, undefined));
    expect(templateHash(decoded, 1)).not.toBe(templateHash(decoded, undefined));
    expect(templateHash(decoded, undefined)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  });
  test("fits into a name with the longest Deployment's", () => {
    expect(replicaSetName("a".repeat(253), "12345").length).toBe(253);
  });
  test("is no part of the template", () => {
    const labels = { ...decoded.metadata.labels, "pod-template-hash": "x" };
    expect(sameTemplate(decoded, { ...decoded, metadata: { ...decoded.metadata, labels } })).toBe(true);
    expect(sameTemplate(decoded, aDeployment({ template: image(2) }).spec.template)).toBe(false);
  });
});

test("a rollout reports its progress: created, progressing, available", () => {
  const simulation = new RolloutSimulation({ replicas: 2 });
  simulation.reconcile();
  const [name = ""] = names(simulation);
  expect(progress(simulation)).toEqual(["True", "NewReplicaSetCreated", `Created new replica set "${name}"`]);
  simulation.syncSet(0);
  simulation.reconcile();
  expect(progress(simulation)).toEqual(["True", "ReplicaSetUpdated", `ReplicaSet "${name}" is progressing.`]);
  const available = () => findCondition(simulation.deployment.status.conditions ?? [], "Available");
  expect(available()).toMatchObject({ status: "False", reason: "MinimumReplicasUnavailable" });
  simulation.settle();
  expect(progress(simulation)).toEqual([
    "True",
    "NewReplicaSetAvailable",
    `ReplicaSet "${name}" has successfully progressed.`,
  ]);
  expect(available()).toMatchObject({ status: "True", reason: "MinimumReplicasAvailable" });
  expect(simulation.deployment.status).toMatchObject({
    observedGeneration: 1,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
  });
});

test("a rollout without progress fails after its deadline, to the second, and recovers with progress", () => {
  const simulation = new RolloutSimulation({ replicas: 1, progressDeadlineSeconds: 60 });
  simulation.reconcile();
  simulation.syncSet(0);
  simulation.reconcile();
  const at = (seconds: number) => {
    const { deployment, sets } = simulation;
    return planDeployment({
      deployment,
      replicaSets: [...sets.values()],
      podsOf: () => [],
      now: simulation.now + seconds * 1000,
    });
  };
  expect([at(59).write, at(60).write, at(20).checkAfterMs]).toEqual([undefined, undefined, 41_000]);
  simulation.now += 60_000;
  simulation.reconcile();
  const [name] = names(simulation);
  expect(progress(simulation)).toEqual([
    "False",
    "ProgressDeadlineExceeded",
    `ReplicaSet "${name}" has timed out progressing.`,
  ]);
  expect(at(1).checkAfterMs).toBeUndefined();
  simulation.settle();
  expect(progress(simulation)[1]).toBe("NewReplicaSetAvailable");
});

test("a paused Deployment is scaled but not rolled out, and its deadline does not run", () => {
  const simulation = new RolloutSimulation({ replicas: 2 });
  simulation.settle();
  simulation.change({ paused: true });
  roll(simulation, 2);
  simulation.change({ replicas: 5 });
  simulation.settle();
  expect(names(simulation).length).toBe(1);
  expect(simulation.available).toBe(5);
  expect(progress(simulation)).toEqual(["Unknown", "DeploymentPaused", "Deployment is paused"]);
  simulation.change({ paused: false });
  simulation.settle();
  expect(names(simulation).length).toBe(2);
  expect(simulation.available).toBe(5);
});

test("resuming a Deployment restarts its deadline", () => {
  const simulation = new RolloutSimulation({ replicas: 1, progressDeadlineSeconds: 60 });
  simulation.reconcile();
  simulation.change({ paused: true });
  simulation.reconcile();
  simulation.now += 3_600_000;
  simulation.change({ paused: false });
  simulation.reconcile();
  expect(progress(simulation)).toEqual(["Unknown", "DeploymentResumed", "Deployment is resumed"]);
  simulation.now += 60_000;
  simulation.reconcile();
  expect(progress(simulation)[1]).toBe("ProgressDeadlineExceeded");
});

test("revisions increase; a rollback reuses the old ReplicaSet and keeps its history", () => {
  const simulation = new RolloutSimulation({ replicas: 1 });
  for (const version of [1, 2, 1, 2]) {
    roll(simulation, version);
    simulation.settle();
  }
  const [first, second] = [...simulation.sets.values()];
  expect(simulation.sets.size).toBe(2);
  expect([annotationsOf(first, "revision"), annotationsOf(first, "revision-history")]).toEqual(["3", "1"]);
  expect([annotationsOf(second, "revision"), annotationsOf(second, "revision-history")]).toEqual(["4", "2"]);
  expect(simulation.deployment.metadata.annotations?.[revisionAnnotation]).toBe("4");
});

test.each([
  ["7", "8"],
  ["3546343826724305832", "3546343826724305833"],
  ["9223372036854775808", "1"],
  ["7th", "1"],
])("what comes after revision %s is %s", (revision, next) => {
  const old = aReplicaSet({}, { uid: "old", annotations: { [revisionAnnotation]: revision } });
  expect(annotationsOf(withRevision(aReplicaSet(), aDeployment(), [old]), "revision")).toBe(next);
});

test("history is cut from its old end", () => {
  const long = Array.from({ length: 500 }, (_, i) => String(1000 + i)).join();
  const before = aReplicaSet(
    {},
    { annotations: { [revisionAnnotation]: "7", "deployment.kubernetes.io/revision-history": long } },
  );
  const newest = aReplicaSet({}, { uid: "other", annotations: { [revisionAnnotation]: "8" } });
  const history = annotationsOf(withRevision(before, aDeployment(), [newest]), "revision-history") ?? "";
  expect(history.length).toBeLessThanOrEqual(2000);
  expect(history.endsWith(",1499,7")).toBe(true);
});

test("old ReplicaSets beyond the history limit are deleted once the rollout is complete, the oldest first", () => {
  const simulation = new RolloutSimulation({ replicas: 1, revisionHistoryLimit: 2 });
  for (const version of [1, 2, 3, 4, 5]) {
    roll(simulation, version);
    simulation.settle();
  }
  expect([...simulation.sets.values()].map((one) => annotationsOf(one, "revision"))).toEqual(["3", "4", "5"]);
});

test("annotations of the Deployment are copied to its ReplicaSets, except those that are its own", () => {
  const annotations = { note: "x", "kubectl.kubernetes.io/last-applied-configuration": "{}" };
  const { actions } = planDeployment({
    deployment: aDeployment({ replicas: 4 }, { annotations }),
    replicaSets: [],
    podsOf: () => [],
    now: 0,
  });
  expect(actions).toMatchObject([
    {
      type: "create",
      replicaSet: {
        metadata: {
          annotations: {
            note: "x",
            "deployment.kubernetes.io/revision": "1",
            "deployment.kubernetes.io/desired-replicas": "4",
            "deployment.kubernetes.io/max-replicas": "5",
          },
          ownerReferences: [{ kind: "Deployment", name: "web", controller: true }],
        },
        spec: {
          replicas: 4,
          selector: { matchLabels: { app: "web", "pod-template-hash": expect.any(String) } },
        },
      },
    },
  ]);
});

test("a ReplicaSet's failure shows in the Deployment until it is resolved", () => {
  const conditions = [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "quota" }];
  const replicaSet = aReplicaSet({ template }, {}, { replicas: 0, conditions });
  const plan = (one: ReplicaSet, deployment = aDeployment()) =>
    planDeployment({ deployment, replicaSets: [one], podsOf: () => [], now: 0 }).write;
  const failed = plan(replicaSet);
  expect(findCondition(failed?.status.conditions ?? [], "ReplicaFailure")).toMatchObject({
    message: "quota",
  });
  const after = plan({ ...replicaSet, status: { replicas: 0 } }, failed);
  expect(findCondition(after?.status.conditions ?? [], "ReplicaFailure")).toBeUndefined();
});

test("a Deployment that is being deleted changes nothing but its status", () => {
  const deployment = aDeployment({ replicas: 5 }, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  const replicaSets = [resized(aReplicaSet({ replicas: 1 }), 2, deployment)];
  const { actions, write } = planDeployment({ deployment, replicaSets, podsOf: () => [], now: 0 });
  expect(actions).toEqual([]);
  expect(write?.status.unavailableReplicas).toBe(2);
});

const planOf = (deployment: ReturnType<typeof aDeployment>, replicaSets: readonly ReplicaSet[]) =>
  planDeployment({ deployment, replicaSets, podsOf: () => [], now: 0 });

describe("a present ReplicaSet", () => {
  const deployment = (spec: object = {}) => aDeployment({ replicas: 0, ...spec });
  const present = (spec: object = {}) =>
    resized(
      aReplicaSet({ replicas: 1, template, ...spec }, { annotations: { [revisionAnnotation]: "1" } }),
      0,
      deployment(),
    );
  const updates = (to: object, from: object = {}) =>
    planOf(deployment(to), [present(from)]).actions.map((action) => [
      action.type,
      action.replicaSet.spec.minReadySeconds,
    ]);

  test.each([
    [{ minReadySeconds: 9 }, {}, [["update", 9]]],
    [{}, { minReadySeconds: 9 }, [["update", 0]]],
    [{ minReadySeconds: 9 }, { minReadySeconds: 9 }, []],
    [{ minReadySeconds: 0 }, {}, []],
  ])("of a Deployment with %j follows it from %j", (to, from, expected) => {
    expect(updates(to, from)).toEqual(expected);
  });

  test("has the reason FoundNewReplicaSet when there is no Progressing condition", () => {
    const reason = (spec: object, conditions: readonly object[] = []) => {
      const one = aDeployment({ replicas: 1, ...spec }, {}, { conditions });
      const { write } = planOf(one, [aReplicaSet({ replicas: 1, template }, {}, { replicas: 0 })]);
      const { reason, status, message } = findCondition(write?.status.conditions ?? [], "Progressing") ?? {};
      return [reason, status, message];
    };
    expect(reason({})).toEqual(["FoundNewReplicaSet", "True", 'Found new replica set "web"']);
    expect(reason({ progressDeadlineSeconds: 2147483647 })).toEqual([undefined, undefined, undefined]);
    const created = {
      type: "Progressing",
      status: "True",
      reason: "NewReplicaSetCreated",
      message: "m",
      lastUpdateTime: "2026-01-01T00:00:00Z",
    };
    expect(reason({}, [created])).toEqual(["NewReplicaSetCreated", "True", "m"]);
  });

  test("has the reason NewReplicaSetCreated when there is a deadline", () => {
    const reason = (spec: object) =>
      findCondition(planOf(aDeployment(spec), []).write?.status.conditions ?? [], "Progressing")?.reason;
    expect(reason({})).toBe("NewReplicaSetCreated");
    expect(reason({ progressDeadlineSeconds: 2147483647 })).toBeUndefined();
  });

  test("is made whole", () => {
    const [action] = planOf(aDeployment({ replicas: 0, minReadySeconds: 5 }), []).actions;
    expect(action?.replicaSet).toMatchObject({
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { namespace: "default", labels: { app: "web", "pod-template-hash": expect.any(String) } },
      spec: {
        replicas: 0,
        minReadySeconds: 5,
        template: { metadata: { labels: { "pod-template-hash": expect.any(String) } } },
      },
      status: { replicas: 0 },
    });
    expect(action?.replicaSet.metadata.name).toMatch(/^web-[a-z0-9]+$/);
  });
});

describe("old ReplicaSets beyond the history limit", () => {
  const old = (
    revision: number,
    more: object = {},
    status: object = { replicas: 0, observedGeneration: 1 },
    spec: object = { replicas: 0 },
  ) =>
    aReplicaSet(
      { template: image(revision), ...spec },
      {
        name: `web-${revision}`,
        uid: `u${revision}`,
        annotations: { [revisionAnnotation]: `${revision}` },
        ...more,
      },
      status,
    );
  const complete = { observedGeneration: 1 };
  const deletions = (all: readonly ReplicaSet[], limit: number | undefined = 0, spec: object = {}) => {
    const present = { replicas: 0, template: image(99) };
    const deployment = aDeployment({ ...present, revisionHistoryLimit: limit, ...spec }, {}, complete);
    const { actions } = planOf(deployment, all);
    return actions.filter(({ type }) => type === "delete").map(({ replicaSet }) => replicaSet.metadata.name);
  };

  test("are those of the lowest revisions", () => {
    expect(deletions([old(10), old(9), old(11)], 1, { paused: true })).toEqual(["web-9", "web-10"]);
  });
  test("are kept while they have Pods, should have some, or were not looked at", () => {
    expect(deletions([old(1, {}, { replicas: 1, observedGeneration: 1 })], 0, { paused: true })).toEqual([]);
    expect(
      deletions([old(1, { generation: 2 }, { replicas: 0, observedGeneration: 1 })], 0, { paused: true }),
    ).toEqual([]);
    expect(
      deletions([old(1, { generation: 2 }, { replicas: 0, observedGeneration: 2 })], 0, { paused: true }),
    ).toEqual(["web-1"]);
  });
  test("are counted without those that are being deleted", () => {
    const ending = old(1, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect(deletions([ending, old(2), old(3)], 1, { paused: true })).toEqual(["web-2"]);
  });
  // Upstream's cases by value: `TestDeploymentController_cleanupDeployment`, by the desired and present Pods.
  test.each<readonly [number, readonly (readonly [number, number])[], number]>([
    [
      1,
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
      2,
    ],
    [
      0,
      [
        [0, 0],
        [0, 1],
        [1, 0],
        [1, 1],
      ],
      1,
    ],
    [
      0,
      [
        [0, 0],
        [0, 0],
      ],
      2,
    ],
    [
      0,
      [
        [1, 1],
        [1, 1],
      ],
      0,
    ],
    [
      2 ** 31 - 1,
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
      0,
    ],
  ])("to a limit of %i, of %j, are %i", (limit, sizes, expected) => {
    const all = sizes.map(([replicas, present], i) =>
      old(i + 1, {}, { replicas: present, observedGeneration: 1 }, { replicas }),
    );
    expect(deletions(all, limit, { paused: true })).toHaveLength(expected);
  });

  // Upstream's cases by value: `TestDeploymentController_cleanupDeploymentOrder`, by revision and size, the oldest first.
  test.each<readonly [number, readonly (readonly [string, number?])[], readonly string[]]>([
    [1, [["1"], ["2"]], ["foo-1"]],
    [1, [["2"], ["1"]], ["foo-2"]],
    [1, [["1"], [""]], ["foo-2"]],
    [1, [[""], ["2"]], ["foo-1"]],
    [1, [["1", 1], ["2"], ["3"]], ["foo-2"]],
    [1, [["1", 1], ["2", 1], ["3"]], []],
    [2, [["3"], ["1"], ["4"], ["2"]], ["foo-2", "foo-4"]],
  ])("to a limit of %i, of %j, are %j", (limit, all, expected) => {
    const aged = all.map(([revision, replicas = 0], i) =>
      old(
        i + 1,
        {
          name: `foo-${i + 1}`,
          creationTimestamp: `2026-01-01T00:0${i}:00Z`,
          annotations: revision === "" ? {} : { [revisionAnnotation]: revision },
        },
        { replicas, observedGeneration: 1 },
        { replicas },
      ),
    );
    expect(deletions(aged, limit, { paused: true })).toEqual(expected);
  });

  test("of one revision go by age, then by name", () => {
    const aged = (name: string, creationTimestamp: string) => old(1, { name, uid: name, creationTimestamp });
    const [older, newer, twin] = [
      aged("z", "2026-01-01T00:00:00Z"),
      aged("a", "2026-01-02T00:00:00Z"),
      aged("b", "2026-01-02T00:00:00Z"),
    ];
    expect(deletions([twin, newer, older], 1, { paused: true })).toEqual(["z", "a"]);
    expect(deletions([newer, older, twin], 2, { paused: true })).toEqual(["z"]);
  });
});

describe("a Deployment that recreates", () => {
  const recreating = aDeployment({
    replicas: 1,
    strategy: { type: "Recreate" },
    template: image(2) as never,
  });
  const old = (replicas: number) =>
    aReplicaSet({ replicas: 0, template }, { name: "web-1", uid: "u1" }, { replicas });
  const creates = (observed: number, ...phases: readonly string[]) => {
    const podsOf = () => phases.map((phase) => aPod("p", { status: { phase } }));
    const { actions } = planDeployment({
      deployment: recreating,
      replicaSets: [old(observed)],
      podsOf,
      now: 0,
    });
    return actions.some(({ type }) => type === "create");
  };

  test.each([
    ["while the old ReplicaSet counts Pods", false, 1, []],
    ["while an old Pod runs that the ReplicaSet counts no longer", false, 0, ["Running"]],
    ["once old Pods have ended", true, 0, ["Succeeded", "Failed"]],
    ["once none is left", true, 0, []],
    ["while an old Pod is of an unknown phase", false, 0, ["Unknown"]],
    ["while an old Pod is pending", false, 0, ["Pending"]],
    ["while one of the old Pods is pending", false, 0, ["Failed", "Succeeded", "Pending"]],
  ] as const)("makes a new ReplicaSet %s: %s", (_, expected, observed, phases) => {
    expect(creates(observed, ...phases)).toBe(expected);
  });
});

test("a Deployment's status and revision are written together, and not when they read so already", () => {
  const made = planOf(aDeployment({ replicas: 0 }), []);
  const [action] = made.actions;
  expect(made.write?.metadata.annotations?.[revisionAnnotation]).toBe("1");
  const current = { ...action!.replicaSet, metadata: { ...action!.replicaSet.metadata, uid: "u" } };
  const settled = made.write!;
  expect(planOf(settled, [current]).write).toBeUndefined();
  const { metadata, ...rest } = settled;
  expect(
    planOf({ ...rest, metadata: { ...metadata, annotations: {} } }, [current]).write?.metadata.annotations,
  ).toEqual({
    [revisionAnnotation]: "1",
  });
});
