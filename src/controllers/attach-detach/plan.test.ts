import { describe, expect, test } from "vitest";
import { nodes } from "../../api/core/node/schema.ts";
import { volumeAttachments } from "../../api/storage/volume-attachment/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start } from "../builders.suite.ts";
import { maxUnmountMs, type NodeView, type Plan, planNode } from "./plan.ts";
import { attachmentName } from "../../api/core/persistent-volume/csi-names.ts";
import { type CsiVolume, needsVolumes } from "./volumes.ts";

const disk: CsiVolume = { volume: "pv", driver: "csi.example.com", handle: "disk", isShared: false };
const unique = "kubernetes.io/csi/csi.example.com^disk";
const managed = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
const web = aPod("web");

const aNode = (
  ready: string,
  { inUse = false, attached = false, taints = [], annotations = managed }: NodeParts = {},
) =>
  build(nodes, {
    metadata: { name: "n", annotations },
    spec: { taints },
    status: {
      conditions: [{ type: "Ready", status: ready }],
      volumesInUse: inUse ? [unique] : [],
      volumesAttached: attached ? [{ name: unique, devicePath: "" }] : [],
    },
  });

interface NodeParts {
  readonly inUse?: boolean;
  readonly attached?: boolean;
  readonly taints?: readonly object[];
  readonly annotations?: object;
}

const anAttachment = (status: object = { attached: true }, metadata: object = {}) => ({
  volume: disk,
  attachment: build(volumeAttachments, {
    metadata: { name: "a", uid: "uid-a", ...metadata },
    spec: { attacher: disk.driver, nodeName: "n", source: { persistentVolumeName: "pv" } },
    status,
  }),
});

function planFor(view: Partial<NodeView>): Plan {
  return planNode({
    node: aNode("True"),
    wanted: [],
    attachments: [],
    elsewhere: () => ({ isAttached: false, pods: [] }),
    unneededSince: () => undefined,
    now: start,
    ...view,
  });
}

test("the name of an attachment is upstream's", () => {
  // The SHA-256 of "testDrivernode": handle, driver and node.
  const name = attachmentName({ ...disk, handle: "test", driver: "Driver" }, "node");
  expect(name).toBe("csi-dee20858d811daea7081f965f0d825d9681844c6fa88f347f5948d036173ce34");
  expect(attachmentName(disk, "m")).not.toBe(attachmentName(disk, "n"));
});

describe("a volume that a Pod needs", () => {
  const wanted = [{ volume: disk, pods: [web] }];
  const texts = ({ events }: Plan) =>
    events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

  test("is attached to a node that leaves this to the controller", () => {
    expect(planFor({ wanted }).attach).toEqual([disk]);
    expect(planFor({ wanted, node: aNode("True", { annotations: {} }) }).attach).toEqual([]);
    expect(planFor({ wanted, node: undefined }).attach).toEqual([]);
  });

  test("is reported once it is attached", () => {
    expect(planFor({ wanted, attachments: [anAttachment({ attached: false })] })).toMatchObject({
      attach: [],
      events: [],
    });
    const plan = planFor({ wanted, attachments: [anAttachment()] });
    expect(plan).toMatchObject({
      attach: [],
      detach: [],
      volumesAttached: [{ name: unique, devicePath: "" }],
    });
    expect(texts(plan)).toEqual([
      'Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv" ',
    ]);
    const settled = planFor({
      wanted,
      attachments: [anAttachment()],
      node: aNode("True", { attached: true }),
    });
    expect(settled).toMatchObject({ volumesAttached: undefined, events: [] });
  });

  test("whose attacher fails is reported", () => {
    const failed = anAttachment({ attached: false, attachError: { message: "no disk" } });
    expect(texts(planFor({ wanted, attachments: [failed] }))).toEqual([
      'Warning FailedAttachVolume: AttachVolume.Attach failed for volume "pv" : no disk',
    ]);
  });

  test.each([
    [["a", "b"], "Volume is already used by pod(s) a, b"],
    [[], "Volume is already exclusively attached to one node and can't be attached to another"],
  ])("waits for another node with the Pods %j", (pods, why) => {
    const elsewhere = () => ({ isAttached: true, pods });
    const plan = planFor({ wanted, elsewhere });
    expect(plan.attach).toEqual([]);
    expect(texts(plan)).toEqual([`Warning FailedAttachVolume: Multi-Attach error for volume "pv" ${why}`]);
    const shared = { ...disk, isShared: true };
    expect(planFor({ wanted: [{ volume: shared, pods: [web] }], elsewhere }).attach).toEqual([shared]);
  });

  test("is attached again only after it is detached", () => {
    const ending = anAttachment({ attached: true }, { deletionTimestamp: formatTime(start) });
    const plan = planFor({ wanted, attachments: [ending], node: aNode("True", { attached: true }) });
    expect(plan).toMatchObject({ attach: [], detach: [], events: [], volumesAttached: [] });
    expect(planFor({ wanted, attachments: [ending] })).toMatchObject({ attach: [], events: [] });
  });
});

describe("a volume that no Pod needs", () => {
  const outOfService = { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] };

  test.each<readonly [what: string, node: NodeView["node"], sinceMs: number, isDetached: boolean]>([
    ["is detached", aNode("True", { attached: true }), 0, true],
    ["stays while it is mounted", aNode("True", { inUse: true, attached: true }), 0, false],
    [
      "stays mounted on a healthy node",
      aNode("True", { inUse: true, attached: true }),
      maxUnmountMs + 1,
      false,
    ],
    [
      "stays on a node that does not report",
      aNode("Unknown", { inUse: true, attached: true }),
      maxUnmountMs,
      false,
    ],
    [
      "is detached from a node that has not reported for long",
      aNode("Unknown", { inUse: true, attached: true }),
      maxUnmountMs + 1,
      true,
    ],
    [
      "is detached from a node out of service",
      aNode("Unknown", { inUse: true, attached: true, ...outOfService }),
      0,
      true,
    ],
    ["stays on a deleted node for a while", undefined, 0, false],
    ["is detached from a deleted node", undefined, maxUnmountMs + 1, true],
  ])("%s", (_, node, sinceMs, isDetached) => {
    const one = anAttachment();
    const plan = planFor({ node, attachments: [one], unneededSince: () => start, now: start + sinceMs });
    expect(plan.detach).toEqual(isDetached ? [one.attachment] : []);
    expect(plan.waiting).toEqual(isDetached ? [] : [one.attachment]);
    // The status changes before the attachment is deleted.
    expect(plan.volumesAttached).toEqual(isDetached && node !== undefined ? [] : undefined);
    expect(plan.wakeMs).toBe(isDetached || sinceMs > maxUnmountMs ? undefined : maxUnmountMs - sinceMs + 1);
  });
});

const statuses = (state: object) => ({
  containerStatuses: [{ name: "web", state, ready: false, restartCount: 0, image: "i", imageID: "" }],
});

test.each([
  ["a running Pod", {}, { phase: "Running" }, true],
  ["a Pod that has ended", {}, { phase: "Succeeded" }, false],
  [
    "a deleted Pod that runs",
    { deletionTimestamp: formatTime(start) },
    { phase: "Running", ...statuses({ running: {} }) },
    true,
  ],
  [
    "a deleted Pod of which nothing runs",
    { deletionTimestamp: formatTime(start) },
    { phase: "Running", ...statuses({ terminated: { exitCode: 0 } }) },
    false,
  ],
])("%s needs its volumes: %s", (_, metadata, status, expected) => {
  expect(needsVolumes(aPod("web", { metadata, status, spec: { nodeName: "n" } }))).toBe(expected);
});
