import { describe, expect, it } from "vitest";
import type { Lease } from "../../api/coordination/lease/schema.ts";
import { type Node, nodes } from "../../api/core/node/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import type { Taint } from "../../api/core/v1/scheduling.ts";
import { decode, objectOf } from "../../meta/decode.ts";
import { formatTime } from "../../util/clock.ts";
import { Heartbeats } from "./heartbeats.ts";
import { isReady, labelsFor, lostCondition, silentConditions, taintsFor } from "./plan.ts";

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

describe("the conditions of a silent node", () => {
  const since = formatTime(now - 200 * seconds);
  const heard = { lastHeartbeatTime: since, lastTransitionTime: since };
  const silent = (conditions: readonly object[], metadata: object = {}) =>
    silentConditions(
      aNode(undefined, { metadata: { name: "n", ...metadata }, status: { conditions } }),
      0,
      now,
    ) ?? [];

  it("keep when the agent was heard last, and tell since when nothing is known", () => {
    expect(
      silent([{ type: "Ready", status: "True", reason: "KubeletReady", message: "fine", ...heard }])[0],
    ).toEqual({
      type: "Ready",
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastHeartbeatTime: since,
      lastTransitionTime: formatTime(now),
    });
  });

  it("count from the node's creation where the agent was never heard", () => {
    const never = {
      type: "PIDPressure",
      status: "Unknown",
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      lastTransitionTime: formatTime(now),
    };
    expect(silent([])[3]).toEqual(never);
    expect(silent([], { creationTimestamp: since })[3]).toEqual({ ...never, lastHeartbeatTime: since });
  });

  it("stay as they are where nothing was known before, and where others report them", () => {
    const unknown = { type: "DiskPressure", status: "Unknown", reason: "R", ...heard };
    const network = { type: "NetworkUnavailable", status: "False", ...heard };
    const all = silent([network, unknown, { type: "Ready", status: "True", ...heard }]);
    expect(all).toHaveLength(5);
    expect(all[0]).toEqual(network);
    expect(all).toContainEqual(unknown);
  });

  it("are written when one of them is not Unknown yet", () => {
    const unknown = ["Ready", "MemoryPressure", "DiskPressure"].map((type) => ({ type, status: "Unknown" }));
    expect(silent([...unknown, { type: "PIDPressure", status: "False" }])).toHaveLength(4);
    expect(silent([...unknown, { type: "PIDPressure", status: "Unknown" }])).toEqual([]);
  });

  it("are left alone for a minute where only others than the agent have reported", () => {
    const network = { status: { conditions: [{ type: "NetworkUnavailable", status: "False" }] } };
    expect(silentConditions(aNode(undefined, network), now - 60 * seconds, now)).toBeUndefined();
    const both = {
      status: {
        conditions: [
          { type: "NetworkUnavailable", status: "False" },
          { type: "Ready", status: "True" },
        ],
      },
    };
    expect(silentConditions(aNode(undefined, both), now - 41 * seconds, now)).toBeDefined();
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

describe("a node's heartbeats", () => {
  const named = (uid: string, ...beats: readonly number[]) =>
    aNode(undefined, {
      metadata: { name: "n", uid },
      status: {
        conditions: beats.map((beat, i) => ({
          type: `C${i}`,
          status: "True",
          lastHeartbeatTime: formatTime(beat * seconds),
        })),
      },
    });

  it("are signs of life, the latest of all conditions", () => {
    const heartbeats = new Heartbeats();
    expect(heartbeats.heardAt(named("u", 10, 30, 20), undefined, 1)).toBe(1);
    expect(heartbeats.heardAt(named("u", 30, 10, 25), undefined, 2)).toBe(1);
    expect(heartbeats.heardAt(named("u", 10, 40, 20), undefined, 3)).toBe(3);
  });

  it("restart with a new node of the same name", () => {
    const heartbeats = new Heartbeats();
    heartbeats.heardAt(named("old", 10), undefined, 1);
    expect(heartbeats.isNew(named("old"))).toBe(false);
    expect(heartbeats.isNew(named("new"))).toBe(true);
    expect(heartbeats.heardAt(named("new", 10), undefined, 2)).toBe(2);
  });

  it("are forgotten with the node, which is given as it was seen last", () => {
    const heartbeats = new Heartbeats();
    const last = named("u", 20);
    heartbeats.heardAt(named("u", 10), undefined, 1);
    heartbeats.heardAt(last, undefined, 2);
    expect(heartbeats.forget("n")).toBe(last);
    expect(heartbeats.forget("n")).toBeUndefined();
    expect(heartbeats.isNew(last)).toBe(true);
  });
});

describe("the Ready conditions", () => {
  const since = formatTime(now - 100 * seconds);
  const pod = (...conditions: readonly object[]) =>
    objectOf(pods, { spec: { containers: [] }, status: { conditions } });

  it("of a Pod on a lost node turns False, once", () => {
    const ready = { type: "Ready", status: "True", lastTransitionTime: since };
    const lost = { type: "Ready", status: "False", lastTransitionTime: formatTime(now) };
    expect(lostCondition(pod({ type: "Initialized", status: "True" }, ready), now)).toEqual(lost);
    expect(lostCondition(pod(lost), now)).toBeUndefined();
    expect(lostCondition(pod({ type: "Initialized", status: "True" }), now)).toBeUndefined();
    expect(lostCondition(pod(), now)).toBeUndefined();
  });

  it.each([
    ["True", true],
    ["False", false],
    ["Unknown", false],
    [undefined, false],
  ] as const)("of a node is %s", (status, ready) => {
    expect(isReady(aNode(status))).toBe(ready);
  });

  it("of a node is found among others", () => {
    const conditions = [
      { type: "DiskPressure", status: "True" },
      { type: "Ready", status: "False" },
    ];
    expect(isReady(aNode(undefined, { status: { conditions } }))).toBe(false);
    const fine = [
      { type: "DiskPressure", status: "False" },
      { type: "Ready", status: "True" },
    ];
    expect(isReady(aNode(undefined, { status: { conditions: fine } }))).toBe(true);
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
    expect(keys(taintsFor(aNode("Unknown"), now, "never"))).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
    ]);
  });

  const [lost, off] = ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"];
  it.each([
    ["Unknown", undefined, "now", [`${lost}:NoSchedule`, `${lost}:NoExecute`]],
    ["Unknown", undefined, "later", [`${lost}:NoSchedule`]],
    ["Unknown", lost, "later", [`${lost}:NoSchedule`, `${lost}:NoExecute`]],
    ["Unknown", off, "later", [`${lost}:NoSchedule`, `${lost}:NoExecute`]],
    ["False", lost, "later", [`${off}:NoSchedule`, `${off}:NoExecute`]],
    ["False", off, "never", [`${off}:NoSchedule`]],
    ["True", off, "later", []],
  ] as const)("with Ready=%s, evicted as %s, and eviction %s: %j", (ready, key, eviction, want) => {
    const held = key === undefined ? [] : [{ key, effect: "NoExecute" }];
    expect(keys(taintsFor(aNode(ready, { spec: { taints: held } }), now, eviction))).toEqual(want);
  });

  it.each([
    ["MemoryPressure", "memory-pressure"],
    ["DiskPressure", "disk-pressure"],
    ["PIDPressure", "pid-pressure"],
    ["NetworkUnavailable", "network-unavailable"],
  ])("keeps new Pods away while %s holds, and no longer", (type, name) => {
    const key = `node.kubernetes.io/${name}`;
    const node = (status: string, spec: object) =>
      aNode(undefined, {
        spec,
        status: {
          conditions: [
            { type: "Ready", status: "True" },
            { type, status },
          ],
        },
      });
    expect(keys(taintsFor(node("True", {}), now))).toEqual([`${key}:NoSchedule`]);
    const tainted = { taints: [{ key, effect: "NoSchedule" }] };
    expect(keys(taintsFor(node("False", tainted), now))).toEqual([]);
    expect(keys(taintsFor(node("Unknown", tainted), now))).toEqual([]);
  });

  it("lets Pods onto a node that is cordoned no longer", () => {
    const taints = [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }];
    expect(keys(taintsFor(aNode("True", { spec: { taints } }), now))).toEqual([]);
  });

  it("evicts no Pod from a node that has never reported", () => {
    const expected = ["node.kubernetes.io/not-ready:NoSchedule"];
    expect(keys(taintsFor(aNode(undefined), now))).toEqual(expected);
    expect(keys(taintsFor(aNode(undefined, { status: {} }), now))).toEqual(expected);
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

describe("labelsFor", () => {
  const [os, arch] = ["kubernetes.io/os", "kubernetes.io/arch"];
  const stable = { [os]: "linux", [arch]: "amd64" };
  const both = { ...stable, [`beta.${os}`]: "linux", [`beta.${arch}`]: "amd64" };
  it.each([
    ["of no labels has none", undefined, {}],
    ["keeps others", { "topology.kubernetes.io/region": "r" }, { "topology.kubernetes.io/region": "r" }],
    ["adds the deprecated names", stable, both],
    [
      "corrects the deprecated names",
      { ...stable, [`beta.${os}`]: "windows", [`beta.${arch}`]: "arm" },
      both,
    ],
    ["keeps deprecated names alone", { [`beta.${os}`]: "linux" }, { [`beta.${os}`]: "linux" }],
  ])("%s", (_, labels, want) => {
    expect(labelsFor(aNode("True", { metadata: { name: "n", labels } }))).toEqual(want);
  });
});
