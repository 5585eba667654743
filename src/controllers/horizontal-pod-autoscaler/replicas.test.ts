import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, start as now } from "../builders.suite.ts";
import type { PodMetrics } from "./pod-groups.ts";
import {
  replicasByAverage,
  replicasByShare,
  replicasByTotal,
  replicasByUtilization,
  type Tolerances,
  type Workload,
} from "./replicas.ts";

/** Cases by value from upstream's `replica_calculator_test.go`. */

const periods = { cpuInitializationMs: 120_000, initialReadinessMs: 10_000 };
const long = formatTime(0);
const cool = formatTime(now - 180_000);
const hot = formatTime(now);

interface PodsOf {
  readonly count?: number;
  /** Readiness by Pod: `+` is ready, `-` is unready. */
  readonly ready?: string;
  readonly started?: readonly string[];
  readonly phases?: readonly string[];
  readonly terminating?: string;
  readonly requests?: readonly string[];
}

function podsOf(current: number, parts: PodsOf): readonly Pod[] {
  const { ready = "", started, phases = [], terminating = "", requests = [] } = parts;
  return Array.from({ length: Math.max(current, phases.length) }, (_, i) => {
    const request = requests[i];
    const resources = request === undefined ? {} : { requests: { cpu: request } };
    return aPod(`pod-${i}`, {
      metadata: terminating[i] === "x" ? { deletionTimestamp: hot } : {},
      spec: { containers: ["one", "two"].map((name) => ({ name, image: "web:1", resources })) },
      status: {
        phase: phases[i] ?? "Running",
        startTime: started?.[i] ?? long,
        conditions: [{ type: "Ready", status: ready[i] === "-" ? "False" : "True" }],
      },
    });
  });
}

function metricsOf(values: readonly number[], name = (i: number) => `pod-${i}`): PodMetrics {
  return new Map(values.map((value, i) => [name(i), { value, timestamp: 0, windowMs: 60_000 }]));
}

function workload(current: number, parts: PodsOf, tolerances: Partial<Tolerances> = {}): Workload {
  const pods = podsOf(current, parts);
  return { current, pods, tolerances: { down: 0.1, up: 0.1, ...tolerances }, periods, now };
}

interface Utilization extends PodsOf {
  readonly current: number;
  readonly levels: readonly number[];
  /** True when the levels are those of container `two` alone. Otherwise each container has the level. */
  readonly container?: true;
  readonly target: number;
  readonly tolerances?: Partial<Tolerances>;
}

const ones = (count: number) => Array.from({ length: count }, () => "1");
const running = (count: number) => Array.from({ length: count }, () => "Running");

