import { describe, expect, test } from "vitest";
import { type DaemonSet, daemonSets } from "../../api/apps/daemon-set/schema.ts";
import { nodes } from "../../api/core/node/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import { aPod, build, readyAt, start, template } from "../builders.suite.ts";
import { tolerationsOf } from "./placement.ts";
import { planDaemonSet, planStatus } from "./plan.ts";

const before = (seconds: number) => new Date(start - seconds * 1000).toISOString();

function aSet(spec: object = {}, podSpec: object = {}): DaemonSet {
  return build(daemonSets, {
    metadata: { name: "agent", namespace: "default", uid: "uid-agent", generation: 1 },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { ...template, spec: { ...template.spec, ...podSpec } },
      ...spec,
    },
  });
}

const aNode = (name: string, spec: object = {}, labels: object = {}) =>
  build(nodes, { metadata: { name, labels }, spec });

/** Pods as `n1:ready n1:old`: the node, and the state; `old*` states are of another revision. */
function podsOf(text: string): readonly Pod[] {
  return text
    .split(" ")
    .filter((one) => one !== "")
    .map((one, i) => {
      const [node = "", state = ""] = one.split(":");
      const revision = state.startsWith("old") ? "old" : "new";
      const status = state.endsWith("failed")
        ? { phase: "Failed" }
        : state.endsWith("unready")
          ? { phase: "Running" }
          : readyAt(before(state.endsWith("young") ? 5 : 60));
      return aPod(`p${i}`, {
        metadata: {
          labels: { app: "web", "controller-revision-hash": revision },
          creationTimestamp: before(100 - i),
          ...(state.endsWith("ending") ? { deletionTimestamp: before(1) } : {}),
        },
        spec: { nodeName: node },
        status,
      });
    });
}

const three = [aNode("n1"), aNode("n2"), aNode("n3")];
const observe = (set: DaemonSet, pods: string, all = three) => ({
  set,
  nodes: all,
  pods: podsOf(pods),
  hash: "new",
  collisionCount: undefined,
  now: start,
});

/** The nodes that get a Pod, and the Pods that go, by their place in the text. */
function plan(set: DaemonSet, pods: string, all = three): string {
  const { create, remove } = planDaemonSet(observe(set, pods, all));
  return [...create.map((node) => `+${node}`), ...remove.map(({ metadata }) => `-${metadata.name}`)].join(
    " ",
  );
}

const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: "RollingUpdate", rollingUpdate } });
const surging = rolling({ maxSurge: 1, maxUnavailable: 0 });

