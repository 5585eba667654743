import { describe, expect, test } from "vitest";
import type { Job } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aJob, now, onFailure, pod, sync } from "./sync.suite.ts";

// Upstream's cases by value: `job_controller_test.go`. `2/5` is a Job with parallelism 2 and 5 completions.

const conditions = [{ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }];
const denied = (type: string) => ({
  conditions: [{ type, status: "False", reason: "ConditionAddedManually", message: "Testing" }],
});

/** Reads a Job such as `2/- limit=0 indexed`, without completions and retries. */
function jobFrom(text: string, status: object = {}, template: object = {}): Job {
  const [size = "", ...words] = text.split(" ");
  const [parallelism, completions] = size.split("/");
  const values = new Map(words.map((word) => word.split("=") as [string, string]));
  const is = (word: string) => words.includes(word);
  const spec = {
    parallelism: Number(parallelism),
    completions: completions === "-" ? undefined : Number(completions),
    backoffLimit: Number(values.get("limit") ?? 6),
    activeDeadlineSeconds: values.has("deadline") ? Number(values.get("deadline")) : undefined,
    podReplacementPolicy: values.get("replace"),
    completionMode: is("indexed") ? "Indexed" : undefined,
    podFailurePolicy: is("policy") ? { rules: [] } : undefined,
    suspend: is("suspend") ? true : undefined,
    ...template,
  };
  const present = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
  const all = { ...spec, ...present, ...(completions === "-" ? { completions: undefined } : {}) };
  return aJob(all, status, is("deleting") ? { deletionTimestamp: formatTime(now) } : {});
}

const ready = { conditions: [{ type: "Ready", status: "True" }] };

/** Reads Pods such as `running*3 2:Succeeded x:Failed`: their phases, or their indexes and phases. */
function podsFrom(text: string): readonly Pod[] {
  return text.split(" ").flatMap((word) => {
    const [what = "", count = "1"] = word.split("*");
    return Array.from({ length: what === "" ? 0 : Number(count) }, (_, i) => podFrom(what, `${word}-${i}`));
  });
}

function podFrom(what: string, id: string): Pod {
  const [index, phase] = what.split(":");
  const name = id.replaceAll(/\W/g, "-").toLowerCase();
  if (phase !== undefined) {
    const made = pod(`${name}:${phase}`, index === "x" ? {} : { index: Number(index) });
    if (index !== "x") return made;
    const annotations = { "batch.kubernetes.io/job-completion-index": "invalid" };
    return { ...made, metadata: { ...made.metadata, annotations } };
  }
  switch (what) {
    case "ready":
      return pod(`${name}:Running`, { status: ready });
    case "terminating":
      return pod(`${name}:Running`, { isDeleted: true });
    default:
      return pod(`${name}:${what.charAt(0).toUpperCase()}${what.slice(1)}`);
  }
}

/** One reconciliation: the creates or deletes, the Pods that lose their finalizer, and the status. */
function counts(job: Job, pods: readonly Pod[], time?: number, backoff?: Parameters<typeof sync>[3]) {
  const unique = pods.map((one, i) => {
    const name = `p${i}`;
    return { ...one, metadata: { ...one.metadata, name, uid: name } };
  });
  const synced = sync(job, unique, time, backoff);
  const [action, ...names] = synced.pods.split(" ");
  const isDeletion = action === "delete" || action === "end";
  const released = synced.release === "" ? 0 : synced.release.split(" ").length;
  return [
    isDeletion ? `${action} ${names.length}` : synced.pods,
    released + (action === "delete" ? names.length : 0),
    synced.last.replaceAll(/ ?\b(start|end)=\S+/g, "").trim(),
  ] as const;
}

const complete = "SuccessCriteriaMet=True(CompletionsReached) Complete=True(CompletionsReached)";
const failing = (reason: string) => `FailureTarget=True(${reason})`;
const failed = (reason: string) => `${failing(reason)} Failed=True(${reason})`;
const limit = "BackoffLimitExceeded";
const overdue = "DeadlineExceeded";
const suspended = "Suspended=True(JobSuspended)";

