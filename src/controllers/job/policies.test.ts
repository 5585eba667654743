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
const onDisruption = (action: string, status = "True") => ({
  action,
  onPodConditions: [{ type: "DisruptionTarget", status }],
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
    "a negative exit code is ignored",
    [onExitCodes("Ignore", [-1073741676, -1073741510])],
    exited({ main: -1073741510 }),
    { action: "Ignore", counts: false },
  ],
  [
    "containers that succeeded do not match",
    [onExitCodes("FailJob", [111], { operator: "NotIn" })],
    exited({ main: 111, side: 0 }, { init: 0 }),
    { counts: true },
  ],
  [
    "NotIn 0 matches any failure",
    [onExitCodes("FailJob", [0], { operator: "NotIn" })],
    exited({ main: 1, side: 0 }),
    {
      action: "FailJob",
      counts: true,
      message: "Container main for pod default/p failed with exit code 1 matching FailJob rule at index 0",
    },
  ],
  [
    "the second rule fails the Job",
    [onExitCodes("Count", [1, 2, 3]), onExitCodes("FailJob", [4, 5, 6])],
    exited({ main: 6 }),
    {
      action: "FailJob",
      counts: true,
      message: "Container main for pod default/p failed with exit code 6 matching FailJob rule at index 1",
    },
  ],
  [
    "a container that has not terminated does not match",
    [onExitCodes("Count", [1, 2, 3])],
    aPod("p", { status: { phase: "Failed", containerStatuses: [{ name: "foo" }, ...exits({ bar: 2 })] } }),
    { action: "Count", counts: true },
  ],
  [
    "a condition fails the index",
    [onDisruption("FailIndex")],
    disrupted("True"),
    { action: "FailIndex", counts: true },
  ],
  ["a condition counts", [onDisruption("Count")], disrupted("True"), { action: "Count", counts: true }],
  ...["False", "Unknown"].map(
    (status) =>
      [
        `a condition is ignored by the status ${status}`,
        [onDisruption("Ignore", status)],
        disrupted(status),
        { action: "Ignore", counts: false },
      ] as const,
  ),
  [
    "a condition that is True does not match the status False",
    [onDisruption("Ignore", "False")],
    disrupted("True"),
    { counts: true },
  ],
  [
    "of many rules none matches",
    [
      onExitCodes("Count", [32], { operator: "NotIn" }),
      onExitCodes("Ignore", [1, 2, 3]),
      onExitCodes("FailJob", [5, 6, 32], { operator: "NotIn" }),
      onDisruption("Ignore"),
    ],
    exited({ main: 32 }),
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

const met = "Matched rules at index 0";
/** A rule, the succeeded indexes, and the number of those that are in both. */
const overlaps: readonly (readonly [string, string, number])[] = [
  ["1-3,5-7", "2-4,6-8", 4],
  ["2-4,6-9", "1-3,5-7", 4],
  ["0-4,6-9", "1-3,7-8", 5],
  ["0-6,8-9", "1-3,5-9", 7],
  ["0-5,7-9", "1-5,7-10", 8],
  ["0-3,6-9", "1-10", 7],
];

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
  ["an invalid rule is not met", [{ succeededIndexes: "invalid-form" }], "0", undefined],
  ["no rules are not met", [], "0", undefined],
  ["the first of two rules is met", [{ succeededIndexes: "0,1" }, { succeededIndexes: "5" }], "0-2,4-7", met],
  ["an empty rule is not met", [{ succeededIndexes: "" }], "1-3", undefined],
  ["indexes that are a subset", [{ succeededIndexes: "2-4,6-8" }], "1-9", met],
  ["indexes that are equal", [{ succeededIndexes: "2-4,6-9" }], "2-4,6-9", met],
  ["indexes beyond the completions do not matter", [{ succeededIndexes: "2-4,8-12" }], "2-5,7-15", met],
  ["indexes all beyond the completions", [{ succeededIndexes: "10-12,14-16" }], "1-3,5-7", undefined],
  ...overlaps.flatMap(([rule, succeeded, succeededCount]) => [
    [`${succeeded} do not contain ${rule}`, [{ succeededIndexes: rule }], succeeded, undefined] as const,
    [
      `${succeeded} contain ${succeededCount} of ${rule}`,
      [{ succeededIndexes: rule, succeededCount }],
      succeeded,
      met,
    ] as const,
    [
      `${succeeded} do not contain more than ${succeededCount} of ${rule}`,
      [{ succeededIndexes: rule, succeededCount: succeededCount + 1 }],
      succeeded,
      undefined,
    ] as const,
  ]),
])("%s", (_, rules, succeeded, expected) => {
  const job = aJob({
    completions: 10,
    completionMode: "Indexed",
    ...(rules === undefined ? {} : { successPolicy: { rules } }),
  });
  expect(metSuccessRule(job, parseIndexes(succeeded, 10))).toBe(expected);
});