/** Name, case, and the expected replicas, percent and value. */
const byUtilization: readonly [string, Utilization, number, number, number][] = [
  ["up", { current: 3, requests: ones(3), levels: [300, 500, 700], target: 30 }, 5, 50, 1000],
  [
    "up by a container",
    { current: 3, requests: ones(3), levels: [300, 500, 700], target: 30, container: true },
    5,
    50,
    500,
  ],
  [
    "up, less with an unready Pod",
    { current: 3, ready: "-++", requests: ones(3), levels: [300, 500, 700], target: 30 },
    4,
    60,
    1200,
  ],
  [
    "up by a container, less with a starting Pod",
    {
      current: 3,
      started: [hot, cool, cool],
      requests: ones(3),
      levels: [300, 500, 700],
      target: 30,
      container: true,
    },
    4,
    60,
    600,
  ],
  [
    "up, less with a starting Pod",
    { current: 3, started: [hot, cool, cool], requests: ones(3), levels: [300, 500, 700], target: 30 },
    4,
    60,
    1200,
  ],
  [
    "up, not with two unready Pods",
    { current: 3, ready: "+--", requests: ones(3), levels: [400, 500, 700], target: 30 },
    3,
    40,
    800,
  ],
  [
    "up, not with two starting unready Pods",
    {
      current: 3,
      ready: "+--",
      started: [cool, hot, hot],
      requests: ones(3),
      levels: [400, 500, 700],
      target: 30,
    },
    3,
    40,
    800,
  ],
  [
    "up, without failed Pods",
    {
      current: 2,
      ready: "++--",
      phases: ["Running", "Running", "Failed", "Failed"],
      requests: ones(4),
      levels: [500, 700],
      target: 30,
    },
    4,
    60,
    1200,
  ],
  [
    "up, without terminating Pods",
    {
      current: 2,
      ready: "++--",
      phases: running(4),
      terminating: "..xx",
      requests: ones(4),
      levels: [500, 700],
      target: 30,
    },
    4,
    60,
    1200,
  ],
  ["down", { current: 5, requests: ones(5), levels: [100, 300, 500, 250, 250], target: 50 }, 3, 28, 560],
  [
    "down by a container",
    { current: 5, requests: ones(5), levels: [100, 300, 500, 250, 250], target: 50, container: true },
    3,
    28,
    280,
  ],
  [
    "down, without unready Pods",
    { current: 5, ready: "+++--", requests: ones(5), levels: [100, 300, 500, 250, 250], target: 50 },
    2,
    30,
    600,
  ],
  [
    "down, without pending Pods",
    {
      current: 5,
      ready: "+----",
      phases: ["Running", "Pending", "Pending", "Pending", "Pending"],
      requests: ones(5),
      levels: [100],
      target: 50,
    },
    1,
    10,
    200,
  ],
  [
    "down, without starting Pods",
    {
      current: 5,
      started: [cool, cool, cool, hot, hot],
      requests: ones(5),
      levels: [100, 300, 500, 250, 250],
      target: 50,
    },
    2,
    30,
    600,
  ],
  [
    "down, without failed Pods",
    {
      current: 5,
      ready: "+++++--",
      phases: [...running(5), "Failed", "Failed"],
      requests: ones(7),
      levels: [100, 300, 500, 250, 250],
      target: 50,
    },
    3,
    28,
    560,
  ],
  [
    "down, without terminating Pods",
    {
      current: 5,
      ready: "+++++--",
      phases: running(7),
      terminating: ".....xx",
      requests: ones(7),
      levels: [100, 300, 500, 250, 250],
      target: 50,
    },
    3,
    28,
    560,
  ],
  [
    "within the tolerance",
    { current: 3, requests: ["0.9", "1", "1.1"], levels: [1010, 1030, 1020], target: 100 },
    3,
    102,
    2040,
  ],
  [
    "outside of no tolerance",
    {
      current: 3,
      requests: ["0.9", "1", "1.1"],
      levels: [909, 1010, 1111],
      target: 100,
      tolerances: { down: 0, up: 0 },
    },
    4,
    101,
    2020,
  ],
  [
    "within a large tolerance up",
    {
      current: 3,
      requests: ["0.9", "1", "1.1"],
      levels: [1890, 1910, 1900],
      target: 100,
      tolerances: { up: 2 },
    },
    3,
    190,
    3800,
  ],
  [
    "outside of the tolerance up, whatever the tolerance down",
    {
      current: 3,
      requests: ["0.9", "1", "1.1"],
      levels: [1100, 1080, 1090],
      target: 100,
      tolerances: { down: 2, up: 0.08 },
    },
    4,
    109,
    2180,
  ],
  [
    "within the tolerance down",
    {
      current: 3,
      requests: ["0.9", "1", "1.1"],
      levels: [660, 640, 650],
      target: 100,
      tolerances: { down: 0.36 },
    },
    3,
    65,
    1300,
  ],
  [
    "outside of the tolerance down",
    {
      current: 3,
      requests: ["0.9", "1", "1.1"],
      levels: [660, 640, 650],
      target: 100,
      tolerances: { down: 0.34 },
    },
    2,
    65,
    1300,
  ],
  [
    "with values of unknown Pods",
    { current: 4, requests: ones(4), levels: [4000, 9500, 3000, 7000, 3200, 2000], target: 100 },
    24,
    587,
    11750,
  ],
  [
    "down, with missing Pods at their requests",
    { current: 4, requests: ones(4), levels: [400, 95], target: 100 },
    3,
    24,
    495,
  ],
  [
    "no change, with a missing Pod at the target",
    { current: 2, requests: ones(2), levels: [1000], target: 100 },
    2,
    100,
    2000,
  ],
  [
    "no change, with a missing Pod at 0",
    { current: 2, requests: ones(2), levels: [1900], target: 100 },
    2,
    190,
    3800,
  ],
  [
    "no change, with a missing Pod at its requests",
    { current: 2, requests: ones(2), levels: [600], target: 100 },
    2,
    60,
    1200,
  ],
  [
    "no change, with an unready and a missing Pod",
    { current: 3, ready: "-++", requests: ones(3), levels: [100, 450], target: 50 },
    3,
    45,
    900,
  ],
  [
    "no change, with a starting and a missing Pod",
    { current: 3, started: [hot, cool, cool], requests: ones(3), levels: [100, 450], target: 50 },
    3,
    45,
    900,
  ],
  [
    "up, with an unready and a missing Pod at 0",
    { current: 3, ready: "-++", requests: ones(3), levels: [100, 2000], target: 50 },
    4,
    200,
    4000,
  ],
  [
    "down, with a missing Pod at its requests and an unready Pod left out",
    { current: 4, ready: "-+++", requests: ones(4), levels: [100, 100, 100], target: 50 },
    3,
    10,
    200,
  ],
  [
    "down, with a missing Pod at a target above its requests",
    { current: 4, ready: "-+++", requests: ["1", "1", "2", "2"], levels: [200, 100, 100], target: 300 },
    2,
    6,
    200,
  ],
  [
    "no change in a rolling update with a surge",
    { current: 2, phases: running(3), requests: ones(3), levels: [100, 100], target: 50 },
    2,
    10,
    200,
  ],
];

