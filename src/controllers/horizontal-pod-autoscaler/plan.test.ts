import { describe, expect, test } from "vitest";
import { horizontalPodAutoscalers } from "../../api/autoscaling/horizontal-pod-autoscaler/schema.ts";
import { scales } from "../../api/autoscaling/scale/schema.ts";
import { findCondition } from "../../meta/conditions.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start as now } from "../builders.suite.ts";
import type { Reading } from "./evaluate.ts";
import { firstMemory, type Memory } from "./memory.ts";
import { afterRefusal, afterRescale, withoutScale } from "./outcome.ts";
import { type Measured, type Plan, planAutoscaler } from "./plan.ts";

const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const metric = { name: "qps", selector: { matchLabels: { app: "web", a: "b" } } };
const describedObject = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" };
const value = { type: "Value", value: "10" };
const average = { type: "AverageValue", averageValue: "10" };

const anAutoscaler = (spec: object = {}, status: object = {}) =>
  build(horizontalPodAutoscalers, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 10,
      metrics: [cpu(50)],
      ...spec,
    },
    status,
  });
const aScale = (replicas: number, present = replicas) =>
  build(scales, {
    metadata: { name: "web" },
    spec: { replicas },
    status: { replicas: present, selector: "a=b" },
  });

const somePods = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    aPod(`pod-${i}`, {
      spec: {
        containers: [{ name: "web", image: "web:1", resources: { requests: { cpu: "1", memory: "1Gi" } } }],
      },
      status: {
        phase: "Running",
        startTime: formatTime(0),
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(0) }],
      },
    }),
  );

/** The same usage of every Pod, in thousandths. */
const usage = (each: number, count: number): Reading => ({
  pods: new Map(
    somePods(count).map(({ metadata }) => [
      metadata.name ?? "",
      { value: each, timestamp: now, windowMs: 60_000 },
    ]),
  ),
});

interface Given {
  readonly spec?: object;
  readonly status?: object;
  readonly replicas?: number;
  readonly readings?: readonly Reading[];
  readonly measured?: Measured;
  readonly memory?: Memory;
}

function plan({ spec, status, replicas = 3, readings = [], measured, memory }: Given): Plan {
  return planAutoscaler({
    hpa: anAutoscaler(spec, status),
    scale: aScale(replicas),
    measured: measured ?? { pods: somePods(replicas), readings },
    memory: memory ?? firstMemory(replicas, now - 600_000),
    now,
  });
}

const conditionOf = ({ status }: Pick<Plan, "status">, type: string) => {
  const { status: state, reason, message } = findCondition(status.conditions, type) ?? {};
  return [state, reason, message];
};

describe("the bounds decide without metrics", () => {
  test.each<[number, object, number, string]>([
    [12, {}, 10, "Current number of replicas above Spec.MaxReplicas"],
    [1, { minReplicas: 2 }, 2, "Current number of replicas below Spec.MinReplicas"],
  ])("about %i replicas with %j", (replicas, spec, to, reason) => {
    const { rescale, status, events } = plan({ replicas, spec });
    expect(rescale).toEqual({ from: replicas, to, reason });
    expect(status.currentMetrics).toEqual([]);
    expect(events).toEqual([]);
  });

  test("not about a target with 0 replicas: its scaling is disabled", () => {
    const planned = plan({ replicas: 0, spec: { minReplicas: 2 } });
    expect(planned.rescale).toBeUndefined();
    expect(planned.status).toMatchObject({ currentReplicas: 0, desiredReplicas: 0 });
    expect(conditionOf(planned, "ScalingActive")).toEqual([
      "False",
      "ScalingDisabled",
      "scaling is disabled since the replica count of the target is zero",
    ]);
  });
});

