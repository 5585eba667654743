import { expect, test } from "vitest";
import { aDeployment, aReplicaSet } from "../builders.suite.ts";
import { currentSize, rollingStep } from "./rolling.ts";

// Upstream's cases by value: `rolling_test.go`, `TestNewRSNewReplicas`.

const rolling = (replicas: number, maxSurge: number, maxUnavailable: number) =>
  aDeployment({ replicas, strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } });
const set = (name: string, replicas: number, availableReplicas = 0) =>
  aReplicaSet({ replicas }, { name, uid: name }, { replicas, availableReplicas });

test.each([
  [10, 0, 10, 0, 0],
  [10, 2, 10, 0, 2],
  [10, 2, 5, 0, 7],
  [10, 2, 10, 2, 2],
  [10, 2, 2, 11, 10],
  [6, 10, 0, 2, 6],
])(
  "of %i with surge %i, beside %i old Pods, %i new ones become %i",
  (desired, surge, old, size, expected) => {
    const all = { current: set("new", size), old: [set("old", old)] };
    expect(currentSize(all.current, all.old, rolling(desired, surge, 0))).toBe(expected);
    expect(rollingStep(all, rolling(desired, surge, 0)).current?.spec.replicas).toBe(expected);
  },
);

test("a Deployment that recreates gives the new ReplicaSet its full size", () => {
  const recreating = aDeployment({ replicas: 3, strategy: { type: "Recreate" } });
  expect(currentSize(set("new", 1), [], recreating)).toBe(3);
});

test.each([
  [0, 10, 10, 0, 0, 9],
  [2, 10, 10, 0, 0, 8],
  // Two unavailable Pods go.
  [2, 10, 8, 0, 0, 8],
  // An unavailable and an available Pod go.
  [2, 10, 9, 0, 0, 8],
  // Unavailable new Pods take no old ones.
  [2, 8, 8, 2, 0, 8],
])(
  "of 10 with %i unavailable, %i old Pods (%i available) beside %i new ones (%i available) become %i",
  (unavailable, old, oldAvailable, current, available, expected) => {
    const all = { current: set("new", current, available), old: [set("old", old, oldAvailable)] };
    const after = rollingStep(all, rolling(10, 0, unavailable));
    expect(after.old.map(({ spec }) => spec.replicas)).toEqual([expected]);
    expect(after.current).toBe(all.current);
  },
);
