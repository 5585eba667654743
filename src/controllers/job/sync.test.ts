import { expect, test } from "vitest";
import type { Job } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { start } from "../builders.suite.ts";
import { aJob, minute, now, onFailure, pod, sync, type Synced } from "./sync.suite.ts";

const at = formatTime(now);
const failJob = { action: "FailJob", onExitCodes: { operator: "In", values: [42] } };
const ignoreExit = { action: "Ignore", onExitCodes: { operator: "In", values: [42] } };
const failIndex = { action: "FailIndex", onExitCodes: { operator: "In", values: [42] } };
const indexed = { completionMode: "Indexed", parallelism: 3, completions: 3 };
const perIndex = { ...indexed, backoffLimitPerIndex: 1, backoffLimit: 2 ** 31 - 1 };
const condition = (type: string, reason: string, status = "True") => ({ type, status, reason, message: "m" });

/** After upstream's `TestControllerSyncJob` and `TestTrackJobStatusAndRemoveFinalizers`. */
test.each<readonly [string, Job, readonly Pod[], Partial<Synced>]>([
  [
    "a new Job starts: it has a start time, and its Pods are active",
    aJob({ parallelism: 2, completions: 5 }, { startTime: undefined }),
    [],
    { pods: "create - -", first: `active=2 start=${at}`, events: "" },
  ],
  [
    "ready and terminating Pods are counted beside the active ones",
    aJob({ parallelism: 2, completions: 5, podReplacementPolicy: "Failed" }),
    [
      pod("a:Running", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
      pod("b:Running", { isDeleted: true }),
    ],
    { pods: "none", first: "active=1 ready=1 terminating=1" },
  ],
  [
    "deleted Pods are terminating and no longer active or ready",
    aJob({ parallelism: 1, completions: 5 }),
    [
      pod("a:Running", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
      pod("b:Running", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
    ],
    { pods: "delete a", first: "active=1 ready=1 terminating=1" },
  ],
  [
    "finished and terminating Pods are released and counted; others stay",
    aJob({ parallelism: 2, completions: 5 }),
    [
      pod("a:Succeeded"),
      pod("b:Failed"),
      pod("c:Succeeded", { isDeleted: true }),
      pod("d:Failed", { isDeleted: true }),
      pod("e:Pending", { isDeleted: true }),
      pod("f:Pending"),
      pod("g:Running"),
    ],
    {
      release: "a b c d e",
      first: "active=2 terminating=1 uncounted=a,c uncountedFailed=b,d,e",
      last: "active=2 terminating=1 succeeded=2 failed=3",
    },
  ],
  [
    "earlier Pods without the finalizer are counted now, and no Pod is counted twice",
    aJob(
      { completions: 9 },
      {
        succeeded: 2,
        failed: 3,
        uncountedTerminatedPods: { succeeded: ["a", "e"], failed: ["b", "f"] },
      },
    ),
    [
      pod("e:Succeeded", { isTracked: false }),
      pod("g:Failed", { isTracked: false }),
      pod("h:Pending", { isTracked: false }),
      pod("a:Succeeded"),
      pod("b:Failed"),
      pod("c:Succeeded"),
      pod("d:Failed"),
    ],
    {
      release: "a b c d",
      first: "active=1 succeeded=3 failed=4 uncounted=a,c uncountedFailed=b,d",
      last: "active=1 succeeded=5 failed=6",
    },
  ],
  [
    "enough successes complete the Job",
    aJob(),
    [pod("a:Succeeded"), pod("b:Failed")],
    {
      release: "a b",
      first: "uncounted=a uncountedFailed=b SuccessCriteriaMet=True(CompletionsReached)",
      last: `succeeded=1 failed=1 end=${at} SuccessCriteriaMet=True(CompletionsReached) Complete=True(CompletionsReached)`,
      events: "Normal Completed",
    },
  ],
  [
    "a Job with enough successes waits for its active Pods",
    aJob({ completions: undefined }),
    [pod("a:Succeeded"), pod("b:Running")],
    { first: "active=1 uncounted=a", last: "active=1 succeeded=1", events: "" },
  ],
  [
    "a Job with enough successes deletes further Pods first",
    aJob(),
    [pod("a:Succeeded"), pod("b:Running")],
    {
      pods: "delete b",
      first: "terminating=1 uncounted=a SuccessCriteriaMet=True(CompletionsReached)",
      last: "terminating=1 succeeded=1 SuccessCriteriaMet=True(CompletionsReached)",
      events: "",
    },
  ],
  [
    "as many successes as completions are not too many",
    aJob({ completions: 2 }),
    [pod("a:Succeeded"), pod("b:Succeeded")],
    { events: "Normal Completed" },
  ],
  [
    "a work queue has no number of completions to exceed",
    aJob({ completions: undefined }),
    [pod("a:Succeeded"), pod("b:Succeeded")],
    { events: "Normal Completed" },
  ],
  [
    "too many failures: active Pods are deleted, and count as failed",
    aJob({ parallelism: 2, completions: 5, backoffLimit: 0 }),
    [pod("a:Succeeded"), pod("b:Failed"), pod("c:Running")],
    {
      pods: "end c",
      release: "a b c",
      // Failed is not shown before the last Pod has terminated.
      first: "terminating=1 uncounted=a uncountedFailed=b,c FailureTarget=True(BackoffLimitExceeded)",
      last: "terminating=1 succeeded=1 failed=2 FailureTarget=True(BackoffLimitExceeded)",
      events: "",
    },
  ],
  [
    "a Job with a failure target fails once its Pods have terminated",
    aJob({}, { failed: 1, conditions: [condition("FailureTarget", "BackoffLimitExceeded")] }),
    [],
    {
      pods: "end",
      first: "failed=1 FailureTarget=True(BackoffLimitExceeded)",
      last: "failed=1 FailureTarget=True(BackoffLimitExceeded) Failed=True(BackoffLimitExceeded)",
      events: "Warning BackoffLimitExceeded",
    },
  ],
  [
    "a failure target that is not True is none",
    aJob({}, { conditions: [condition("FailureTarget", "BackoffLimitExceeded", "False")] }),
    [pod("a:Running")],
    { pods: "none" },
  ],
  [
    "a success criterion that is met ends the Pods; those that run do not count as failed",
    aJob(indexed, { conditions: [condition("SuccessCriteriaMet", "SuccessPolicy")] }),
    [pod("a:Succeeded", { index: 0 }), pod("b:Failed", { index: 1 }), pod("c:Pending", { index: 2 })],
    {
      pods: "end c",
      release: "a b c",
      last: "terminating=1 succeeded=1 failed=1 completed=0 SuccessCriteriaMet=True(SuccessPolicy)",
    },
  ],
  [
    "a success criterion completes the Job once its Pods have terminated",
    aJob(indexed, { conditions: [condition("SuccessCriteriaMet", "SuccessPolicy")], completedIndexes: "0" }),
    [],
    {
      last: `succeeded=1 completed=0 end=${at} SuccessCriteriaMet=True(SuccessPolicy) Complete=True(SuccessPolicy)`,
      events: "Normal Completed",
    },
  ],
  [
    "the success policy is met by a new success",
    aJob({ ...indexed, successPolicy: { rules: [{ succeededCount: 1 }] } }),
    [pod("a:Succeeded", { index: 1 }), pod("b:Running", { index: 0 })],
    {
      pods: "end b",
      first: "terminating=1 succeeded=1 completed=1 SuccessCriteriaMet=True(SuccessPolicy)",
    },
  ],
  [
    "a deleted Job releases all its Pods; those that run do not count",
    aJob({ parallelism: 2, completions: 5 }, {}, { deletionTimestamp: at }),
    [pod("a:Succeeded"), pod("b:Failed"), pod("c:Running")],
    { pods: "none", release: "a b c", last: "active=1 succeeded=1 failed=1" },
  ],
  [
    "an active deadline that is over ends the Job",
    aJob({ activeDeadlineSeconds: 6000 }),
    [pod("a:Running")],
    { pods: "end a", last: "terminating=1 failed=1 FailureTarget=True(DeadlineExceeded)" },
  ],
  [
    "an active deadline that is not over does not",
    aJob({ activeDeadlineSeconds: 6001 }),
    [pod("a:Running")],
    { pods: "none" },
  ],
  [
    "the deadline of a suspended Job does not pass",
    aJob(
      { activeDeadlineSeconds: 10, suspend: true },
      { startTime: undefined, conditions: [condition("Suspended", "JobSuspended")] },
    ),
    [],
    { pods: "none", events: "Normal Suspended" },
  ],
  [
    "a suspended Job deletes its Pods, and has no start time",
    aJob({ suspend: true }),
    [pod("a:Running")],
    {
      pods: "delete a",
      first: "terminating=1 start=none Suspended=True(JobSuspended)",
      events: "Normal Suspended",
    },
  ],
  [
    "a suspended Job is suspended once",
    aJob(
      { suspend: true },
      {
        startTime: undefined,
        conditions: [{ ...condition("Suspended", "JobSuspended"), message: "Job suspended" }],
      },
    ),
    [],
    { first: "start=none Suspended=True(JobSuspended)", events: "" },
  ],
  [
    "a resumed Job starts anew",
    aJob({ suspend: false }, { conditions: [condition("Suspended", "JobSuspended")] }),
    [],
    {
      pods: "create -",
      first: `active=1 start=${at} Suspended=False(JobResumed)`,
      events: "Normal Resumed",
    },
  ],
  [
    "a deleted Job is not suspended",
    aJob({ suspend: true }, {}, { deletionTimestamp: at }),
    [],
    { first: "", events: "" },
  ],
  [
    "a failed Job is not suspended",
    aJob({ suspend: true, backoffLimit: 0 }),
    [pod("a:Failed")],
    {
      first: "uncountedFailed=a FailureTarget=True(BackoffLimitExceeded)",
      events: "Warning BackoffLimitExceeded",
    },
  ],
  [
    "a Job whose first Pods succeed is complete, and not resumed",
    aJob({ suspend: false }, { conditions: [condition("Suspended", "JobSuspended")] }),
    [pod("a:Succeeded")],
    { events: "Normal Completed" },
  ],
  [
    "other conditions stay as they are",
    aJob({}, { conditions: [condition("Other", "Reason")] }),
    [pod("a:Succeeded")],
    { first: "uncounted=a Other=True(Reason) SuccessCriteriaMet=True(CompletionsReached)" },
  ],
  [
    "a rule of the Pod failure policy fails the Job",
    aJob({ podFailurePolicy: { rules: [failJob] } }),
    [pod("a:Failed", { exitCode: 42 }), pod("b:Running")],
    { pods: "end b", last: "terminating=1 failed=2 FailureTarget=True(PodFailurePolicy)" },
  ],
  [
    "with a Pod failure policy, a terminating Pod has not failed yet",
    aJob({ podFailurePolicy: { rules: [failJob] } }),
    [pod("a:Running", { isDeleted: true })],
    { pods: "none", release: "", first: "terminating=1" },
  ],
  [
    "an ignored failure is released, and does not count",
    aJob({ backoffLimit: 0, podFailurePolicy: { rules: [ignoreExit] } }),
    [pod("a:Failed", { exitCode: 42 })],
    { pods: "create -", release: "a", last: "active=1" },
  ],
  [
    "restarts of containers use up the retries",
    aJob({ template: onFailure, backoffLimit: 3 }),
    [pod("a:Running", { status: { containerStatuses: [{ name: "web", restartCount: 3 }] } })],
    { pods: "end a" },
  ],
  [
    "restarts of init containers count too",
    aJob({ template: onFailure, backoffLimit: 3 }),
    [
      pod("a:Pending", {
        status: {
          initContainerStatuses: [{ name: "init", restartCount: 2 }],
          containerStatuses: [{ name: "web", restartCount: 1 }],
        },
      }),
    ],
    { pods: "end a" },
  ],
  [
    "restarts below the limit do not end the Job",
    aJob({ template: onFailure, backoffLimit: 3 }),
    [pod("a:Running", { status: { containerStatuses: [{ name: "web", restartCount: 2 }] } })],
    { pods: "none" },
  ],
  [
    "without retries, no restart is one too many",
    aJob({ template: onFailure, backoffLimit: 0 }),
    [pod("a:Running", { status: { containerStatuses: [{ name: "web", restartCount: 0 }] } })],
    { pods: "none" },
  ],
  [
    "without retries, the first restart is one too many",
    aJob({ template: onFailure, backoffLimit: 0 }),
    [pod("a:Running", { status: { containerStatuses: [{ name: "web", restartCount: 1 }] } })],
    { pods: "end a" },
  ],
  [
    "restarts of a Pod that has finished do not count",
    aJob({ template: onFailure, backoffLimit: 3, completions: 2 }),
    [pod("a:Succeeded", { status: { containerStatuses: [{ name: "web", restartCount: 9 }] } })],
    { pods: "create -" },
  ],
  [
    "restarts do not count where Pods are not restarted in place",
    aJob({ backoffLimit: 3 }),
    [pod("a:Running", { status: { containerStatuses: [{ name: "web", restartCount: 9 }] } })],
    { pods: "none" },
  ],
  [
    "an Indexed Job counts each succeeded index once, in order",
    aJob({ ...indexed, completions: 6 }, { completedIndexes: "1", succeeded: 1 }),
    [
      pod("c:Succeeded", { index: 4 }),
      pod("a:Succeeded", { index: 0 }),
      pod("b:Succeeded", { index: 1 }),
      pod("d:Succeeded", { index: 4 }),
      pod("e:Failed", { index: 3 }),
    ],
    {
      pods: "create 2 3 5",
      release: "a b e c d",
      first: "active=3 succeeded=3 completed=0,1,4 uncountedFailed=e",
      last: "active=3 succeeded=3 failed=1 completed=0,1,4",
    },
  ],
  [
    "Pods without a valid index are released, and do not count",
    aJob(indexed),
    [pod("a:Succeeded"), pod("b:Failed"), pod("c:Succeeded", { index: 3 }), pod("d:Failed", { index: 3 })],
    { release: "a b c d", pods: "create 0 1 2", last: "active=3" },
  ],
  [
    "a Job whose indexes have all succeeded is complete",
    aJob(indexed, { completedIndexes: "0,1" }),
    [pod("a:Succeeded", { index: 2 })],
    {
      last: `succeeded=3 completed=0-2 end=${at} SuccessCriteriaMet=True(CompletionsReached) Complete=True(CompletionsReached)`,
    },
  ],
  [
    "with a limit by index, new Pods know that none has failed before",
    aJob(perIndex),
    [],
    { pods: "create 0(0/0) 1(0/0) 2(0/0)", first: "active=3 failedIndexes=" },
  ],
  [
    "the failed Pod of an index stays until its replacement exists, which knows of the failure",
    aJob(perIndex),
    [
      pod("a:Failed", { index: 0, failures: 0 }),
      pod("b:Running", { index: 1 }),
      pod("c:Running", { index: 2 }),
    ],
    { pods: "create 0(1/0)", release: "", first: "active=3 failedIndexes=" },
  ],
  [
    "once the replacement exists, the failed Pod is released and counted",
    aJob(perIndex),
    [
      pod("a:Failed", { index: 0, failures: 0 }),
      pod("a2:Running", { index: 0, failures: 1 }),
      pod("b:Running", { index: 1 }),
      pod("c:Running", { index: 2 }),
    ],
    { pods: "none", release: "a", last: "active=3 failed=1 failedIndexes=" },
  ],
  [
    "of two failed Pods of an index, the later one stays",
    aJob({ ...perIndex, backoffLimitPerIndex: 5 }),
    [
      pod("a:Failed", { index: 0, failures: 0 }),
      pod("b:Failed", { index: 0, failures: 1 }),
      pod("c:Running", { index: 1 }),
      pod("d:Running", { index: 2 }),
    ],
    { pods: "create 0(2/0)", release: "a" },
  ],
  [
    "of two failed Pods with as many failures, the one that finished later stays",
    aJob({ ...perIndex, backoffLimitPerIndex: 5 }),
    [
      pod("a:Failed", { index: 0, failures: 1, finishedAt: start + minute }),
      pod("b:Failed", { index: 0, failures: 1, finishedAt: start }),
      pod("c:Running", { index: 1 }),
      pod("d:Running", { index: 2 }),
    ],
    { release: "b" },
  ],
  [
    "an index that has used up its retries fails; the others go on",
    aJob(perIndex),
    [
      pod("a:Failed", { index: 0, failures: 1 }),
      pod("b:Running", { index: 1 }),
      pod("c:Running", { index: 2 }),
    ],
    { pods: "none", release: "a", last: "active=2 failed=1 failedIndexes=0" },
  ],
  [
    "a rule of the Pod failure policy fails the index at once",
    aJob({ ...perIndex, podFailurePolicy: { rules: [failIndex] } }),
    [
      pod("a:Failed", { index: 0, failures: 0, exitCode: 42 }),
      pod("b:Running", { index: 1 }),
      pod("c:Running", { index: 2 }),
    ],
    { pods: "none", last: "active=2 failed=1 failedIndexes=0" },
  ],
  [
    "an ignored failure of an index is noted apart from those that count",
    aJob({ ...perIndex, backoffLimitPerIndex: 2, podFailurePolicy: { rules: [ignoreExit] } }),
    [
      pod("a:Failed", { index: 0, failures: 1, ignored: 2, exitCode: 42 }),
      pod("b:Running", { index: 1 }),
      pod("c:Running", { index: 2 }),
    ],
    { pods: "create 0(1/3)", release: "" },
  ],
  [
    "a failed index is not started again",
    aJob(perIndex, { failedIndexes: "0" }),
    [pod("b:Running", { index: 1 }), pod("c:Running", { index: 2 })],
    { pods: "none", first: "active=2 failedIndexes=0" },
  ],
  [
    "a Job fails once all of its indexes have a result, and one has failed",
    aJob(perIndex, { failedIndexes: "0", completedIndexes: "1" }),
    [pod("c:Succeeded", { index: 2 })],
    {
      pods: "end",
      last: "succeeded=2 completed=1,2 failedIndexes=0 FailureTarget=True(FailedIndexes) Failed=True(FailedIndexes)",
      events: "Warning FailedIndexes",
    },
  ],
  [
    "too many failed indexes fail the Job at once",
    aJob({ ...perIndex, maxFailedIndexes: 0 }, { failedIndexes: "0" }),
    [pod("b:Running", { index: 1 })],
    {
      pods: "end b",
      last: "terminating=1 failed=1 failedIndexes=0 FailureTarget=True(MaxFailedIndexesExceeded)",
    },
  ],
  [
    "as many failed indexes as allowed do not",
    aJob({ ...perIndex, maxFailedIndexes: 1 }, { failedIndexes: "0" }),
    [pod("b:Running", { index: 1 }), pod("c:Running", { index: 2 })],
    { pods: "none" },
  ],
  [
    "a terminating Pod of an index is not replaced where only failed Pods are",
    aJob({ ...indexed, podReplacementPolicy: "Failed" }),
    [pod("a:Running", { index: 0, isDeleted: true }), pod("b:Running", { index: 1 })],
    { pods: "create 2", first: "active=2 terminating=1" },
  ],
])("%s", (_, job, pods, expected) => {
  expect(sync(job, pods)).toMatchObject(expected);
});

test("each index backs off for itself, by its own failures", () => {
  const job = aJob({ ...perIndex, backoffLimitPerIndex: 5 });
  const failed = (name: string, index: number, failures: number, ignored?: number) =>
    pod(`${name}:Failed`, {
      index,
      failures,
      finishedAt: now,
      ...(ignored === undefined ? {} : { ignored }),
    });
  const both = [failed("a", 0, 0), failed("b", 1, 1), pod("c:Running", { index: 2 })];
  expect(sync(job, both).pods).toBe("wait 10000");
  expect(sync(job, both, now + 9500).pods).toBe("wait 1000");
  expect(sync(job, both, now + 10_000).pods).toBe("create 0(1/0)");
  expect(sync(job, both, now + 20_000).pods).toBe("create 0(1/0) 1(2/0)");
  // Ignored failures lengthen the wait too.
  expect(sync(job, [failed("a", 0, 0, 2), ...both.slice(1)], now + 15_000).pods).toBe("wait 5000");
});