function utilizationOf(one: Utilization) {
  const { current, levels, container, target, tolerances } = one;
  const metrics = metricsOf(container ? levels : levels.map((level) => 2 * level));
  const options = { target, resource: "cpu", container: container ? "two" : undefined };
  return replicasByUtilization(metrics, options, workload(current, one, tolerances));
}

describe("the replicas by the utilization of a resource", () => {
  test.each(byUtilization)("%s", (_, one, replicas, percent, value) => {
    expect(utilizationOf(one)).toEqual({ replicas, percent, value });
  });

  const jitter = [100, -100, 10, -10, 2, -2, 1, -1, 0, 0];
  test.each([
    [56, 9],
    [55, 10],
  ])("at a target of %i percent, a small deviation gives %i replicas", (target, replicas) => {
    const requests = jitter.map((more) => `${300 + more}m`);
    const levels = jitter.map(() => 150);
    expect(utilizationOf({ current: 10, requests, levels, target })).toMatchObject({ replicas, percent: 50 });
  });

  test.each<[string, Utilization, string]>([
    [
      "no values",
      { current: 4, requests: ones(4), levels: [], target: 100 },
      "did not receive metrics for targeted pods (pods might be unready)",
    ],
    [
      "no Pods",
      { current: 0, levels: [1], target: 100 },
      "no pods returned by selector while calculating replica count",
    ],
    [
      "no requests",
      { current: 1, levels: [200], target: 100 },
      "missing request for cpu in container one of Pod pod-0",
    ],
  ])("fail with %s", (_, one, message) => {
    expect(() => utilizationOf(one)).toThrow(message);
  });

  test("fail with values of unknown Pods alone", () => {
    const one = workload(1, { requests: ["1"] });
    const metrics = metricsOf([100], () => "an-older-pod");
    const compute = () =>
      replicasByUtilization(metrics, { target: 100, resource: "cpu", container: undefined }, one);
    expect(compute).toThrow("no metrics returned matched known pods");
  });
});

describe("the replicas by the average of a metric", () => {
  test.each<[string, number, PodsOf & Partial<Tolerances>, readonly number[], number, number, number]>([
    ["up", 3, {}, [20000, 10000, 30000], 15000, 4, 20000],
    [
      "up, with a starting unready Pod",
      3,
      { ready: "++-", started: [cool, cool, hot] },
      [50000, 10000, 30000],
      15000,
      6,
      30000,
    ],
    [
      "up, with two starting unready Pods",
      3,
      { ready: "-+-", started: [hot, cool, hot] },
      [50000, 15000, 30000],
      15000,
      7,
      31666,
    ],
    ["up from one", 1, {}, [8600], 4400, 2, 8600],
    ["down", 5, {}, [12000, 12000, 12000, 12000, 12000], 20000, 3, 12000],
    ["within the tolerance", 3, {}, [20000, 21000, 21000], 20000, 3, 20666],
    ["outside of a small tolerance", 3, { up: 0.01 }, [20000, 21000, 21000], 20000, 4, 20666],
    ["no change with missing Pods", 5, {}, [20000, 19000, 21000], 20000, 5, 20000],
    [
      "no change in a rolling update with a surge",
      2,
      { phases: running(3) },
      [10000, 10000],
      17000,
      2,
      10000,
    ],
  ])("%s", (_, current, { up, ...parts }, values, target, replicas, value) => {
    const one = workload(current, parts, up === undefined ? {} : { up });
    expect(replicasByAverage(metricsOf(values), target, undefined, one)).toEqual({ replicas, value });
  });
});