describe("the metrics decide", () => {
  test("up, and the status shows their values", () => {
    const planned = plan({ readings: [usage(800, 3)] });
    expect(planned.rescale).toEqual({
      from: 3,
      to: 5,
      reason: "cpu resource utilization (percentage of request) above target",
    });
    expect(planned.status).toMatchObject({
      currentReplicas: 3,
      desiredReplicas: 3,
      currentMetrics: [
        {
          type: "Resource",
          resource: { name: "cpu", current: { averageValue: "800m", averageUtilization: 80 } },
        },
      ],
    });
    expect(conditionOf(planned, "AbleToScale")).toEqual([
      "True",
      "ReadyForNewScale",
      "recommended size matches current size",
    ]);
    expect(conditionOf(planned, "ScalingActive")).toEqual([
      "True",
      "ValidMetricFound",
      "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
    ]);
    expect(conditionOf(planned, "ScalingLimited")).toEqual([
      "False",
      "DesiredWithinRange",
      "the desired count is within the acceptable range",
    ]);
    expect(planned.memory.recommendations.map(({ replicas }) => replicas)).toEqual([5]);
  });

  test("down, when all metrics are below their targets", () => {
    const { rescale } = plan({ readings: [usage(100, 3)] });
    expect(rescale).toEqual({ from: 3, to: 1, reason: "All metrics below target" });
  });

  test("nothing, when a higher recommendation is recent", () => {
    const planned = plan({ readings: [usage(100, 3)], memory: firstMemory(3, now - 60_000) });
    expect(planned.rescale).toBeUndefined();
    expect(conditionOf(planned, "AbleToScale")).toMatchObject(["True", "ScaleDownStabilized", {}]);
  });

  test("up to the limit of the speed", () => {
    const planned = plan({ replicas: 2, readings: [usage(5000, 2)], spec: { maxReplicas: 100 } });
    expect(planned.rescale).toMatchObject({ to: 4 });
    expect(conditionOf(planned, "ScalingLimited")).toMatchObject(["True", "ScaleUpLimit", {}]);
  });

  test("within the tolerance of the behavior", () => {
    const behavior = {
      scaleUp: { tolerance: "600m", policies: [{ type: "Pods", value: 9, periodSeconds: 15 }] },
      scaleDown: {},
    };
    const readings = [usage(800, 3)];
    expect(plan({ readings, spec: { behavior } }).rescale).toBeUndefined();
    const strict = { ...behavior, scaleUp: { ...behavior.scaleUp, tolerance: "590m" } };
    expect(plan({ readings, spec: { behavior: strict } }).rescale).toMatchObject({ to: 5 });
  });

  test("the highest proposal wins", () => {
    const metrics = [cpu(50), { type: "Pods", pods: { metric: { name: "qps" }, target: average } }];
    const planned = plan({ spec: { metrics }, readings: [usage(800, 3), usage(20_000, 3)] });
    expect(planned.rescale).toEqual({ from: 3, to: 6, reason: "pods metric qps above target" });
    expect(planned.status.currentMetrics).toHaveLength(2);
  });
});

const go =
  "&LabelSelector{MatchLabels:map[string]string{a: b,app: web,},MatchExpressions:[]LabelSelectorRequirement{},}";

