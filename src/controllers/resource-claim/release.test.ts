import { expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { aPod, build, start } from "../builders.suite.ts";
import { release, unseenConsumers } from "./release.ts";

const finalizers = ["resource.kubernetes.io/delete-protection"];
const allocation = { devices: {} };
const forPod = (name: string) => ({ resource: "pods", name, uid: `uid-${name}` });
const deletionTimestamp = formatTime(start);

const aClaim = (status: object, metadata: object = {}) =>
  build(resourceClaims, {
    metadata: { name: "c", namespace: "default", uid: "uid-c", ...metadata },
    spec: { devices: { requests: [] } },
    status,
  });
const consumers = (all: readonly Pod[], ...gone: readonly string[]) => ({
  pod: (name: string) => all.find(({ metadata }) => metadata.name === name),
  isGone: (uid: string) => gone.includes(uid),
});

const running = aPod("a", { spec: { nodeName: "n" }, status: { phase: "Running" } });
const ended = aPod("a", { status: { phase: "Succeeded" } });
const deletedUnscheduled = aPod("a", { metadata: { deletionTimestamp } });
const deletedRunning = aPod("a", { metadata: { deletionTimestamp }, spec: { nodeName: "n" } });
const replaced = aPod("a", { metadata: { uid: "uid-new" } });
const other = { apiGroup: "example.com", resource: "things", name: "t", uid: "uid-t" };
const inUse = { allocation, reservedFor: [forPod("a")] };
const [freed, unprotected] = [
  [{ type: "update-status", status: {} }, { type: "remove-finalizer" }],
  [{ type: "update-status", status: { allocation } }],
];
const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "uid-a", controller: true }];

test.each([
  ["of a running Pod stays", aClaim(inUse, { finalizers }), consumers([running]), []],
  ["of a terminating Pod on a node stays", aClaim(inUse, { finalizers }), consumers([deletedRunning]), []],
  ["of a Pod that the cache lacks stays", aClaim(inUse, { finalizers }), consumers([]), []],
  ["of an ended Pod is freed", aClaim(inUse, { finalizers }), consumers([ended]), freed],
  [
    "of a Pod deleted unscheduled is freed",
    aClaim(inUse, { finalizers }),
    consumers([deletedUnscheduled]),
    freed,
  ],
  ["of a replaced Pod is freed", aClaim(inUse, { finalizers }), consumers([replaced]), freed],
  ["of a Pod that is gone is freed", aClaim(inUse, { finalizers }), consumers([], "uid-a"), freed],
  ["without the finalizer keeps its allocation", aClaim(inUse), consumers([], "uid-a"), unprotected],
  [
    "that nothing ever reserved keeps its allocation",
    aClaim({ allocation }, { finalizers }),
    consumers([]),
    [],
  ],
  [
    "with other consumers stays allocated",
    aClaim({ allocation, reservedFor: [forPod("a"), other, forPod("b")] }, { finalizers }),
    consumers([aPod("b")], "uid-a"),
    [{ type: "update-status", status: { allocation, reservedFor: [other, forPod("b")] } }],
  ],
  [
    "that is deleted and unused loses allocation and finalizer",
    aClaim({ allocation }, { finalizers, deletionTimestamp }),
    consumers([]),
    freed,
  ],
  [
    "that is deleted and not allocated loses the finalizer",
    aClaim({}, { finalizers, deletionTimestamp }),
    consumers([]),
    [{ type: "remove-finalizer" }],
  ],
  [
    "that is deleted and in use stays",
    aClaim(inUse, { finalizers, deletionTimestamp }),
    consumers([running]),
    [],
  ],
  [
    "made for an ended Pod is deleted",
    aClaim({}, { ownerReferences }),
    consumers([ended]),
    [{ type: "delete" }],
  ],
  [
    "made for a replaced Pod is deleted",
    aClaim({}, { ownerReferences }),
    consumers([replaced]),
    [{ type: "delete" }],
  ],
  ["made for a Pod that runs stays", aClaim({}, { ownerReferences }), consumers([running]), []],
  ["made for a Pod that the cache lacks stays", aClaim({}, { ownerReferences }), consumers([], "uid-a"), []],
])("a claim %s", (_, claim, seen, steps) => {
  expect(release(claim, seen)).toEqual(steps);
});

test("only Pods that neither the cache nor the deletions show are unseen", () => {
  const claim = aClaim({ allocation, reservedFor: ["a", "b", "c"].map(forPod).concat(other) });
  const unseen = unseenConsumers(claim, consumers([running], "uid-b"));
  expect(unseen.map(({ name }) => name)).toEqual(["c"]);
});
