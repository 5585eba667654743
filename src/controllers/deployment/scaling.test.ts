import { describe, expect, test } from "vitest";
import { formatTime } from "../../util/clock.ts";
import { aDeployment, aReplicaSet, start } from "../builders.suite.ts";
import { desiredBefore } from "./annotations.ts";
import { scaleSets, shareOf, wasScaled } from "./scaling.ts";

/** The age in minutes gives the order of creation. */
function sets(sizes: readonly number[], desired: number, max: number) {
  const all = sizes.map((replicas, i) =>
    aReplicaSet(
      { replicas },
      {
        name: `web-${i}`,
        uid: `uid-${i}`,
        creationTimestamp: formatTime(start - i * 60_000),
        annotations: {
          "deployment.kubernetes.io/desired-replicas": String(desired),
          "deployment.kubernetes.io/max-replicas": String(max),
        },
      },
    ),
  );
  const [current, ...old] = all;
  return { current, old };
}

const rolling = (replicas: number, maxSurge: number | string = 2) =>
  aDeployment({
    replicas,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable: 2 } },
  });

const scaled = (before: ReturnType<typeof sets>, deployment: ReturnType<typeof rolling>) => {
  const { current, old } = scaleSets(before, deployment);
  return [current, ...old].map((one) => one?.spec.replicas);
};

describe("a Deployment scaled during a rollout scales each ReplicaSet in proportion", () => {
  const cases = [
    // Sizes before (the current one first), desired before and after, surge; sizes after.
    [[5, 5], 10, 12, 0, [6, 6]],
    [[5, 5], 10, 5, 0, [3, 2]],
    [[8, 2], 10, 20, 0, [16, 4]],
    [[2, 8], 10, 5, 0, [1, 4]],
    [[1, 1, 1], 3, 4, 0, [2, 1, 1]],
    [[1, 1, 1], 3, 2, 0, [1, 1, 0]],
    [[5, 3, 1], 9, 0, 0, [0, 0, 0]],
    [[0, 5, 5], 10, 20, 0, [0, 10, 10]],
    [[2, 10], 10, 20, 2, [4, 18]],
  ] as const;
  test.each(cases)("%j for %i becomes, for %i with surge %i, %j", (sizes, before, after, surge, expected) => {
    expect(scaled(sets(sizes, before, before + surge), rolling(after, surge))).toEqual(expected);
  });
});

test("a Deployment with one active ReplicaSet scales that one, and with none the current one", () => {
  expect(scaled(sets([0, 3], 3, 3), rolling(7))).toEqual([0, 7]);
  expect(scaled(sets([0, 0], 0, 0), rolling(7))).toEqual([7, 0]);
});

test("a scaling shows in the ReplicaSets' annotations until they were scaled", () => {
  expect(wasScaled(sets([3, 2], 5, 6), rolling(5))).toBe(false);
  expect(wasScaled(sets([3, 2], 5, 6), rolling(6))).toBe(true);
  for (const sizes of [[3, 2], [6], [5]]) {
    const after = scaleSets(sets(sizes, 5, 6), rolling(6));
    expect(wasScaled(after, rolling(6))).toBe(false);
    expect(after.current === undefined ? 0 : desiredBefore(after.current)).toBe(6);
  }
});

test("where the present ReplicaSet has all Pods that are wanted, the others lose theirs", () => {
  const { current, old } = sets([4, 2], 4, 6);
  const available = (availableReplicas: number) => ({
    current: current && { ...current, status: { ...current.status, replicas: 4, availableReplicas } },
    old,
  });
  expect(scaled(available(4), rolling(4))).toEqual([4, 0]);
  expect(scaled(available(3), rolling(4))).toEqual([4, 2]);
  expect(scaled({ ...available(4), ...sets([4, 2], 3, 5) }, rolling(4))).not.toEqual([4, 0]);
});

test("a Deployment that recreates scales nothing while several ReplicaSets have Pods", () => {
  const recreating = aDeployment({ replicas: 9, strategy: { type: "Recreate" } });
  expect(scaled(sets([3, 2], 5, 5), recreating)).toEqual([3, 2]);
});

test("without any ReplicaSet of the present template, the newest is scaled", () => {
  const { old } = sets([1, 0, 0], 3, 3);
  const { old: after } = scaleSets({ current: undefined, old }, rolling(7));
  expect(after.map((one) => one.spec.replicas)).toEqual([7, 0]);
});

test("of ReplicaSets of one size the newest grows first, and the oldest shrinks first", () => {
  expect(scaled(sets([2, 2, 2], 6, 6), rolling(7, 0))).toEqual([3, 2, 2]);
  expect(scaled(sets([2, 2, 2], 6, 6), rolling(5, 0))).toEqual([2, 2, 1]);
});

