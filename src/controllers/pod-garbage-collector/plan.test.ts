import { describe, expect, test } from "vitest";
import { nodes } from "../../api/core/node/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start as now } from "../builders.suite.ts";
import { beyondThreshold, failedStatus, podsToCollect, terminatedThreshold } from "./plan.ts";

const outOfService = { key: "node.kubernetes.io/out-of-service", effect: "NoExecute" };
const aNode = (ready: string | undefined, ...taints: readonly object[]) =>
  build(nodes, {
    metadata: { name: "n1" },
    spec: { taints },
    status: { conditions: ready === undefined ? [] : [{ type: "Ready", status: ready }] },
  });

describe("Pods to collect from a node", () => {
  const [running, ending] = [aPod("a"), aPod("b", { metadata: { deletionTimestamp: formatTime(now) } })];
  const all = [running, ending];
  test.each([
    ["that is missing: all", undefined, all],
    ["that is out of service and not ready: those being deleted", aNode("False", outOfService), [ending]],
    [
      "that is out of service and was never heard of: those being deleted",
      aNode(undefined, outOfService),
      [ending],
    ],
    [
      "that is out of service, and of which nothing is known: those being deleted",
      aNode("Unknown", outOfService),
      [ending],
    ],
    ["that is ready again: none", aNode("True", outOfService), []],
    ["that is not ready: none", aNode("False"), []],
    ["that has another taint: none", aNode("False", { key: "a", effect: "NoExecute" }), []],
    [
      "that has another taint too: those being deleted",
      aNode("False", { key: "a", effect: "NoExecute" }, outOfService),
      [ending],
    ],
  ])("%s", (_, node, expected) => {
    expect(podsToCollect(node, all)).toEqual(expected);
  });

  test("are found by the condition Ready alone", () => {
    const conditions = [
      { type: "MemoryPressure", status: "True" },
      { type: "Ready", status: "False" },
    ];
    const node = build(nodes, {
      metadata: { name: "n1" },
      spec: { taints: [outOfService] },
      status: { conditions },
    });
    expect(podsToCollect(node, all)).toEqual([ending]);
  });

  test("are none when the node has neither taints nor conditions", () => {
    expect(podsToCollect(build(nodes, { metadata: { name: "n1" } }), all)).toEqual([]);
  });
});

describe("of Pods that have ended", () => {
  const ended = (name: string, age: number, status: object = { phase: "Succeeded" }) =>
    aPod(name, { metadata: { creationTimestamp: formatTime(now - age * 1000) }, status });
  const evicted = { phase: "Failed", reason: "Evicted" };
  const names = (threshold: number, ...all: readonly ReturnType<typeof aPod>[]) =>
    beyondThreshold(all, threshold).map(({ metadata }) => metadata.name);

  test("as many stay as the threshold allows", () => {
    const all = [ended("a", 1), ended("b", 3), ended("c", 2)];
    expect(names(3, ...all)).toEqual([]);
    expect(names(2, ...all)).toEqual(["b"]);
    expect(names(1, ...all)).toEqual(["b", "c"]);
    expect(names(0, ...all)).toEqual(["b", "c", "a"]);
  });

  test("evicted Pods are deleted first, then the oldest", () => {
    const all = [
      ended("old", 9),
      ended("evicted", 1, evicted),
      ended("older", 10),
      ended("evicted-before", 2, evicted),
    ];
    expect(names(1, ...all)).toEqual(["evicted-before", "evicted", "older"]);
  });

  test("only a failed Pod was evicted", () => {
    expect(names(1, ended("new", 1, { phase: "Succeeded", reason: "Evicted" }), ended("old", 2))).toEqual([
      "old",
    ]);
    expect(names(1, ended("new", 1, { phase: "Failed", reason: "Error" }), ended("old", 2))).toEqual(["old"]);
  });

  test("the name decides among those of one age", () => {
    expect(names(1, ended("b", 1), ended("a", 1))).toEqual(["a"]);
  });

  test("12,500 may stay", () => {
    expect(beyondThreshold(Array.from({ length: terminatedThreshold }, () => ended("a", 1)))).toHaveLength(0);
    expect(beyondThreshold(Array.from({ length: 12_501 }, () => ended("a", 1)))).toHaveLength(1);
  });
});

describe("before a Pod is collected", () => {
  test.each(["Succeeded", "Failed"])("a Pod with the phase %s keeps its status", (phase) => {
    expect(failedStatus(aPod("a", { status: { phase } }), true, now)).toBeUndefined();
  });

  test("it gets the phase Failed", () => {
    expect(failedStatus(aPod("a", { status: { phase: "Running" } }), false, now)).toEqual({
      phase: "Failed",
    });
  });

  test("it gets a condition when its node is missing", () => {
    expect(failedStatus(aPod("a"), true, now)).toEqual({
      phase: "Failed",
      conditions: [
        {
          type: "DisruptionTarget",
          status: "True",
          reason: "DeletionByPodGC",
          message: "PodGC: node no longer exists",
          lastTransitionTime: formatTime(now),
        },
      ],
    });
  });
});
