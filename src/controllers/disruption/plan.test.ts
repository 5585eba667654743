import fc from "fast-check";
import { expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import {
  type PodDisruptionBudget,
  podDisruptionBudgets,
} from "../../api/policy/pod-disruption-budget/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, readyAt, start as now } from "../builders.suite.ts";
import { countsByScale, deletionTimeoutMs, failedStatus, planBudget } from "./plan.ts";
import { spared, staleTargetMs, untilStaleMs } from "./pods.ts";

const ago = (ms: number) => formatTime(now - ms);
const aBudget = (spec: object, status: object = {}): PodDisruptionBudget =>
  build(podDisruptionBudgets, {
    metadata: { name: "web", namespace: "default", generation: 3 },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
    status,
  });
const healthy = (name: string, metadata: object = {}) => aPod(name, { metadata, status: readyAt(ago(1000)) });
const some = (count: number, make: (name: string) => Pod = healthy) =>
  Array.from({ length: count }, (_, index) => make(`p${index}`));
const statusOf = (budget: PodDisruptionBudget, pods: readonly Pod[], expected = pods.length) =>
  planBudget({ budget, pods, expected, now }).status;

test.each<
  readonly [spec: object, healthy: number, expected: number, desired: number, allowed: number, scale: boolean]
>([
  [{ minAvailable: 2 }, 3, 3, 2, 1, false],
  [{ minAvailable: 3 }, 3, 3, 3, 0, false],
  [{ minAvailable: 5 }, 3, 3, 5, 0, false],
  [{ minAvailable: 0 }, 3, 3, 0, 3, false],
  [{ minAvailable: "50%" }, 3, 3, 2, 1, true],
  [{ minAvailable: "28%" }, 7, 7, 2, 5, true],
  [{ minAvailable: "100%" }, 7, 10, 10, 0, true],
  [{ maxUnavailable: 1 }, 4, 4, 3, 1, true],
  [{ maxUnavailable: 1 }, 3, 4, 3, 0, true],
  [{ maxUnavailable: "30%" }, 7, 7, 4, 3, true],
  [{ maxUnavailable: 5 }, 2, 3, 0, 2, true],
  [{ minAvailable: 0 }, 0, 0, 0, 0, false],
  [{ maxUnavailable: "100%" }, 1, 0, 0, 0, true],
  [{}, 3, 0, 0, 0, false],
  // Upstream's cases by value: `disruption_test.go`.
  [{ minAvailable: 3 }, 0, 0, 3, 0, false],
  [{ minAvailable: 3 }, 1, 1, 3, 0, false],
  [{ minAvailable: 3 }, 2, 2, 3, 0, false],
  [{ minAvailable: 3 }, 4, 4, 3, 1, false],
  [{ minAvailable: 3 }, 3, 4, 3, 0, false],
  [{ maxUnavailable: 2 }, 1, 7, 5, 0, true],
  [{ maxUnavailable: 2 }, 1, 5, 3, 0, true],
  [{ maxUnavailable: "30%" }, 1, 7, 4, 0, true],
  [{ maxUnavailable: "30%" }, 1, 3, 2, 0, true],
  [{ minAvailable: "20%" }, 1, 10, 2, 0, true],
  [{ maxUnavailable: 5 }, 4, 10, 5, 0, true],
  [{ minAvailable: "34%" }, 0, 0, 0, 0, true],
  [{ minAvailable: "34%" }, 1, 3, 2, 0, true],
  [{ minAvailable: "34%" }, 2, 3, 2, 0, true],
  [{ minAvailable: "34%" }, 3, 3, 2, 1, true],
  [{ minAvailable: "34%" }, 4, 3, 2, 2, true],
  [{ minAvailable: "1%" }, 2, 1, 1, 1, true],
  [{ minAvailable: "28%" }, 1, 0, 0, 0, true],
  [{ minAvailable: "28%" }, 4, 11, 4, 0, true],
  [{ minAvailable: "28%" }, 6, 22, 7, 0, true],
  [{ minAvailable: "28%" }, 7, 22, 7, 0, true],
  [{ minAvailable: "28%" }, 8, 22, 7, 1, true],
])("%j with %i healthy Pods", (spec, ready, expectedPods, desiredHealthy, disruptionsAllowed, byScale) => {
  const budget = aBudget(spec);
  expect(countsByScale(budget)).toBe(byScale);
  expect(statusOf(budget, some(ready), expectedPods)).toEqual({
    observedGeneration: 3,
    currentHealthy: ready,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    conditions: [
      {
        type: "DisruptionAllowed",
        status: disruptionsAllowed > 0 ? "True" : "False",
        reason: disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods",
        message: "",
        observedGeneration: 3,
        lastTransitionTime: formatTime(now),
      },
    ],
  });
});

test("Pods that are unready, terminating, or granted an eviction are not healthy", () => {
  const status = { disruptedPods: { granted: ago(1000), forgotten: ago(deletionTimeoutMs), gone: ago(1) } };
  const pods = [
    healthy("ready"),
    aPod("unready"),
    healthy("going", { deletionTimestamp: ago(0) }),
    healthy("granted"),
    healthy("forgotten"),
  ];
  const plan = planBudget({ budget: aBudget({ minAvailable: 1 }, status), pods, expected: 5, now });
  expect(plan.status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
  expect(plan.status?.disruptedPods).toEqual({ granted: ago(1000) });
  expect(plan.notDeleted.map(({ metadata }) => metadata.name)).toEqual(["forgotten"]);
  expect(plan.checkAfterMs).toBe(deletionTimeoutMs - 1000);
});

test("a failure allows no disruption, and keeps its first message", () => {
  const status = statusOf(aBudget({ minAvailable: 1 }), some(2)) ?? {};
  const failed = failedStatus(aBudget({ minAvailable: 1 }, status), "no scale", now + 1000);
  expect(failed).toMatchObject({
    disruptionsAllowed: 0,
    currentHealthy: 2,
    conditions: [
      {
        status: "False",
        reason: "SyncFailed",
        message: "no scale",
        lastTransitionTime: formatTime(now + 1000),
      },
    ],
  });
  const budget = aBudget({ minAvailable: 1 }, failed);
  expect(failedStatus(budget, "no scale", now + 2000)).toBeUndefined();
  expect(statusOf(budget, some(2))?.conditions).toMatchObject([{ reason: "SufficientPods", message: "" }]);
});

const amount = fc.oneof(
  fc.nat(12),
  fc.nat(100).map((share) => `${share}%`),
);
const spec = fc.oneof(
  amount.map((minAvailable) => ({ minAvailable })),
  amount.map((maxUnavailable) => ({ maxUnavailable })),
);
const pod = fc.constantFrom<(name: string) => Pod>(healthy, aPod, (name) =>
  healthy(name, { deletionTimestamp: ago(0) }),
);

test("a plan is stable once carried out; the disruptions that it allows leave enough healthy Pods", () => {
  fc.assert(
    fc.property(spec, fc.array(pod, { maxLength: 12 }), fc.nat(12), (limits, makes, more) => {
      const pods = makes.map((make, index) => make(`p${index}`));
      const budget = aBudget(limits);
      const expected = countsByScale(budget) ? pods.length + more : pods.length;
      const status = statusOf(budget, pods, expected);
      if (status === undefined) throw new Error("a new budget always gets a status");
      expect(statusOf({ ...budget, status }, pods, expected)).toBeUndefined();
      const { disruptionsAllowed, currentHealthy, desiredHealthy } = status;
      expect(disruptionsAllowed).toBeGreaterThanOrEqual(0);
      if (disruptionsAllowed > 0)
        expect(currentHealthy - disruptionsAllowed).toBeGreaterThanOrEqual(desiredHealthy);
    }),
  );
});

const target = (more: object = {}) => ({
  type: "DisruptionTarget",
  status: "True",
  reason: "EvictionByEvictionAPI",
  lastTransitionTime: ago(30_000),
  ...more,
});
const targeted = (more: object = {}, { metadata = {}, phase = "Running" } = {}) =>
  aPod("a", { metadata, status: { phase, conditions: [target(more)] } });

test.each<readonly [what: string, pod: Pod, ms: number | undefined]>([
  ["a target", targeted(), staleTargetMs - 30_000],
  ["an old target", targeted({ lastTransitionTime: ago(staleTargetMs * 2) }), 0],
  ["none any more", targeted({ status: "False" }), undefined],
  ["a kubelet's", targeted({ reason: "TerminationByKubelet" }), undefined],
  ["going", targeted({}, { metadata: { deletionTimestamp: ago(0) } }), undefined],
  ["over", targeted({}, { phase: "Failed" }), undefined],
  ["not meant", aPod("a"), undefined],
])("a Pod that is %s stays a target for the right time", (_, one, ms) => {
  expect(untilStaleMs(one, now)).toBe(ms);
  expect(untilStaleMs({ ...one, status: spared(one, now) }, now)).toBeUndefined();
});

test("a Pod that is spared keeps its other conditions and the rest of its status", () => {
  const ready = { type: "Ready", status: "True" };
  const pod = aPod("a", {
    metadata: { generation: 7 },
    status: { phase: "Running", conditions: [ready, target()] },
  });
  expect(spared(pod, now)).toMatchObject({
    phase: "Running",
    conditions: [
      ready,
      { type: "DisruptionTarget", status: "False", lastTransitionTime: ago(0), observedGeneration: 7 },
    ],
  });
  expect(spared(targeted(), now).conditions).toEqual([
    { type: "DisruptionTarget", status: "False", lastTransitionTime: ago(0) },
  ]);
  expect(spared(aPod("b"), now).conditions).toEqual([]);
});

test("of several granted evictions, the first to expire is looked at first", () => {
  const status = { disruptedPods: { a: ago(1000), b: ago(5000) } };
  const pods = [healthy("a"), healthy("b")];
  const { checkAfterMs, notDeleted } = planBudget({
    budget: aBudget({ minAvailable: 1 }, status),
    pods,
    expected: 2,
    now,
  });
  expect(checkAfterMs).toBe(deletionTimeoutMs - 5000);
  expect(notDeleted).toEqual([]);
  expect(
    planBudget({ budget: aBudget({ minAvailable: 1 }), pods, expected: 2, now }).checkAfterMs,
  ).toBeUndefined();
});

test("a budget without a limit expects no Pods and allows no disruption", () => {
  expect(statusOf(aBudget({}), some(2))).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 });
});
