import { describe, expect, test } from "vitest";
import { formatTime } from "../util/clock.ts";
import { type SettableCondition, withCondition, withoutCondition, withReplaced } from "./conditions.ts";

const start = Date.UTC(2026, 0, 1);
const [before, now] = [formatTime(start), formatTime(start + 60_000)];

const ready: SettableCondition = {
  type: "Ready",
  status: "True",
  reason: "Ok",
  message: "all is well",
  observedGeneration: 1,
  lastTransitionTime: before,
};
const other: SettableCondition = { type: "Other", status: "False", lastTransitionTime: before };
const set = (change: SettableCondition, conditions: readonly SettableCondition[] = [ready, other]) =>
  withCondition(conditions, change, start + 60_000);
const { lastTransitionTime: _, ...same } = ready;

// Upstream's cases (TestSetStatusCondition), and more.
describe("a condition that is set", () => {
  test("is appended when its type is new, with the present time", () => {
    const change = { type: "New", status: "True", reason: "A", message: "b" };
    expect(set(change)).toEqual([ready, other, { ...change, lastTransitionTime: now }]);
    expect(set(change, [])).toEqual([{ ...change, lastTransitionTime: now }]);
  });

  test.each<[string, SettableCondition, string]>([
    ["gets the present time with another status", { ...same, status: "False" }, now],
    ["keeps its time with another reason", { ...same, reason: "B" }, before],
    ["keeps its time with another message", { ...same, message: "b" }, before],
    ["keeps its time with another generation", { ...same, observedGeneration: 2 }, before],
    ["keeps fields that the change lacks", { type: "Ready", status: "True", reason: "B" }, before],
  ])("%s, in its place", (_what, change, lastTransitionTime) => {
    expect(set(change)).toEqual([{ ...ready, ...change, lastTransitionTime }, other]);
  });

  test("leaves the very list when nothing changes", () => {
    const conditions = [ready, other];
    expect(set(same, conditions)).toBe(conditions);
  });

  test("gets the present time when it had none", () => {
    expect(set({ ...same, reason: "B" }, [same])).toEqual([
      { ...same, reason: "B", lastTransitionTime: now },
    ]);
  });
});

test("a condition is replaced as it is, or appended", () => {
  const next = { type: "Ready", status: "False" };
  expect(withReplaced([ready, other], next)).toEqual([next, other]);
  expect(withReplaced([other], next)).toEqual([other, next]);
});

test("a condition is removed, and a list without it is left", () => {
  expect(withoutCondition([ready, other], "Ready")).toEqual([other]);
  const conditions = [other];
  expect(withoutCondition(conditions, "Ready")).toBe(conditions);
});