describe("the plan of a DaemonSet", () => {
  test.each<[string, DaemonSet, string, string]>([
    ["gives every node a Pod", aSet(), "", "+n1 +n2 +n3"],
    ["gives a new node its Pod", aSet(), "n1:ready n2:ready", "+n3"],
    ["waits for a terminating Pod", aSet(), "n1:ready n2:ready n3:ending", ""],
    ["replaces a failed Pod", aSet(), "n1:ready n2:failed n3:ready", "-p1"],
    ["keeps the oldest of two", aSet(), "n1:ready n1:ready n2:ready n3:ready", "-p1"],
    ["updates one node at a time", aSet(), "n1:old n2:old n3:old", "-p0"],
    ["waits for the updated Pod", aSet(), "n1:unready n2:old n3:old", ""],
    ["goes on when it is ready", aSet(), "n1:ready n2:old n3:old", "-p1"],
    [
      "replaces unavailable Pods without asking the limit",
      aSet(),
      "n1:old n2:old-unready n3:old-unready",
      "-p1 -p2",
    ],
    [
      "updates as many as may be unavailable",
      aSet(rolling({ maxUnavailable: 2 })),
      "n1:old n2:old n3:old",
      "-p0 -p1",
    ],
    ["rounds a share up", aSet(rolling({ maxUnavailable: "34%" })), "n1:old n2:old n3:old", "-p0 -p1"],
    [
      "leaves old Pods until they are deleted",
      aSet({ updateStrategy: { type: "OnDelete" } }),
      "n1:old n2:old n3:old",
      "",
    ],
    ["creates beside an old Pod in a surge", aSet(surging), "n1:old n2:old n3:old", "+n1"],
    ["waits for the Pod of the surge", aSet(surging), "n1:old n1:unready n2:old n3:old", ""],
    [
      "deletes the old Pod when the new one is available",
      aSet(surging),
      "n1:old n1:ready n2:old n3:old",
      "-p0",
    ],
    [
      "surges at once where the old Pod is unavailable",
      aSet(surging),
      "n1:old-unready n2:old n3:old",
      "+n1 +n2",
    ],
    [
      "waits until a Pod has been ready for long enough",
      aSet({ minReadySeconds: 10 }),
      "n1:young n2:old n3:old",
      "",
    ],
  ])("%s", (_, set, pods, expected) => {
    expect(plan(set, pods)).toBe(expected);
  });

  const taint = (effect: string, key = "only") => ({ taints: [{ key, effect }] });
  test.each<[string, DaemonSet, ReturnType<typeof aNode>, string, string]>([
    [
      "not where the node selector does not match",
      aSet({}, { nodeSelector: { disk: "ssd" } }),
      aNode("n"),
      "n:ready",
      "-p0",
    ],
    [
      "where the node selector matches",
      aSet({}, { nodeSelector: { disk: "ssd" } }),
      aNode("n", {}, { disk: "ssd" }),
      "",
      "+n",
    ],
    ["not beside a NoSchedule taint", aSet(), aNode("n", taint("NoSchedule")), "", ""],
    ["a Pod stays beside a NoSchedule taint", aSet(), aNode("n", taint("NoSchedule")), "n:ready", ""],
    ["a Pod goes with a NoExecute taint", aSet(), aNode("n", taint("NoExecute")), "n:ready", "-p0"],
    [
      "beside a taint that is tolerated",
      aSet({}, { tolerations: [{ operator: "Exists" }] }),
      aNode("n", taint("NoExecute")),
      "",
      "+n",
    ],
    [
      "on cordoned nodes",
      aSet(),
      aNode("n", taint("NoSchedule", "node.kubernetes.io/unschedulable")),
      "",
      "+n",
    ],
    [
      "on nodes that are not ready",
      aSet(),
      aNode("n", taint("NoExecute", "node.kubernetes.io/not-ready")),
      "",
      "+n",
    ],
    ["only on the node that the template names", aSet({}, { nodeName: "other" }), aNode("n"), "", ""],
  ])("runs %s", (_, set, node, pods, expected) => {
    expect(plan(set, pods, [node])).toBe(expected);
  });

  test("tolerates a missing network only on the host network", () => {
    const keys = (spec: object) => tolerationsOf(aSet({}, spec).spec.template).map(({ key }) => key);
    expect(keys({})).not.toContain("node.kubernetes.io/network-unavailable");
    expect(keys({ hostNetwork: true })).toContain("node.kubernetes.io/network-unavailable");
  });

  test("deletes a Pod that waits for a node that has gone", () => {
    const matchFields = [{ key: "metadata.name", operator: "In", values: ["gone"] }];
    const required = { nodeSelectorTerms: [{ matchFields }] };
    const waiting = aPod("waiting", {
      spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } },
    });
    const { remove } = planDaemonSet({
      ...observe(aSet(), "n1:ready n2:ready n3:ready"),
      pods: [...podsOf("n1:ready n2:ready n3:ready"), waiting],
    });
    expect(remove).toEqual([waiting]);
  });
});

test("the status counts nodes by what they should run and what they run", () => {
  const all = [
    aNode("n1"),
    aNode("n2"),
    aNode("n3"),
    aNode("n4", { taints: [{ key: "only", effect: "NoSchedule" }] }),
  ];
  expect(planStatus(observe(aSet(), "n1:ready n2:old-unready n4:ready", all))).toEqual({
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 3,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
  });
});
