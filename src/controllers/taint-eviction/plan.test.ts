import { describe, expect, test } from "vitest";
import { aPod, start as now } from "../builders.suite.ts";
import { type Eviction, planEviction, tolerationMs } from "./plan.ts";

const taint = (n: number) => ({ key: `testTaint${n}`, value: `taint${n}`, effect: "NoExecute" as const });
const toleration = (n: number, tolerationSeconds?: number) => ({
  ...taint(n),
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});
const pod = (tolerations: readonly object[], metadata: object = {}) =>
  aPod("pod1", { metadata, spec: { nodeName: "node1", tolerations } });
const planned = (inMs: number, more: Partial<Eviction> = {}): Eviction => ({
  uid: "uid-pod1",
  at: now + inMs,
  isDone: false,
  ...more,
});
const nothing = { type: "nothing" };
const cancel = { type: "cancel" };
const evict = { type: "evict", isEarly: false };
const wait = (inMs: number) => ({ type: "wait", eviction: planned(inMs) });

describe("an eviction (upstream's TestCreatePod, TestUpdatePod, TestUpdateNode)", () => {
  test.each([
    ["without taints", pod([]), [], undefined, nothing],
    ["without the node", pod([]), undefined, undefined, nothing],
    ["of a Pod without tolerations", pod([]), [taint(1)], undefined, evict],
    ["only for NoExecute", pod([]), [{ ...taint(1), effect: "NoSchedule" as const }], undefined, nothing],
    ["with a finite toleration", pod([toleration(1, 100)]), [taint(1)], undefined, wait(100_000)],
    ["with an infinite toleration", pod([toleration(1)]), [taint(1)], undefined, nothing],
    ["with a toleration of another taint", pod([toleration(2)]), [taint(1)], undefined, evict],
    [
      "with one taint that is not tolerated",
      pod([toleration(1, 100)]),
      [taint(1), taint(2)],
      undefined,
      evict,
    ],
    [
      "with several tolerations is due when the first ends",
      pod([toleration(1, 1), toleration(2, 100)]),
      [taint(1), taint(2)],
      undefined,
      wait(1000),
    ],
    ["is cancelled when the taint is removed", pod([toleration(1, 1)]), [], planned(500), cancel],
    ["is cancelled by an infinite toleration", pod([toleration(1)]), [taint(1)], planned(500), cancel],
    [
      "is early when the toleration is removed",
      pod([]),
      [taint(1)],
      planned(500),
      { ...evict, isEarly: true },
    ],
    [
      "is not put off by a longer toleration",
      pod([toleration(1, 100)]),
      [taint(1)],
      planned(1000),
      wait(1000),
    ],
    ["is not sooner by a shorter toleration", pod([toleration(1, 1)]), [taint(1)], planned(9000), wait(9000)],
    ["is due", pod([toleration(1, 1)]), [taint(1)], planned(0), evict],
    ["goes on without the node", pod([]), undefined, planned(500), wait(500)],
    ["happens once", pod([]), [taint(1)], planned(0, { isDone: true }), nothing],
    ["of an earlier Pod of the name", pod([]), [taint(1)], planned(0, { isDone: true, uid: "old" }), evict],
    [
      "of a terminating Pod",
      pod([], { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      [taint(1)],
      undefined,
      nothing,
    ],
  ])("%s", (_, one, taints, before, expected) => {
    expect(planEviction({ pod: one, taints, planned: before }, now)).toEqual(expected);
  });
});

describe("the tolerated time (upstream's TestGetMinTolerationTime)", () => {
  const all = (...seconds: readonly (number | undefined)[]) => {
    const taints = seconds.map((_, i) => taint(i));
    return tolerationMs(
      seconds.map((each, i) => toleration(i, each)),
      taints,
    );
  };
  test.each([
    [[undefined], Infinity],
    [[1, 2], 1000],
    [[1, undefined], 1000],
    [[undefined, 1], 1000],
    [[0, 5], 0],
    [[-9], 0],
  ])("of tolerations for %j seconds is %d ms", (seconds, expected) => {
    expect(all(...seconds)).toBe(expected);
  });
  test("is that of the first toleration that matches", () => {
    expect(tolerationMs([toleration(1, 5), toleration(1, 1)], [taint(1)])).toBe(5000);
  });
});
