import { describe, expect, test } from "vitest";
import { change, create, load, type Manifest, registrationOf, update } from "../../pipeline.suite.ts";
import type { Pod } from "./schema.ts";
import { aggregate, toResourceList } from "./resources.ts";

const pod: Manifest = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "nginx" }] },
};
const asPod = (object: object) => object as Pod;
const { strategy } = registrationOf("v1", "Pod");

describe("a new Pod", () => {
  test("is Pending, whatever status the client sets", () => {
    const { status } = asPod(create({ ...pod, status: { phase: "Running", podIP: "1.2.3.4" } }).object);
    expect(status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  test("has a condition about its scheduling gates", () => {
    const gated = asPod(create(change(pod, "spec.schedulingGates", [{ name: "example.com/a" }])).object);
    expect(gated.status.conditions).toEqual([
      {
        type: "PodScheduled",
        status: "False",
        reason: "SchedulingGated",
        message: "Scheduling is blocked due to non-empty scheduling gates",
      },
    ]);
  });

  test("gets its label values in selectors with matchLabelKeys", () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: {},
      matchLabelKeys: ["app", "other"],
    };
    const { object, errors } = create(change(pod, "spec.topologySpreadConstraints", [constraint]));
    expect(errors).toEqual([]);
    expect(asPod(object).spec.topologySpreadConstraints?.[0]?.labelSelector).toEqual({
      matchExpressions: [{ key: "app", operator: "In", values: ["web"] }],
    });
  });

  test.each([
    [{}, "BestEffort"],
    [{ requests: { cpu: "1" } }, "Burstable"],
    [{ limits: { cpu: "1" } }, "Burstable"],
    [{ limits: { cpu: "1", memory: "1Gi" } }, "Guaranteed"],
    [{ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "500m" } }, "Burstable"],
    [{ limits: { "example.com/gpu": "1" } }, "BestEffort"],
  ])("with resources %j is %s", (resources, qosClass) => {
    const { status } = asPod(create(change(pod, "spec.containers.0.resources", resources)).object);
    expect(status.qosClass).toBe(qosClass);
  });

  test("gets a warning if its name is not a valid host name", () => {
    const object = load(change(pod, "metadata.name", "a.b"));
    expect(strategy.warnings?.(object as Pod, undefined)).toEqual([
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ]);
  });
});

test("a status update without QoS class or observed generation keeps both", () => {
  const before = { ...pod };
  const { object } = update(before, { ...pod, status: { phase: "Running" } }, "status");
  expect(asPod(object).status).toEqual({ phase: "Running", qosClass: "BestEffort" });
});

test.each([
  [{ nodeName: "n" }, {}, undefined, 30],
  [{ nodeName: "n", terminationGracePeriodSeconds: 5 }, {}, undefined, 5],
  [{ nodeName: "n" }, {}, 60, 60],
  [{ nodeName: "n" }, {}, 0, 0],
  [{ nodeName: "n" }, {}, -1, 1],
  [{}, {}, undefined, 0],
  [{ nodeName: "n" }, { phase: "Succeeded" }, 60, 0],
])(
  "a Pod %j with status %j and a requested grace period of %s gets %i",
  (spec, status, requested, expected) => {
    const object = load({ ...pod, spec: { containers: [], ...spec }, status });
    expect(strategy.deleteGracePeriod?.(object as Pod, requested)).toBe(expected);
  },
);

test("resources: init containers run one at a time, sidecars run all the time", () => {
  const cpu = (name: string, amount: string, more: object = {}) => ({
    name,
    image: "x",
    resources: { requests: { cpu: amount } },
    ...more,
  });
  const needs = (spec: object) => {
    const { spec: decoded } = load({ ...pod, spec }) as unknown as Pod;
    return toResourceList(aggregate(decoded, ({ resources }) => resources.requests));
  };
  const containers = [cpu("a", "1"), cpu("b", "1")];
  const sidecar = cpu("s", "500m", { restartPolicy: "Always" });
  expect(needs({ containers })).toEqual({ cpu: "2" });
  expect(needs({ containers, initContainers: [cpu("i", "3"), cpu("j", "1")] })).toEqual({ cpu: "3" });
  expect(needs({ containers, initContainers: [sidecar, cpu("i", "3")] })).toEqual({ cpu: "3500m" });
  expect(needs({ containers, initContainers: [cpu("i", "2"), sidecar] })).toEqual({ cpu: "2500m" });
});
