import { describe, expect, test } from "vitest";
import type { ReplicaSet } from "../../api/apps/replica-set/schema.ts";
import { aDeployment, aReplicaSet, template } from "../builders.suite.ts";
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
