import { expect, test } from "vitest";
import { formatTime } from "../../util/clock.ts";
import { aPod, readyAt, start as now } from "../builders.suite.ts";
import { isActive, isReady, isTerminal, isTerminating, readySince, untilAvailableMs } from "./pod-state.ts";

const ending = { deletionTimestamp: formatTime(now) };

test.each([
  ["Pending", {}, { terminal: false, active: true, terminating: false }],
  ["Running", {}, { terminal: false, active: true, terminating: false }],
  ["Running", ending, { terminal: false, active: false, terminating: true }],
  ["Succeeded", {}, { terminal: true, active: false, terminating: false }],
  ["Failed", {}, { terminal: true, active: false, terminating: false }],
  ["Failed", ending, { terminal: true, active: false, terminating: false }],
])("a Pod in phase %s with %j is %j", (phase, metadata, expected) => {
  const pod = aPod("a", { metadata, status: { phase } });
  expect({ terminal: isTerminal(pod), active: isActive(pod), terminating: isTerminating(pod) }).toEqual(
    expected,
  );
});

const ago = (seconds: number) => formatTime(now - seconds * 1000);
const withConditions = (...conditions: readonly object[]) => aPod("a", { status: { conditions } });
const pods = {
  "a ready Pod": aPod("a", { status: readyAt(ago(60)) }),
  "a Pod that is not ready": withConditions({ type: "Ready", status: "False", lastTransitionTime: ago(60) }),
  "a Pod of which nothing is known": aPod("a"),
  "a Pod with another condition": withConditions({
    type: "Initialized",
    status: "True",
    lastTransitionTime: ago(60),
  }),
  "a Pod that is ready since an unknown time": withConditions({ type: "Ready", status: "True" }),
  "a Pod with another condition first": withConditions(
    { type: "Initialized", status: "False" },
    { type: "Ready", status: "True", lastTransitionTime: ago(60) },
  ),
};

test.each<readonly [keyof typeof pods, boolean, number | undefined, readonly (number | undefined)[]]>([
  ["a ready Pod", true, now - 60_000, [0, 0, 40_000]],
  ["a Pod that is not ready", false, undefined, [undefined, undefined, undefined]],
  ["a Pod of which nothing is known", false, undefined, [undefined, undefined, undefined]],
  ["a Pod with another condition", false, undefined, [undefined, undefined, undefined]],
  ["a Pod that is ready since an unknown time", true, undefined, [0, undefined, undefined]],
  ["a Pod with another condition first", true, now - 60_000, [0, 0, 40_000]],
])(
  "%s: ready %s since %s, available after 0, 60 and 100 s in %j ms",
  (name, ready, since, untilAvailable) => {
    const pod = pods[name];
    expect([isReady(pod), readySince(pod)]).toEqual([ready, since]);
    expect([0, 60, 100].map((seconds) => untilAvailableMs(pod, seconds, now))).toEqual(untilAvailable);
  },
);
