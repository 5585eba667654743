import { expect, test } from "vitest";
import { formatTime } from "../../util/clock.ts";
import { aPod, start as now } from "../builders.suite.ts";
import { groupPods, type PodMetric } from "./pod-groups.ts";

const ago = (ms: number) => formatTime(now - ms);
const periods = { cpuInitializationMs: 120_000, initialReadinessMs: 10_000 };
const metric = (timestamp = 0, windowMs = 0): PodMetric => ({ value: 1, timestamp, windowMs });
const ready = (status: string, changedMs: number) => ({
  conditions: [{ type: "Ready", status, lastTransitionTime: ago(changedMs) }],
});

/** Cases by value from upstream's `TestGroupPods`. */
test.each<[string, string, object, PodMetric | undefined, string]>([
  ["memory of a Pod without a condition", "memory", {}, metric(now, 60_000), "ready"],
  ["a Pod without a Ready condition", "cpu", { startTime: ago(0) }, metric(), "unready"],
  [
    "an initializing Pod with a whole window",
    "cpu",
    { startTime: ago(60_000), ...ready("True", 30_000) },
    metric(now, 30_000),
    "ready",
  ],
  [
    "an initializing Pod without a whole window",
    "cpu",
    { startTime: ago(60_000), ...ready("True", 30_000) },
    metric(now, 60_000),
    "unready",
  ],
  [
    "an unready Pod that was never ready",
    "cpu",
    { startTime: ago(600_000), ...ready("False", 594_000) },
    metric(),
    "unready",
  ],
  [
    "a ready Pod with an old value",
    "cpu",
    { startTime: ago(180_000), ...ready("True", 180_000) },
    metric(now - 120_000, 60_000),
    "ready",
  ],
  [
    "an unready Pod that was ready",
    "cpu",
    { startTime: ago(600_000), ...ready("False", 540_000) },
    metric(),
    "ready",
  ],
  [
    "an unready Pod at the end of the readiness delay",
    "cpu",
    { startTime: ago(600_000), ...ready("False", 590_000) },
    metric(),
    "ready",
  ],
  ["a Pod without a value", "cpu", { startTime: ago(180_000) }, undefined, "missing"],
  ["a pending Pod", "cpu", { phase: "Pending" }, undefined, "unready"],
  ["a failed Pod", "cpu", { phase: "Failed" }, metric(), "ignored"],
  ["a terminating Pod", "cpu", { phase: "Pending", deletionTimestamp: ago(0) }, metric(), "ignored"],
])(
  "%s (%s) is grouped",
  (_, resource, { deletionTimestamp, ...status }: { deletionTimestamp?: string }, one, group) => {
    const pod = aPod("a", { metadata: { deletionTimestamp }, status: { phase: "Succeeded", ...status } });
    const metrics = new Map(one === undefined ? [] : [["a", one]]);
    const groups = groupPods([pod], metrics, { isCpu: resource === "cpu", now, periods });
    const none = { ready: 0, unready: [], missing: [], ignored: [] };
    expect(groups).toEqual({ ...none, [group]: group === "ready" ? 1 : ["a"] });
  },
);