describe("the replicas by a value that they share", () => {
  test.each<[string, number, PodsOf & Partial<Tolerances>, readonly number[], number, number, number]>([
    ["up", 3, {}, [20000], 15000, 4, 20000],
    ["up, without unready Pods", 3, { ready: "-+-" }, [50000], 10000, 5, 50000],
    ["fewer, without unready Pods", 3, { ready: "-+-" }, [8600], 4400, 2, 8600],
    ["at most an int32", 3, {}, [2 ** 63], 1, 2 ** 31 - 1, 2 ** 63],
    ["down", 5, {}, [12000], 20000, 3, 12000],
    ["down by an external metric", 5, {}, [8600], 14334, 3, 8600],
    ["within the tolerance", 3, {}, [20666], 20000, 3, 20666],
    ["within the tolerance down", 3, {}, [8600], 8888, 3, 8600],
    ["outside of a small tolerance", 3, { up: 0.01 }, [8900], 8800, 4, 8900],
  ])("%s", (_, current, { up, ...parts }, values, target, replicas, value) => {
    const one = workload(current, parts, up === undefined ? {} : { up });
    expect(replicasByTotal(values, target, one)).toEqual({ replicas, value });
  });

  test("a usage beyond an int64 is capped", () => {
    expect(replicasByTotal([2 ** 63, 2 ** 63], 2 ** 62, workload(1, {})).value).toBe(2 ** 63);
  });

  test("fail without Pods", () => {
    const compute = () => replicasByTotal([2], 1, { ...workload(1, {}), pods: [] });
    expect(compute).toThrow(
      "unable to calculate ready pods: no pods returned by selector while calculating replica count",
    );
  });
});

describe("the replicas by each one's share of a value", () => {
  test.each<[string, number, Partial<Tolerances>, number, number, number, number]>([
    ["up", 3, {}, 20000, 5000, 4, 6667],
    ["up by an external metric", 3, {}, 8600, 2150, 4, 2867],
    ["down", 5, {}, 6000, 2000, 3, 1200],
    ["down by an external metric", 5, {}, 8600, 2867, 3, 1720],
    ["within the tolerance", 4, {}, 20166, 5000, 4, 5042],
    ["within the tolerance down", 3, {}, 8600, 2900, 3, 2867],
    ["outside of a small tolerance", 4, { up: 0.01 }, 20208, 5000, 5, 5052],
    ["at most an int32", 1, {}, 2 ** 63, 1, 2 ** 31 - 1, 2 ** 63],
    ["at the target, at most an int64", 1, {}, 2 ** 63, 2 ** 63, 1, 2 ** 63],
    ["of the whole value, before there are replicas", 0, {}, 3000, 1000, 3, 3000],
  ])("%s", (_, present, tolerances, value, target, replicas, share) => {
    const all = { down: 0.1, up: 0.1, ...tolerances };
    expect(replicasByShare([value], target, present, all)).toEqual({ replicas, value: share });
  });
});

test("Pods without a value, or unready, never turn the direction that the others ask for", () => {
  const target = 1000;
  const anyPod = fc.record({ value: fc.option(fc.nat(3 * target)), isPending: fc.boolean() });
  fc.assert(
    fc.property(fc.array(anyPod, { minLength: 1, maxLength: 12 }), (all) => {
      const phases = all.map(({ isPending }) => (isPending ? "Pending" : "Running"));
      const values = all.flatMap(({ value }, i) => (value === null ? [] : [[`pod-${i}`, value] as const]));
      const metrics = new Map(
        values.map(([name, value]) => [name, { value, timestamp: 0, windowMs: 60_000 }] as const),
      );
      const counted = all.flatMap(({ value, isPending }) => (isPending || value === null ? [] : [value]));
      const current = all.length;
      const compute = () => replicasByAverage(metrics, target, undefined, workload(current, { phases }));
      if (counted.length === 0) {
        expect(compute).toThrow("did not receive metrics for targeted pods (pods might be unready)");
        return;
      }
      const mean = counted.reduce((sum, value) => sum + value, 0) / counted.length;
      const { replicas } = compute();
      if (mean > target) expect(replicas).toBeGreaterThanOrEqual(current);
      if (mean < target) expect(replicas).toBeLessThanOrEqual(current);
    }),
  );
});
