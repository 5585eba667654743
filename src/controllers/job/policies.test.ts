import { expect, test } from "vitest";
import { type Job, jobs } from "../../api/batch/job/schema.ts";
import { aPod, build, template } from "../builders.suite.ts";
import { parseIndexes } from "./indexes.ts";
import { failureOutcome } from "./pod-failure-policy.ts";
import { metSuccessRule } from "./success-policy.ts";

const aJob = (spec: object): Job =>
  build(jobs, { metadata: { name: "work", namespace: "default" }, spec: { template, ...spec } });

const exits = (codes: Record<string, number>) =>
  Object.entries(codes).map(([name, exitCode]) => ({ name, state: { terminated: { exitCode } } }));
const exited = (codes: Record<string, number>, initCodes: Record<string, number> = {}) =>
  aPod("p", {
    status: { phase: "Failed", containerStatuses: exits(codes), initContainerStatuses: exits(initCodes) },
  });
const onExitCodes = (action: string, values: readonly number[], more: object = {}) => ({
  action,
  onExitCodes: { operator: "In", values, ...more },
});
const disrupted = (status: string) =>
  aPod("p", { status: { phase: "Failed", conditions: [{ type: "DisruptionTarget", status }] } });
const onDisruption = (action: string) => ({
  action,
  onPodConditions: [{ type: "DisruptionTarget", status: "True" }],
});

// After upstream's `TestMatchPodFailurePolicy`.
test.each<readonly [string, readonly object[], ReturnType<typeof aPod>, object]>([
  ["without a match, a failure counts", [onExitCodes("FailJob", [1])], exited({ main: 2 }), { counts: true }],
  [
    "an exit code fails the Job",
    [onExitCodes("FailJob", [1, 2, 3])],
    exited({ main: 2 }),
    {
      action: "FailJob",
      counts: true,
      message: "Container main for pod default/p failed with exit code 2 matching FailJob rule at index 0",
    },
  ],
  [
    "an init container's exit code fails the Job",
    [onExitCodes("FailJob", [1, 2, 3])],
    exited({ main: 143 }, { init: 2 }),
    {
      action: "FailJob",
      counts: true,
      message: "Container init for pod default/p failed with exit code 2 matching FailJob rule at index 0",
    },
  ],
  [
    "an exit code is ignored",
    [onExitCodes("Ignore", [1, 2, 3])],
    exited({ main: 2 }),
    { action: "Ignore", counts: false },
  ],
  [
    "an exit code counts",
    [onExitCodes("Count", [2])],
    exited({ main: 2 }),
    { action: "Count", counts: true },
  ],
  [
    "an exit code fails the index",
    [onExitCodes("FailIndex", [2])],
    exited({ main: 2 }),
    { action: "FailIndex", counts: true },
  ],
  [
    "the first rule that matches applies",
    [onExitCodes("Ignore", [2]), onExitCodes("FailJob", [2])],
    exited({ main: 2 }),
    { action: "Ignore", counts: false },
  ],
  [
    "a rule only looks at its container",
    [onExitCodes("Ignore", [2], { containerName: "main" })],
    exited({ side: 2 }),
    { counts: true },
  ],
  [
    "NotIn matches other codes",
    [onExitCodes("Ignore", [5], { operator: "NotIn" })],
    exited({ main: 2 }),
    { action: "Ignore", counts: false },
  ],
  [
    "NotIn does not match success",
    [onExitCodes("Ignore", [5], { operator: "NotIn" })],
    exited({ main: 0 }),
    { counts: true },
  ],
  [
    "a condition is ignored",
    [onDisruption("Ignore")],
    disrupted("True"),
    { action: "Ignore", counts: false },
  ],
  [
    "a condition with another status does not match",
    [onDisruption("Ignore")],
    disrupted("False"),
    { counts: true },
  ],
  [
    "a condition fails the Job",
    [onExitCodes("Ignore", [9]), onDisruption("FailJob")],
    disrupted("True"),
    {
      action: "FailJob",
      counts: true,
      message: "Pod default/p has condition DisruptionTarget matching FailJob rule at index 1",
    },
  ],
])("%s", (_, rules, pod, expected) => {
  expect(failureOutcome(aJob({ podFailurePolicy: { rules } }), pod)).toEqual(expected);
});

// After upstream's `TestMatchSuccessPolicy`.
test.each<readonly [string, readonly object[] | undefined, string, string | undefined]>([
  ["without a policy, none is met", undefined, "0,3,4-10", undefined],
  ["without succeeded indexes, none is met", [{ succeededCount: 0 }], "", undefined],
  ["enough successes meet a count", [{ succeededCount: 4 }], "0,2-4", "Matched rules at index 0"],
  ["too few successes do not meet a count", [{ succeededCount: 4 }], "0,2,4", undefined],
  ["all indexes of a rule must have succeeded", [{ succeededIndexes: "0-4,6-8" }], "0-4,6,7", undefined],
  [
    "the indexes of a rule have succeeded",
    [{ succeededIndexes: "0-4,6-8" }],
    "0-8",
    "Matched rules at index 0",
  ],
  [
    "enough of a rule's indexes have succeeded",
    [{ succeededIndexes: "0-3,6-7", succeededCount: 3 }],
    "1-2,6",
    "Matched rules at index 0",
  ],
  [
    "too few of a rule's indexes have succeeded",
    [{ succeededIndexes: "0-3", succeededCount: 3 }],
    "1-2,6-9",
    undefined,
  ],
  [
    "a later rule is met",
    [{ succeededIndexes: "9" }, { succeededCount: 2 }],
    "0,1",
    "Matched rules at index 1",
  ],
])("%s", (_, rules, succeeded, expected) => {
  const job = aJob({
    completions: 10,
    completionMode: "Indexed",
    ...(rules === undefined ? {} : { successPolicy: { rules } }),
  });
  expect(metSuccessRule(job, parseIndexes(succeeded, 10))).toBe(expected);
});
