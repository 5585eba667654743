import { describe, expect, test } from "vitest";
import { formatTime } from "../../util/clock.ts";
import { aDeployment, start as now } from "../builders.suite.ts";
import {
  condition,
  keepingTransition,
  progressDeadlineMs,
  withDeploymentCondition,
  withPausing,
} from "./conditions.ts";

const before = formatTime(now - 5000);
const at = formatTime(now);
const old = {
  type: "Progressing",
  status: "True",
  reason: "A",
  lastUpdateTime: before,
  lastTransitionTime: before,
};
const next = (status: "True" | "False", reason: string) => condition("Progressing", status, reason, "m", now);

describe("a condition that is set", () => {
  const other = { type: "Available", status: "True" };
  test("stays as it is while its status and reason do", () => {
    const conditions = [old, other];
    expect(withDeploymentCondition(conditions, next("True", "A"))).toBe(conditions);
  });
  test.each([
    ["another reason, and counts from when its status changed", next("True", "B"), before],
    ["another status, and counts from now", next("False", "A"), at],
  ])("gets %s", (_, set, lastTransitionTime) => {
    expect(withDeploymentCondition([old, other], set)).toEqual([other, { ...set, lastTransitionTime }]);
  });
  test("counts from now when the last transition time is unknown", () => {
    const { lastTransitionTime: _, ...timeless } = old;
    expect(keepingTransition(next("True", "B"), timeless)).toEqual(next("True", "B"));
    expect(keepingTransition(next("True", "B"), undefined)).toEqual(next("True", "B"));
  });
});

test.each([
  [0, 0],
  [600, 600_000],
  [2147483646, 2147483646000],
  [2147483647, undefined],
])("a deadline of %j seconds is one of %j ms", (progressDeadlineSeconds, ms) => {
  expect(progressDeadlineMs(aDeployment({ progressDeadlineSeconds }))).toBe(ms);
});

describe("a Deployment with a deadline", () => {
  const after = (spec: object, ...conditions: readonly object[]) =>
    withPausing(aDeployment({ progressDeadlineSeconds: 60, ...spec }, {}, { conditions }), now).map(
      ({ type, status, reason, message }) => [type, status, reason, message],
    );
  const paused = ["Progressing", "Unknown", "DeploymentPaused", "Deployment is paused"];
  const isPaused = {
    type: "Progressing",
    status: "Unknown",
    reason: "DeploymentPaused",
    message: "Deployment is paused",
  };
  const isLate = {
    type: "Progressing",
    status: "False",
    reason: "ProgressDeadlineExceeded",
    message: "late",
  };
  const late = ["Progressing", "False", "ProgressDeadlineExceeded", "late"];

  test("has the reason DeploymentPaused while it is paused", () => {
    expect(after({ paused: true })).toEqual([paused]);
  });
  test("has the reason DeploymentResumed after a pause, once", () => {
    const resumed = ["Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed"];
    expect(after({}, isPaused)).toEqual([resumed]);
    expect(after({})).toEqual([]);
    expect(after({}, { ...isPaused, reason: "NewReplicaSetAvailable" })[0]?.[2]).toBe(
      "NewReplicaSetAvailable",
    );
  });
  test("keeps an exceeded deadline through a pause", () => {
    expect(after({ paused: true }, isLate)).toEqual([late]);
    expect(after({}, isLate)).toEqual([late]);
  });
  test("has no condition for a pause without a deadline", () => {
    expect(after({ paused: true, progressDeadlineSeconds: 2147483647 })).toEqual([]);
    expect(after({ progressDeadlineSeconds: 2147483647 }, isPaused)).toEqual([paused]);
  });
});
