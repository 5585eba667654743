import { describe, expect, test } from "vitest";
import type { Job } from "../../api/batch/job/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { aPod, start } from "../builders.suite.ts";
import { isActive } from "../pods/pod-state.ts";
import { formatIndexes, mergeIndexes, parseIndexes } from "./indexes.ts";
import {
  failedIndexes,
  failedPodsToReplace,
  failuresAfter,
  pendingIndexes,
  succeededIndexes,
} from "./per-index.ts";
import { jobPod } from "./pod-template.ts";
import { indexAnnotation, trackingFinalizer } from "./pods.ts";
import { podsToRemove } from "./removal.ts";
import { aJob, pod } from "./sync.suite.ts";

// Upstream's cases by value: `indexed_job_utils_test.go`.

/** Reads Pods such as `2:Failed -:Running`, by their index annotation and phase. */
function podsFrom(text: string): readonly Pod[] {
  return text.split(" ").flatMap((word, i) => {
    const [index = "", phase] = word.split(":");
    if (phase === undefined) return [];
    const annotations = index === "-" ? {} : { [indexAnnotation]: index };
    return [aPod(`p${i}`, { metadata: { annotations, finalizers: [trackingFinalizer] }, status: { phase } })];
  });
}
const indexed = (completions: number, spec: object = {}, status: object = {}): Job =>
  aJob({ completionMode: "Indexed", completions, parallelism: completions, ...spec }, status);

describe("the succeeded indexes", () => {
  test.each<readonly [string, string, number, string, string]>([
    ["one", "", 2, "1:Succeeded", "1"],
    ["two", "", 11, "2:Failed 5:Succeeded 5:Succeeded 10:Failed 10:Succeeded", "5,10"],
    [
      "two intervals",
      "",
      8,
      "0:Running 1:Pending 2:Succeeded 3:Succeeded 5:Succeeded 6:Succeeded 7:Succeeded",
      "2,3,5-7",
    ],
    [
      "one and an interval",
      "",
      6,
      "0:Succeeded 1:Failed 2:Succeeded 3:Succeeded 4:Succeeded 5:Succeeded -:Succeeded -2:Succeeded",
      "0,2-5",
    ],
    [
      "some out of range",
      "",
      5,
      "0:Succeeded 1:Succeeded 2:Succeeded 3:Failed 4:Succeeded 5:Succeeded -:Succeeded -2:Succeeded",
      "0-2,4",
    ],
    ["earlier ones out of range", "0-5,8-10", 8, "", "0-5"],
    ["earlier ones partly out of range", "0-5,8-10", 10, "", "0-5,8,9"],
    [
      "new beside earlier ones",
      "0,4,5,10-12",
      13,
      "2:Succeeded 7:Succeeded 8:Succeeded",
      "0,2,4,5,7,8,10-12",
    ],
    ["earlier between new ones", "3,4,6", 9, "2:Succeeded 7:Succeeded 8:Succeeded", "2-4,6-8"],
    ["new between earlier ones", "2,7,8", 9, "3:Succeeded 4:Succeeded 6:Succeeded", "2-4,6-8"],
    ["new within earlier ones", "2-7", 10, "0:Succeeded 3:Succeeded 5:Succeeded 9:Succeeded", "0,2-7,9"],
    ["a malformed interval", "0,1-foo,bar", 4, "3:Succeeded", "0,3"],
  ])("%s", (_, completedIndexes, completions, pods, expected) => {
    const job = indexed(completions, {}, { completedIndexes });
    expect(formatIndexes(succeededIndexes(job, podsFrom(pods)))).toBe(expected);
  });
});

const failIndex = {
  rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [3] } }],
};
type Shape = Parameters<typeof pod>[1];
const failed = (index: number, failures: number, more: Shape = {}, name = `${index}`) =>
  pod(`p${name}:Failed`, { index, failures, ...more });

describe("the failed indexes", () => {
  test.each<readonly [string, number, object, readonly Pod[], string]>([
    ["at no retries", 0, {}, [failed(0, 0)], "0"],
    ["at one retry", 1, {}, [failed(0, 0), failed(1, 1)], "1"],
    ["without the finalizer", 0, {}, [failed(0, 0, { isTracked: false })], ""],
    ["out of range", 0, {}, [failed(3, 0)], ""],
    ["beside earlier ones", 0, { failedIndexes: "0" }, [failed(1, 0)], "0,1"],
    ["beside none", 0, { failedIndexes: "" }, [failed(1, 0)], "1"],
    ["beside earlier ones out of range", 0, { failedIndexes: "9" }, [failed(1, 0)], "1"],
  ])("%s", (_, backoffLimitPerIndex, status, pods, expected) => {
    expect(formatIndexes(failedIndexes(indexed(2, { backoffLimitPerIndex }, status), pods))).toBe(expected);
  });

  test("contain the index that a rule fails", () => {
    const job = indexed(2, { backoffLimitPerIndex: 1, podFailurePolicy: failIndex });
    expect(formatIndexes(failedIndexes(job, [failed(0, 0, { exitCode: 3 })]))).toBe("0");
  });
});