describe("one reconciliation of a Job", () => {
  test.each<readonly [string, string, string, string, number, string]>([
    ["start", "2/5", "", "create - -", 0, "active=2"],
    ["start of a work queue", "2/-", "", "create - -", 0, "active=2"],
    ["pending Pods", "2/5", "pending*2", "none", 0, "active=2"],
    ["enough Pods", "3/5", "running ready*2", "none", 0, "active=3 ready=2"],
    ["enough Pods of a work queue", "2/-", "running*2", "none", 0, "active=2"],
    ["too few Pods", "2/5", "running succeeded", "create -", 1, "active=2 succeeded=1"],
    [
      "a work queue that replaces failed Pods only",
      "1/- replace=Failed",
      "running failed terminating",
      "none",
      1,
      "active=1 terminating=1 failed=1",
    ],
    [
      "the default replacement",
      "1/1",
      "running failed terminating",
      "none",
      2,
      "active=1 terminating=1 failed=2",
    ],
    [
      "a work queue that replaces terminating Pods",
      "1/- replace=TerminatingOrFailed",
      "running failed terminating",
      "none",
      2,
      "active=1 terminating=1 failed=2",
    ],
    [
      "more terminating Pods than parallelism",
      "1/1 replace=Failed",
      "running*2 terminating*4",
      "delete 1",
      1,
      "active=1 terminating=5",
    ],
    [
      "the same with a failure policy",
      "1/1 policy",
      "running*2 terminating*4",
      "delete 1",
      1,
      "active=1 terminating=5",
    ],
    ["too few Pods of a work queue", "2/-", "running", "create -", 0, "active=2"],
    ["too many Pods", "2/5", "running*3", "delete 1", 1, "active=2 terminating=1"],
    ["too many ready Pods", "2/5", "ready*3", "delete 1", 1, "active=2 ready=2 terminating=1"],
    [
      "a success and a failure",
      "2/5",
      "running succeeded failed",
      "create -",
      2,
      "active=2 succeeded=1 failed=1",
    ],
    ["a failure", "2/5", "running failed", "create -", 1, "active=2 failed=1"],
    ["finish", "2/5", "succeeded*5", "none", 5, `succeeded=5 ${complete}`],
    ["a work queue that finishes", "2/-", "running succeeded", "none", 1, "active=1 succeeded=1"],
    ["a work queue that has finished", "2/-", "succeeded*2", "none", 2, `succeeded=2 ${complete}`],
    ["a work queue with a failure", "2/-", "succeeded failed", "none", 2, `succeeded=1 failed=1 ${complete}`],
    ["far too many Pods", "2/5", "running*10", "delete 8", 8, "active=2 terminating=8"],
    [
      "more Pods than remaining completions",
      "3/4",
      "running*3 succeeded*2",
      "delete 1",
      3,
      "active=2 terminating=1 succeeded=2",
    ],
    ["successes", "2/5", "running*2 succeeded*2", "none", 2, "active=2 succeeded=2"],
    ["deleting", "2/5 deleting", "pending running succeeded", "none", 3, "active=2 succeeded=1"],
    ["too many failures", "2/5 limit=0 deleting", "failed", "end 0", 1, `failed=1 ${failed(limit)}`],
    [
      "too many failures, ready Pods",
      "2/3 limit=0",
      "ready*2 failed",
      "end 2",
      3,
      `terminating=2 failed=3 ${failing(limit)}`,
    ],
    ["suspending", "2/4 suspend", "running*2", "delete 2", 2, `terminating=2 ${suspended}`],
    ["suspending ready Pods", "2/4 suspend", "ready*2", "delete 2", 2, `terminating=2 ${suspended}`],
    ["suspending while deleting", "2/4 suspend deleting", "running*2", "none", 2, "active=2"],
    ["no failure without retries", "1/1 limit=0", "running", "none", 0, "active=1"],
    ["one failure of one retry", "1/1 limit=1", "failed", "create -", 1, "active=1 failed=1"],
    ["two failures of one retry", "1/1 limit=1", "failed*2", "end 0", 2, `failed=2 ${failed(limit)}`],
    ["6 failures of 6 retries", "2/2", "running failed*6", "create -", 6, "active=2 failed=6"],
    ["7 failures of 6 retries", "2/2", "failed*7", "end 0", 7, `failed=7 ${failed(limit)}`],
    [
      "a deadline, one Pod",
      "1/1 deadline=10",
      "running",
      "end 1",
      1,
      `terminating=1 failed=1 ${failing(overdue)}`,
    ],
    [
      "a deadline after a success",
      "1/2 deadline=10",
      "running succeeded",
      "end 1",
      2,
      `terminating=1 succeeded=1 failed=1 ${failing(overdue)}`,
    ],
    ["a deadline before the first Pod", "1/1 deadline=10", "", "end 0", 0, failed(overdue)],
    [
      "a deadline and too many failures",
      "1/1 deadline=1 limit=0",
      "failed",
      "end 0",
      1,
      `failed=1 ${failed(limit)}`,
    ],
    ["a deadline while suspended", "1/2 deadline=10 suspend", "", "none", 0, suspended],
  ])("%s", (_, job, pods, ...expected) => {
    expect(counts(jobFrom(job), podsFrom(pods))).toEqual(expected);
  });

  test.each<readonly [string, string, string, string, number, string]>([
    ["start", "2/5", "", "create 0 1", 0, "active=2"],
    [
      "a terminating Pod, replacing failed ones",
      "2/5 replace=Failed",
      "terminating",
      "create 0",
      0,
      "active=1 terminating=1",
    ],
    [
      "a terminating Pod, replacing it",
      "2/5 replace=TerminatingOrFailed",
      "terminating",
      "create 0 1",
      1,
      "active=2 terminating=1",
    ],
    [
      "complete",
      "2/3",
      "0:Succeeded 1:Failed 1:Succeeded 2:Succeeded",
      "none",
      4,
      `succeeded=3 failed=1 completed=0-2 ${complete}`,
    ],
    [
      "too many failures",
      "2/3 limit=0",
      "0:Succeeded 1:Failed 2:Running",
      "end 1",
      3,
      `terminating=1 succeeded=1 failed=2 completed=0 ${failing(limit)}`,
    ],
    [
      "an index that succeeded twice",
      "2/3",
      "0:Succeeded 1:Succeeded 1:Succeeded",
      "create 2",
      3,
      "active=1 succeeded=2 completed=0,1",
    ],
    [
      "running and succeeded indexes",
      "8/20",
      "0:Running 2:Succeeded 3:Pending 4:Succeeded 5:Succeeded 7:Succeeded 8:Succeeded 9:Succeeded",
      "create 1 6 10 11 12 13",
      6,
      "active=8 succeeded=6 completed=2,4,5,7-9",
    ],
    ["failed indexes", "3/4", "0:Failed 1:Pending 2:Failed", "create 0 2", 2, "active=3 failed=2"],
    [
      "Pods without an index",
      "2/5",
      "running succeeded failed x:Running x:Succeeded x:Failed x:Pending 0:Succeeded 1:Running 2:Running",
      "delete 3",
      8,
      "active=2 terminating=3 succeeded=1 completed=0",
    ],
    [
      "repeated indexes",
      "5/5",
      "succeeded failed x:Running 0:Succeeded 1:Running 2:Running 2:Pending",
      "delete 2",
      5,
      "active=2 terminating=2 succeeded=1 completed=0",
    ],
    [
      "indexes out of range",
      "2/5",
      "0:Succeeded 5:Running 6:Succeeded 7:Pending 8:Failed",
      "delete 2",
      5,
      "terminating=2 succeeded=1 completed=0",
    ],
  ])("by index: %s", (_, job, pods, ...expected) => {
    expect(counts(jobFrom(`${job} indexed`), podsFrom(pods))).toEqual(expected);
  });

  test.each<readonly [string, string, object, string, string, string]>([
    ["resuming", "2/4", { conditions }, "", "create - -", "active=2 Suspended=False(JobResumed)"],
    ["a failure that is counted", "1/1", { active: 1, failed: 1 }, "running", "none", "active=1 failed=1"],
    ...["FailureTarget", "SuccessCriteriaMet"].map(
      (type) =>
        [
          `a manual ${type}`,
          "1/1",
          denied(type),
          "ready",
          "none",
          `active=1 ready=1 ${type}=False(ConditionAddedManually)`,
        ] as const,
    ),
  ])("from a status: %s", (_, job, status, pods, action, expected) => {
    const [planned, , shown] = counts(jobFrom(job, status), podsFrom(pods));
    expect([planned, shown]).toEqual([action, expected]);
  });

  test.each<readonly [string, string, string, number, string, string]>([
    ["no Pods", "1/1", "", 1, "wait 10000", ""],
    ["a running Pod", "2/2", "ready", 1, "wait 10000", "active=1 ready=1"],
    ["no failures", "1/1", "", 0, "create -", "active=1"],
  ])("with a back-off: %s", (_, job, pods, failures, action, expected) => {
    const backoff = { failures, lastFailure: now };
    const [planned, , shown] = counts(jobFrom(job), podsFrom(pods), now, backoff);
    expect([planned, shown]).toEqual([action, expected]);
  });
});