test("a ReplicaSet that remembers nothing grows by what the Deployment counted", () => {
  const plain = (replicas: number, name: string) => aReplicaSet({ replicas }, { name, uid: name });
  const deployment = aDeployment(
    { replicas: 20, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } } },
    {},
    { replicas: 10 },
  );
  const before = { current: plain(6, "b"), old: [plain(4, "a")] };
  expect(scaled(before, deployment)).toEqual([12, 8]);
  expect(scaled(before, { ...deployment, status: {} })).toEqual([16, 4]);
});

// Upstream's cases by value: `TestScale`. Old ReplicaSets are listed by age, the newest first.
describe("a scaling", () => {
  type Scale = readonly [desired: number, surge?: number];
  test.each<readonly [string, Scale, Scale, readonly number[], readonly number[]]>([
    ["up of one ReplicaSet", [10], [12], [10], [12]],
    ["down of one ReplicaSet", [10], [5], [10], [5]],
    ["up of two", [5], [10], [2, 3], [4, 6]],
    ["down of two", [5], [3], [2, 3], [1, 2]],
    ["down of a large and a small one", [9], [4], [8, 1], [4, 0]],
    ["up of three", [7], [10], [2, 3, 2], [3, 4, 3]],
    ["down of three", [13], [8], [2, 8, 3], [1, 5, 2]],
    ["up by a remainder", [3], [4], [1, 1, 1], [2, 1, 1]],
    ["down by a remainder", [3], [2], [1, 1, 1], [1, 1, 0]],
    ["to zero", [6], [0], [3, 2, 1], [0, 0, 0]],
    ["from zero", [6], [6], [0, 0, 0], [6, 0, 0]],
    ["with surge", [10, 2], [20, 2], [6, 6], [11, 11]],
    ["of size and surge", [10, 3], [50, 6], [5, 8], [22, 34]],
  ])("%s", (_, [desired, surge = 0], [next, nextSurge = 0], sizes, expected) => {
    expect(scaled(sets(sizes, desired, desired + surge), rolling(next, nextSurge))).toEqual(expected);
  });

  test.each<readonly [number, number, readonly number[], readonly number[]]>([
    [4, 5, [2, 2], [3, 2]],
    [10, 14, [7, 3], [10, 4]],
  ])("from %i to %i without a present ReplicaSet", (desired, next, sizes, expected) => {
    const { old } = sets([0, ...sizes], desired, desired);
    const after = scaleSets({ current: undefined, old }, rolling(next, 0));
    expect(after.old.map((one) => one.spec.replicas)).toEqual(expected);
  });

  test("that was interrupted goes on", () => {
    const { current, old } = sets([2, 1, 1], 5, 5);
    const interrupted = sets([0, 1], 3, 3).old;
    expect(scaled({ current, old: [...interrupted, ...old.slice(1)] }, rolling(5, 0))).toEqual([2, 2, 1]);
  });

  test("does not take old Pods while the present ReplicaSet is broken", () => {
    const deployment = aDeployment({
      replicas: 2,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    });
    expect(scaled(sets([2, 1], 2, 3), deployment)).toEqual([2, 1]);
  });
});

// Upstream's cases by value: `TestGetReplicaSetFraction`.
test.each<readonly [string, number, number, number, number, string | undefined, number]>([
  ["nothing is desired", 0, 0, 0, 10, undefined, -10],
  ["neither remembers a size", 10, 0, 0, 5, undefined, 0],
  ["the remembered size is 0", 10, 0, 0, 5, "0", 0],
  ["the Deployment counted 100", 120, 100, 0, 50, undefined, 10],
  ["the Deployment counted 100, the remembered size is 0", 120, 100, 0, 50, "0", 10],
  ["the remembered size is 100", 120, 0, 0, 50, "100", 10],
  ["the remembered size has surge", 120, 0, 10, 50, "110", 9],
  ["the remembered size is more", 10, 0, 0, 6, "12", -1],
  ["the remembered size is more, with surge", 100, 0, 10, 50, "130", -8],
])("the share of a ReplicaSet when %s", (_, desired, counted, maxSurge, replicas, max, expected) => {
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable: 1 } };
  const deployment = aDeployment({ replicas: desired, strategy }, {}, { replicas: counted });
  const annotations = max === undefined ? {} : { "deployment.kubernetes.io/max-replicas": max };
  expect(shareOf(aReplicaSet({ replicas }, { annotations }), deployment)).toBe(expected);
});