describe("the failed Pods that wait for a replacement", () => {
  const other = (index: number, failures: number, phase: string) =>
    pod(`other:${phase}`, { index, failures });
  const ended = (failures: number, name: string, seconds: number) =>
    failed(0, failures, { finishedAt: start + seconds * 1000 }, name);
  test.each<readonly [string, number, number, readonly Pod[], string]>([
    ["of indexes with retries left", 3, 1, [failed(0, 0), failed(1, 1), failed(2, 0)], "p0 p2"],
    ["not without the finalizer", 2, 0, [failed(0, 0, { isTracked: false })], ""],
    ["not out of range", 2, 0, [failed(4, 0)], ""],
    ["not of an active index", 2, 1, [failed(0, 0), other(0, 1, "Running")], ""],
    ["not of a succeeded index", 2, 1, [failed(0, 0), other(0, 1, "Succeeded")], ""],
    ["of most failures", 2, 4, [failed(0, 0, {}, "a"), failed(0, 2, {}, "c"), failed(0, 1, {}, "b")], "pc"],
    ["that finished last", 2, 4, [ended(1, "a", -1), ended(1, "c", 0), ended(1, "b", -2)], "pc"],
  ])("%s", (_, completions, backoffLimitPerIndex, pods, expected) => {
    const job = indexed(completions, { backoffLimitPerIndex });
    const finished = mergeIndexes(succeededIndexes(job, pods), failedIndexes(job, pods));
    const waiting = failedPodsToReplace(job, pods, pods.filter(isActive), finished);
    expect([...waiting.values()].map(({ metadata }) => metadata.name).join(" ")).toBe(expected);
  });
});

describe("the failures before a new Pod", () => {
  const ignore = {
    rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
  };
  const disrupted = { status: { conditions: [{ type: "DisruptionTarget", status: "True" }] } };
  test.each<readonly [string, object, Pod | undefined, number, number]>([
    ["none", {}, undefined, 0, 0],
    ["the first", {}, failed(0, 0), 1, 0],
    ["the fourth", {}, failed(0, 3), 4, 0],
    ["an ignored one", { podFailurePolicy: ignore }, failed(3, 3, disrupted), 3, 1],
  ])("%s", (_, spec, one, counted, ignored) => {
    expect(failuresAfter(one, indexed(4, spec))).toEqual({ counted, ignored });
  });
});

describe("the first pending indexes", () => {
  test.each<readonly [string, number, number, string, string, string, readonly number[]]>([
    ["all", 5, 3, "", "", "", [0, 1, 2]],
    ["some", 2, 5, "", "", "", [0, 1]],
    ["beside the first", 3, 10, "0:Running 1:Pending", "", "", [2, 3, 4]],
    ["beside the last", 6, 6, "6:Pending", "4,5", "", [0, 1, 2, 3]],
    ["between", 5, 20, "3:Pending 5:Running 8:Pending -:Running -3:Running", "2-4,9", "", [0, 1, 6, 7, 10]],
    ["beside failed ones", 5, 20, "3:Pending 9:Pending", "1,5,9", "2,6,7", [0, 4, 8, 10, 11]],
  ])("%s", (_, count, completions, active, succeeded, failedOnes, expected) => {
    const read = (text: string) => parseIndexes(text, completions);
    const finished = mergeIndexes(read(succeeded), read(failedOnes));
    const pods = podsFrom(active);
    expect(pendingIndexes(indexed(completions), pods, pods, finished, count)).toEqual(expected);
  });
});

describe("superfluous Pods", () => {
  test.each<readonly [string, string, string]>([
    ["unique indexes", "-:Pending 2:Pending 5:Running 6:Running", "-:Pending 6:Running"],
    [
      "repeated indexes",
      "5:Pending 0:Running 3:Pending 0:Running 3:Running 0:Pending 6:Running 6:Pending",
      "0:Pending 0:Running 3:Pending 6:Running 6:Pending",
    ],
    [
      "invalid indexes",
      "-:Pending invalid:Running -2:Running 0:Pending 1:Pending 1:Pending 1:Running",
      "-:Pending invalid:Running -2:Running 1:Pending 1:Pending",
    ],
  ])("by %s are removed", (_, pods, expected) => {
    const removed = podsToRemove(indexed(6), podsFrom(pods), 0).map(
      ({ metadata, status }) => `${metadata.annotations?.[indexAnnotation] ?? "-"}:${status.phase}`,
    );
    expect(removed.join(" ")).toBe(expected);
  });
});

const long = "hhhhhooooo".repeat(5);

test.each([
  ["indexed-job", "indexed-job-1-"],
  [`${long}hhhhhooooohhhhhooooo`, `${long}hhhhh-1-`],
  [`${long}hhhhhoo`, `${long}hhhhh-1-`],
])("the Pods of %s are named %s", (name, expected) => {
  const job = { ...indexed(2), metadata: { ...indexed(2).metadata, name } };
  expect(jobPod(job, { index: 1 }).metadata?.generateName).toBe(expected);
});