describe("restarts in place", () => {
  const restarted = (phase: string, restarts: readonly number[]) =>
    restarts.map((restartCount, i) =>
      pod(`p${i}:${phase}`, { status: { containerStatuses: [{ name: "web", restartCount }] } }),
    );
  test.each<readonly [string, string, readonly number[], string]>([
    ["1/1 limit=0", "Running", [0], "active=1"],
    ["1/1 limit=1", "Running", [0], "active=1"],
    ["1/1 limit=1", "Running", [1], `terminating=1 failed=1 ${failing(limit)}`],
    ["1/1 limit=1", "Pending", [1], `terminating=1 failed=1 ${failing(limit)}`],
    ["1/5 limit=2", "Running", [2], `terminating=1 failed=1 ${failing(limit)}`],
    ["1/5 limit=2", "Pending", [2], `terminating=1 failed=1 ${failing(limit)}`],
    ["2/5 limit=2", "Running", [1, 1], `terminating=2 failed=2 ${failing(limit)}`],
    ["2/5 limit=2", "Pending", [1, 1], `terminating=2 failed=2 ${failing(limit)}`],
    ["2/5 limit=3", "Running", [1, 1], "active=2"],
    ["2/4 limit=6 suspend", "Running", [1, 1], `terminating=2 ${suspended}`],
    ["2/4 limit=6 suspend", "Succeeded", [1, 1, 2, 0], `succeeded=4 ${complete}`],
  ])("%s %s with %j", (job, phase, restarts, expected) => {
    const [, , shown] = counts(jobFrom(job, {}, { template: onFailure }), restarted(phase, restarts));
    expect(shown).toBe(expected);
  });
});
