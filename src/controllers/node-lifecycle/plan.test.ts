import { describe, expect, it } from "vitest";
import type { Lease } from "../../api/coordination/v1.ts";
import { type Node, nodes } from "../../api/core/v1/node.ts";
import { type Pod, pods } from "../../api/core/v1/pod.ts";
import type { Taint } from "../../api/core/v1/scheduling.ts";
import { decode } from "../../meta/decode.ts";
import { formatMicroTime, formatTime } from "../../util/clock.ts";
import { evictionTime, silentConditions, taintsFor } from "./plan.ts";

const now = Date.UTC(2026, 0, 1);
const seconds = 1000;

function aNode(ready: "True" | "False" | "Unknown" | undefined, more: object = {}): Node {
  const conditions =
    ready === undefined
      ? []
      : [{ type: "Ready", status: ready, lastHeartbeatTime: formatTime(now - 100 * seconds) }];
  return {
    apiVersion: "v1",
    kind: "Node",
    ...decode(nodes.schema, { metadata: { name: "n" }, status: { conditions }, ...more }),
  } as Node;
}

function aLease(agoSeconds: number): Lease {
  return { spec: { renewTime: formatMicroTime(now - agoSeconds * seconds) } } as unknown as Lease;
}

function aPod(tolerations: readonly object[]): Pod {
  return decode(pods.schema, { spec: { containers: [], tolerations } }) as unknown as Pod;
}

describe("silentConditions", () => {
  it("leaves a node alone while its Lease is renewed", () => {
    expect(silentConditions(aNode("True"), aLease(10), now, now)).toBeUndefined();
  });

  it("turns everything Unknown after forty seconds of silence", () => {
    const conditions = silentConditions(aNode("True"), aLease(41), now, now) ?? [];
    expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      "Ready Unknown NodeStatusUnknown",
      "MemoryPressure Unknown NodeStatusNeverUpdated",
      "DiskPressure Unknown NodeStatusNeverUpdated",
      "PIDPressure Unknown NodeStatusNeverUpdated",
    ]);
  });

  it("says it once", () => {
    expect(silentConditions(aNode("Unknown"), aLease(60), now, now)).toBeUndefined();
  });

  it("gives a node that has never reported the same time from when it was first seen", () => {
    expect(silentConditions(aNode(undefined), undefined, now - 39 * seconds, now)).toBeUndefined();
    expect(silentConditions(aNode(undefined), undefined, now - 41 * seconds, now)).toHaveLength(4);
  });
});

describe("taintsFor", () => {
  const keys = (taints: readonly Taint[]) => taints.map(({ key, effect }) => `${key}:${effect}`);
  const custom = { key: "dedicated", value: "db", effect: "NoSchedule" };
  const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

  it.each([
    ["True", ["dedicated:NoSchedule"]],
    [
      "False",
      [
        "dedicated:NoSchedule",
        "node.kubernetes.io/not-ready:NoSchedule",
        "node.kubernetes.io/not-ready:NoExecute",
      ],
    ],
    [
      "Unknown",
      [
        "dedicated:NoSchedule",
        "node.kubernetes.io/unreachable:NoSchedule",
        "node.kubernetes.io/unreachable:NoExecute",
      ],
    ],
  ] as const)("follows Ready=%s and keeps what users set", (ready, expected) => {
    expect(keys(taintsFor(aNode(ready, { spec: { taints: [custom, notReady] } }), now))).toEqual(expected);
  });

  it("keeps the time at which a taint was added", () => {
    const taint = {
      key: "node.kubernetes.io/not-ready",
      effect: "NoExecute",
      timeAdded: formatTime(now - 50 * seconds),
    };
    const node = aNode("False", { spec: { taints: [taint] } });
    expect(taintsFor(node, now)).toContainEqual(taint);
  });

  it("keeps Pods off a cordoned node", () => {
    expect(keys(taintsFor(aNode("True", { spec: { unschedulable: true } }), now))).toEqual([
      "node.kubernetes.io/unschedulable:NoSchedule",
    ]);
  });
});

describe("evictionTime", () => {
  const taint: Taint = { key: "k", effect: "NoExecute", timeAdded: formatTime(now) };
  it.each([
    ["goes at once without a toleration", [], now],
    ["stays for ever with one that has no end", [{ key: "k", operator: "Exists" }], undefined],
    [
      "stays as long as it tolerates",
      [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }],
      now + 300 * seconds,
    ],
    ["goes at once when the value differs", [{ key: "k", value: "x" }], now],
    ["stays when it tolerates everything", [{ operator: "Exists" }], undefined],
  ])("%s", (_name, tolerations, expected) => {
    expect(evictionTime(aPod(tolerations), [taint], now)).toBe(expected);
  });

  it("does not care for taints that only keep new Pods away", () => {
    expect(evictionTime(aPod([]), [{ key: "k", effect: "NoSchedule" }], now)).toBeUndefined();
  });
});
