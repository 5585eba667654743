import { describe, expect, test } from "vitest";
import { change, create, type Manifest, update } from "../pipeline.suite.ts";

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "nginx" }] },
};
const selector = { matchLabels: { app: "web" } };

function workload(kind: string, more: object = {}): Manifest {
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "web", namespace: "default" },
    spec: { selector, template, ...more },
  };
}

const deployment = workload("Deployment");
const statefulSet = workload("StatefulSet", { serviceName: "web" });
const daemonSet = workload("DaemonSet");
const replicaSet = workload("ReplicaSet");

type Case = readonly [
  what: string,
  before: Manifest,
  path: string,
  value: unknown,
  ...errors: readonly string[],
];

const mismatch =
  'spec.template.metadata.labels: Invalid value: {"app":"other"}: `selector` does not match template `labels`';

const cases: readonly Case[] = [
  [
    "a Deployment's replicas",
    deployment,
    "spec.replicas",
    -1,
    "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
  ],
  [
    "a Deployment's selector",
    deployment,
    "spec.selector",
    undefined,
    "spec.selector: Required value",
    'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
  ],
  [
    "an empty selector",
    deployment,
    "spec.selector",
    {},
    "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
  ],
  ["other labels", deployment, "spec.template.metadata.labels", { app: "other" }, mismatch],
  ["other labels of a ReplicaSet", replicaSet, "spec.template.metadata.labels", { app: "other" }, mismatch],
  [
    "a Pod that ends",
    deployment,
    "spec.template.spec.restartPolicy",
    "Never",
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  [
    "a Pod with a deadline",
    daemonSet,
    "spec.template.spec.activeDeadlineSeconds",
    5,
    "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
  ],
  [
    "a Pod without containers",
    replicaSet,
    "spec.template.spec.containers",
    [],
    "spec.template.spec.containers: Required value",
  ],
  [
    "a pace when there is none",
    deployment,
    "spec.strategy",
    { type: "Recreate", rollingUpdate: {} },
    "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
  ],
  [
    "no pace at all",
    deployment,
    "spec.strategy",
    { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } },
    'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0',
  ],
  [
    "more than all Pods",
    deployment,
    "spec.strategy",
    { rollingUpdate: { maxUnavailable: "101%" } },
    'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
  ],
  [
    "a deadline before Pods count",
    deployment,
    "spec.minReadySeconds",
    600,
    "spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds",
  ],
  [
    "a StatefulSet's order",
    statefulSet,
    "spec.podManagementPolicy",
    "Random",
    "spec.podManagementPolicy: Invalid value: \"Random\": must be 'OrderedReady' or 'Parallel'",
  ],
  [
    "a pace on delete",
    statefulSet,
    "spec.updateStrategy",
    { type: "OnDelete", rollingUpdate: {} },
    "spec.updateStrategy.rollingUpdate: Invalid value: {}: only allowed for updateStrategy 'RollingUpdate'",
  ],
  [
    "a service that is no label",
    statefulSet,
    "spec.serviceName",
    "a.b",
    'spec.serviceName: Invalid value: "a.b": must not contain dots',
  ],
  [
    "a claim without a size",
    statefulSet,
    "spec.volumeClaimTemplates",
    [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }],
    "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
  ],
  [
    "two Pods on a node and none",
    daemonSet,
    "spec.updateStrategy",
    { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
    "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero",
  ],
];

describe("new workloads", () => {
  test.each([deployment, replicaSet, statefulSet, daemonSet])("a minimal $kind is valid", (plain) => {
    expect(create(plain).errors).toEqual([]);
  });

  for (const [what, before, path, value, ...errors] of cases) {
    test(`${what} is refused`, () => expect(create(change(before, path, value)).errors).toEqual(errors));
  }

  test("the claim templates of a StatefulSet are volumes of its Pods", () => {
    const claim = {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    const mounted = change(statefulSet, "spec.template.spec.containers.0.volumeMounts", [
      { name: "data", mountPath: "/data" },
    ]);
    expect(create(mounted).errors).toEqual([
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
    ]);
    expect(create(change(mounted, "spec.volumeClaimTemplates", [claim])).errors).toEqual([]);
  });
});

describe("updates of workloads", () => {
  test.each([deployment, replicaSet, daemonSet])("the selector of a $kind is immutable", (before) => {
    const wider = change(before, "spec.selector", { matchExpressions: [{ key: "app", operator: "Exists" }] });
    expect(update(before, wider).errors).toEqual([
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable',
    ]);
  });

  test("the Service of a StatefulSet is immutable, its size is not", () => {
    expect(update(statefulSet, change(statefulSet, "spec.replicas", 3)).errors).toEqual([]);
    expect(update(statefulSet, change(statefulSet, "spec.serviceName", "other")).errors).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });

  test("a Deployment cannot have more ready Pods than Pods", () => {
    const status = { replicas: 1, readyReplicas: 2, availableReplicas: 1 };
    expect(update(deployment, { ...deployment, status }, "status").errors).toEqual([
      "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
    ]);
  });

  test("a DaemonSet counts the changes of its template", () => {
    const generation = (manifest: Manifest) =>
      update(daemonSet, manifest).object.metadata.annotations?.["deprecated.daemonset.template.generation"];
    expect(generation(daemonSet)).toBe("1");
    expect(generation(change(daemonSet, "spec.template.spec.containers.0.image", "nginx:2"))).toBe("2");
  });

  test("a change of a Deployment's annotations increases the generation", () => {
    const annotated = change(deployment, "metadata.annotations", { a: "b" });
    expect(update(deployment, annotated).object.metadata.generation).toBe(1);
    expect(update(annotated, annotated).object.metadata.generation).toBeUndefined();
  });
});