describe("each source of metrics has its own status and name", () => {
  test.each<[object, Reading, number, object, string]>([
    [
      {
        type: "Resource",
        resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
      },
      usage(2 ** 31 * 1000, 3),
      6,
      { type: "Resource", resource: { name: "memory", current: { averageValue: "2Gi" } } },
      "memory resource",
    ],
    [
      {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: "web",
          target: { type: "Utilization", averageUtilization: 40 },
        },
      },
      usage(800, 3),
      6,
      {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: "web",
          current: { averageValue: "800m", averageUtilization: 80 },
        },
      },
      "cpu container resource utilization (percentage of request)",
    ],
    [
      { type: "Object", object: { metric, describedObject, target: value } },
      { values: [20_000] },
      6,
      { type: "Object", object: { metric, describedObject, current: { value: "20" } } },
      "Ingress metric qps",
    ],
    [
      { type: "Object", object: { metric, describedObject, target: average } },
      { values: [50_000] },
      5,
      { type: "Object", object: { metric, describedObject, current: { averageValue: "16667m" } } },
      `external metric qps(${go})`,
    ],
    [
      { type: "External", external: { metric, target: value } },
      { values: [15_000, 5_000] },
      6,
      { type: "External", external: { metric, current: { value: "20" } } },
      `external metric qps(${go})`,
    ],
    [
      { type: "External", external: { metric: { name: "qps" }, target: average } },
      { values: [45_000, 5_000] },
      5,
      { type: "External", external: { metric: { name: "qps" }, current: { averageValue: "16667m" } } },
      "external metric qps(nil)",
    ],
  ])("%j", (one, reading, to, shown, name) => {
    const { rescale, status } = plan({ spec: { metrics: [one] }, readings: [reading] });
    expect(rescale).toEqual({ from: 3, to, reason: `${name} above target` });
    expect(status.currentMetrics).toEqual([shown]);
  });
});

describe("a metric that fails", () => {
  const absent = { error: "unable to fetch metrics from resource metrics API: gone" };
  const message = `failed to get cpu utilization: unable to get metrics for resource cpu: ${absent.error}`;
  const total = (invalid: number, of: number) =>
    `invalid metrics (${invalid} invalid out of ${of}), first error is: failed to get cpu resource metric value: ${message}`;

  test("alone stops the scaling", () => {
    const planned = plan({ readings: [absent], status: { desiredReplicas: 7 } });
    expect(planned.rescale).toBeUndefined();
    expect(planned.events).toEqual([
      { type: "Warning", reason: "FailedGetResourceMetric", message },
      { type: "Warning", reason: "FailedComputeMetricsReplicas", message: total(1, 1) },
    ]);
    expect(planned.status).toMatchObject({
      currentReplicas: 3,
      desiredReplicas: 7,
      currentMetrics: [{ type: "" }],
    });
    expect(conditionOf(planned, "ScalingActive")).toEqual([
      "False",
      "FailedGetResourceMetric",
      `the HPA was unable to compute the replica count: ${message}`,
    ]);
  });

  const metrics = [cpu(50), { type: "Pods", pods: { metric: { name: "qps" }, target: average } }];

  test("does not stop another from scaling up", () => {
    const planned = plan({ spec: { metrics }, readings: [absent, usage(20_000, 3)] });
    expect(planned.rescale).toMatchObject({ to: 6 });
    expect(planned.events.map(({ reason }) => reason)).toEqual(["FailedGetResourceMetric"]);
    expect(planned.error).toBe(total(1, 2));
  });

  test("stops another from scaling down", () => {
    const planned = plan({ spec: { metrics }, readings: [absent, usage(1_000, 3)] });
    expect(planned.rescale).toBeUndefined();
    expect(planned.events.at(-1)).toMatchObject({ message: total(1, 2) });
    expect(planned.status.currentMetrics).toMatchObject([{ type: "" }, { type: "Pods" }]);
  });

  test.each<[object, string, string, string]>([
    [
      { type: "Pods", pods: { metric, target: average } },
      "FailedGetPodsMetric",
      "unable to get metric qps: gone",
      "failed to get pods metric value: unable to get metric qps: gone",
    ],
    [
      { type: "Object", object: { metric, describedObject, target: value } },
      "FailedGetObjectMetric",
      "unable to get metric qps: gone on Ingress default/main",
      "failed to get object metric value: unable to get metric qps: gone on Ingress default/main",
    ],
    [
      { type: "Object", object: { metric, describedObject, target: average } },
      "FailedGetObjectMetric",
      "unable to get metric qps: gone on Ingress default/main",
      "failed to get object metric value: failed to get qps object metric: unable to get metric qps: gone on Ingress default/main",
    ],
    [
      { type: "External", external: { metric, target: value } },
      "FailedGetExternalMetric",
      `unable to get external metric default/qps/${go}: gone`,
      `failed to get qps external metric value: failed to get external metric qps: unable to get external metric default/qps/${go}: gone`,
    ],
    [
      { type: "External", external: { metric, target: average } },
      "FailedGetExternalMetric",
      `unable to get external metric default/qps/${go}: gone`,
      `failed to get qps external metric value: failed to get qps external metric: unable to get external metric default/qps/${go}: gone`,
    ],
    [
      { type: "ContainerResource", containerResource: { name: "cpu", container: "web", target: average } },
      "FailedGetContainerResourceMetric",
      "failed to get cpu usage: unable to get metrics for resource cpu: gone",
      "failed to get web container metric value: failed to get cpu usage: unable to get metrics for resource cpu: gone",
    ],
  ])("%j says so", (one, reason, shown, error) => {
    const planned = plan({ spec: { metrics: [one] }, readings: [{ error: "gone" }] });
    expect(planned.events[0]).toEqual({ type: "Warning", reason, message: shown });
    expect(planned.error).toBe(`invalid metrics (1 invalid out of 1), first error is: ${error}`);
  });
});

