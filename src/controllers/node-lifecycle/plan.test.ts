import { describe, expect, it } from "vitest";
import type { Lease } from "../../api/coordination/lease/schema.ts";
import { type Node, nodes } from "../../api/core/node/schema.ts";
import { type Pod, pods } from "../../api/core/pod/schema.ts";
import type { Taint } from "../../api/core/v1/scheduling.ts";
import { decode } from "../../meta/decode.ts";
import { formatTime } from "../../util/clock.ts";
import { Heartbeats } from "./heartbeats.ts";
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
  };
}

function aPod(tolerations: readonly object[]): Pod {
  return decode(pods.schema, { spec: { containers: [], tolerations } }) as unknown as Pod;
}

describe("silentConditions", () => {
  const ago = (secondsAgo: number) => now - secondsAgo * seconds;

  it("changes nothing within forty seconds of a heartbeat", () => {
    expect(silentConditions(aNode("True"), ago(40), now)).toBeUndefined();
  });

  it("sets all conditions to Unknown after that", () => {
    const conditions = silentConditions(aNode("True"), ago(41), now) ?? [];
    expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      "Ready Unknown NodeStatusUnknown",
      "MemoryPressure Unknown NodeStatusNeverUpdated",
      "DiskPressure Unknown NodeStatusNeverUpdated",
      "PIDPressure Unknown NodeStatusNeverUpdated",
    ]);
  });

  it("changes nothing the second time", () => {
    const conditions = silentConditions(aNode("True"), ago(41), now);
    expect(silentConditions(aNode(undefined, { status: { conditions } }), ago(99), now)).toBeUndefined();
  });

  it("waits a minute for a node that has never reported", () => {
    expect(silentConditions(aNode(undefined), ago(60), now)).toBeUndefined();
    expect(silentConditions(aNode(undefined), ago(61), now)).toHaveLength(4);
  });
});

describe("Heartbeats", () => {
  const lease = (renewTime: string) => ({ spec: { renewTime } }) as unknown as Lease;

  it("count from the time of noticing, whatever the node's own clock shows", () => {
    const heartbeats = new Heartbeats();
    const node = aNode("True");
    expect(heartbeats.isNew(node)).toBe(true);
    expect(heartbeats.heardAt(node, lease("1999-01-01T00:00:00Z"), 1)).toBe(1);
    expect(heartbeats.heardAt(node, lease("1999-01-01T00:00:00Z"), 2)).toBe(1);
    expect(heartbeats.heardAt(node, lease("1999-01-01T00:00:10Z"), 3)).toBe(3);
    expect(heartbeats.isNew(node)).toBe(false);
  });

  it("do not count this controller's own writes as heartbeats", () => {
    const heartbeats = new Heartbeats();
    const node = aNode("True");
    heartbeats.heardAt(node, undefined, 1);
    const conditions = silentConditions(node, 1, now) ?? [];
    expect(heartbeats.heardAt({ ...node, status: { ...node.status, conditions } }, undefined, 2)).toBe(1);
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

  it("evicts no Pod while no node is ready", () => {
    expect(keys(taintsFor(aNode("Unknown"), now, false))).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
    ]);
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
    ["is evicted at once without a toleration", [], now],
    ["stays for ever with one that has no end", [{ key: "k", operator: "Exists" }], undefined],
    [
      "stays as long as it tolerates",
      [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }],
      now + 300 * seconds,
    ],
    ["is evicted at once when the value differs", [{ key: "k", value: "x" }], now],
    ["stays when it tolerates everything", [{ operator: "Exists" }], undefined],
  ])("%s", (_name, tolerations, expected) => {
    expect(evictionTime(aPod(tolerations), [taint], now)).toBe(expected);
  });

  it("ignores taints that only keep new Pods away", () => {
    expect(evictionTime(aPod([]), [{ key: "k", effect: "NoSchedule" }], now)).toBeUndefined();
  });
});