test("a condition keeps its transition time while its status stays", () => {
  const old = { type: "ScalingActive", status: "True", lastTransitionTime: formatTime(0), reason: "x" };
  const status = { conditions: [old] };
  const [same] = plan({ status, readings: [usage(500, 3)] }).status.conditions ?? [];
  expect(same).toMatchObject({ reason: "ValidMetricFound", lastTransitionTime: old.lastTransitionTime });
  const [changed] = plan({ status, readings: [{ error: "gone" }] }).status.conditions ?? [];
  expect(changed).toMatchObject({ status: "False", lastTransitionTime: formatTime(now) });
});

describe("a rescale", () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 9, periodSeconds: 60 }] }, scaleDown: {} };
  const hpa = anAutoscaler({ behavior }, { desiredReplicas: 3 });
  const planned = plan({ spec: { behavior }, readings: [usage(800, 3)] });
  const rescale = planned.rescale ?? { from: 0, to: 0, reason: "" };

  test("that succeeds is in the status, the memory and an Event", () => {
    const done = afterRescale(planned, rescale, hpa, now);
    expect(done.status).toMatchObject({
      desiredReplicas: 5,
      currentReplicas: 3,
      lastScaleTime: formatTime(now),
    });
    expect(done.memory.ups).toEqual([{ by: 2, at: now }]);
    expect(done.event).toEqual({
      type: "Normal",
      reason: "SuccessfulRescale",
      message: "New size: 5; reason: cpu resource utilization (percentage of request) above target",
    });
    expect(conditionOf(done, "AbleToScale")).toEqual([
      "True",
      "SucceededRescale",
      "the HPA controller was able to update the target scale to 5",
    ]);
  });

  test("that fails is in the status and an Event", () => {
    const failed = afterRefusal(planned, rescale, hpa, "no", now);
    expect(failed.status).toMatchObject({ desiredReplicas: 3, currentReplicas: 3 });
    expect(failed.status.lastScaleTime).toBeUndefined();
    expect(failed.event.message).toBe(
      "New size: 5; reason: cpu resource utilization (percentage of request) above target; error: no",
    );
    expect(conditionOf(failed, "AbleToScale")).toEqual([
      "False",
      "FailedUpdateScale",
      "the HPA controller was unable to update the target scale: no",
    ]);
  });

  test("is impossible without a scale, which leaves the rest of the status", () => {
    const { status, event } = withoutScale(hpa, "gone", now);
    expect(status).toMatchObject({ desiredReplicas: 3 });
    expect(conditionOf({ status }, "AbleToScale")).toEqual([
      "False",
      "FailedGetScale",
      "the HPA controller was unable to get the target's current scale: gone",
    ]);
    expect(event).toEqual({ type: "Warning", reason: "FailedGetScale", message: "gone" });
  });
});
