import { expect, test } from "vitest";
import { deviceClasses } from "../../../api/resource/device-class/schema.ts";
import { resourceClaims } from "../../../api/resource/resource-claim/schema.ts";
import { resourceSlices } from "../../../api/resource/resource-slice/schema.ts";
import type { Pod } from "../../../api/core/pod/schema.ts";
import type { KubeObject } from "../../../meta/kind.ts";
import { formatTime } from "../../../util/clock.ts";
import { VirtualClock } from "../../../util/virtual-clock.ts";
import { aNode, aPod, build, handleOf } from "../../builders.suite.ts";
import { explain, prepareCycle, rejectionOf } from "../../decide/cycle.ts";
import type { Handle, Plugin } from "../../framework.ts";
import { Snapshot } from "../../snapshot.ts";
import { nodeResourcesFit } from "../node-resources-fit.ts";
import { DeviceState } from "./device-state.ts";
import { dynamicResources } from "./plugin.ts";

const driver = "gpu.example.com";
const gpu = build(deviceClasses, { metadata: { name: "gpu", uid: "uid-gpu" } });

const sliceOf = (node: string, ...names: readonly string[]) =>
  build(resourceSlices, {
    metadata: { name: `slice-${node}`, uid: `uid-slice-${node}` },
    spec: {
      driver,
      pool: { name: node, generation: 1, resourceSliceCount: 1 },
      nodeName: node,
      devices: names.map((name) => ({ name })),
    },
  });

const claimOf = (name: string, { requests, status = {}, metadata = {} }: ClaimParts = {}) =>
  build(resourceClaims, {
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "1", ...metadata },
    spec: {
      devices: { requests: requests ?? [{ name: "r", exactly: { deviceClassName: "gpu", count: 1 } }] },
    },
    status,
  });
interface ClaimParts {
  readonly requests?: readonly object[];
  readonly status?: object;
  readonly metadata?: object;
}

const using = (pod: string, claim: string) =>
  aPod(pod, {}, { resourceClaims: [{ name: "gpu", resourceClaimName: claim }] });

const allocatedOn = (node: string, device: string, more: object = {}) => ({
  allocation: {
    devices: { results: [{ request: "r", driver, pool: node, device, ...more }] },
    nodeSelector: {
      nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }],
    },
  },
});

function snapshotOf(...names: readonly string[]): Snapshot {
  const snapshot = new Snapshot();
  for (const name of names) snapshot.setNode(aNode(name));
  return snapshot;
}

function begin(...objects: readonly KubeObject[]) {
  const handle = handleOf(gpu, ...objects);
  return { handle, plugin: dynamicResources(handle) };
}

/** The reason why a Pod fits on none of the nodes; undefined when it fits on one. */
function why(plugin: Plugin, pod: Pod, snapshot = snapshotOf("n")): string | undefined {
  const cycle = prepareCycle(pod, [{ plugin, weight: 2 }], snapshot);
  if ("rejection" in cycle) return cycle.rejection.reason;
  const fits = snapshot.nodes.some((node) => rejectionOf(cycle, node) === undefined);
  return fits ? undefined : explain(snapshot.nodes, (node) => rejectionOf(cycle, node)).message;
}

const none = (count: number) => `0/${count} nodes are available: ${count} cannot allocate all claims.`;

test("a device that is reserved for a Pod is given to no other, also of another profile, until it is given back", () => {
  const { handle, plugin } = begin(sliceOf("n", "a"), claimOf("one"), claimOf("two"));
  const other = dynamicResources(handle);
  const [first, second] = [using("p", "one"), using("q", "two")];
  expect(why(plugin, first)).toBeUndefined();
  expect(plugin.reserve?.(first, "n")).toBeUndefined();
  expect([why(plugin, second), why(other, second)]).toEqual([none(1), none(1)]);
  expect(other.reserve?.(second, "n")).toBe("cannot allocate all claims");
  plugin.unreserve?.(first, "n");
  expect(why(other, second)).toBeUndefined();
});

test("a claim that is being allocated for one Pod keeps another waiting", () => {
  const { plugin } = begin(sliceOf("n", "a", "b"), claimOf("one"));
  expect(why(plugin, using("p", "one"))).toBeUndefined();
  expect(plugin.reserve?.(using("p", "one"), "n")).toBeUndefined();
  expect(why(plugin, using("q", "one"))).toBe(
    "resource claim default/one is in the process of being allocated",
  );
});

test("an allocated claim keeps its Pods on its node, and its device from others", () => {
  const status = allocatedOn("n", "a");
  const { plugin } = begin(sliceOf("n", "a"), claimOf("one", { status }), claimOf("two"));
  const snapshot = snapshotOf("m", "n");
  const cycle = prepareCycle(using("p", "one"), [{ plugin, weight: 2 }], snapshot);
  if ("rejection" in cycle) throw new Error(cycle.rejection.reason);
  expect(snapshot.nodes.map((node) => rejectionOf(cycle, node)?.unfit.reasons)).toEqual([
    ["resourceclaim not available on the node"],
    undefined,
  ]);
  expect(why(plugin, using("q", "two"))).toBe(none(1));
});

test("administrative access takes no device from others", () => {
  const status = allocatedOn("n", "a", { adminAccess: true });
  const { plugin } = begin(sliceOf("n", "a"), claimOf("one", { status }), claimOf("two"));
  expect(why(plugin, using("q", "two"))).toBeUndefined();
});

const deletionTimestamp = formatTime(0);
test.each([
  ["is missing", using("p", "none"), [], 'could not find ResourceClaim "default/none"'],
  [
    "is being deleted",
    using("p", "one"),
    [claimOf("one", { metadata: { deletionTimestamp } })],
    'resourceclaim "one" is being deleted',
  ],
  [
    "was not made yet",
    aPod("p", {}, { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }] }),
    [],
    'pod "default/p": ResourceClaim not created yet',
  ],
])("a Pod whose claim %s does not enter the queue", (_, pod, objects, reason) => {
  const { plugin } = begin(...objects);
  expect(plugin.preEnqueue?.(pod)).toBe(reason);
  expect(why(plugin, pod)).toBe(reason);
});

test("a class that does not exist is named", () => {
  const requests = [{ name: "r", firstAvailable: [{ name: "s", deviceClassName: "none" }] }];
  const { plugin } = begin(claimOf("one", { requests }));
  expect(why(plugin, using("p", "one"))).toBe("request r/s: device class none does not exist");
});

test("Pods with equal claims share their answers while only devices of single nodes are taken", () => {
  const { plugin } = begin(sliceOf("n", "a", "b"), sliceOf("m", "a"), claimOf("one"), claimOf("two"));
  const [one, two] = [using("p", "one"), using("q", "two")];
  const before = plugin.keyOf?.(one);
  expect(plugin.keyOf?.(two)).toBe(before);
  const snapshot = snapshotOf("m", "n");
  const cycle = prepareCycle(one, [{ plugin, weight: 2 }], snapshot);
  if ("rejection" in cycle) throw new Error(cycle.rejection.reason);
  const fits = () => snapshot.nodes.map((node) => rejectionOf(cycle, node) === undefined);
  expect(fits()).toEqual([true, true]);
  plugin.reserve?.(one, "m");
  expect(plugin.keyOf?.(two)).toBe(before);
  expect(fits()).toEqual([false, true]);
  plugin.unreserve?.(one, "m");
  expect(plugin.keyOf?.(two)).toBe(before);
  expect(fits()).toEqual([true, true]);
});

test("a device that several nodes can access is missed on all of them", () => {
  const { nodeName: _, ...spec } = sliceOf("shared", "a").spec;
  const metadata = { name: "shared", uid: "uid-shared" };
  const slice = build(resourceSlices, { metadata, spec: { ...spec, allNodes: true } });
  const { plugin } = begin(slice, claimOf("one"), claimOf("two"));
  const [one, two] = [using("p", "one"), using("q", "two")];
  const before = plugin.keyOf?.(two);
  expect(why(plugin, two, snapshotOf("m", "n"))).toBeUndefined();
  expect(plugin.reserve?.(one, "n")).toBeUndefined();
  expect(plugin.keyOf?.(two)).not.toBe(before);
  expect(why(plugin, two, snapshotOf("m", "n"))).toBe(none(2));
});

test("Pods without claims have no key", () => {
  const { plugin } = begin(sliceOf("n", "a"));
  expect(plugin.keyOf?.(aPod("plain"))).toBeUndefined();
});

test("nodes with the preferred alternative score higher", () => {
  const is = (name: string) => [
    { cel: { expression: `device.driver == "${driver}" && "${name}" in device.attributes["${driver}"]` } },
  ];
  const requests = [
    {
      name: "r",
      firstAvailable: ["large", "small"].map((name) => ({
        name,
        deviceClassName: "gpu",
        count: 1,
        selectors: is(name),
      })),
    },
  ];
  const withSize = (node: string, size: string) => {
    const slice = sliceOf(node, "a");
    const devices = [{ name: "a", attributes: { [size]: { bool: true } } }];
    return { ...slice, spec: { ...slice.spec, devices } };
  };
  const { plugin } = begin(withSize("m", "small"), withSize("n", "large"), claimOf("one", { requests }));
  const snapshot = snapshotOf("m", "n");
  const { scores } = prepareCycle(using("p", "one"), [{ plugin, weight: 2 }], snapshot) as {
    scores: readonly { state: { score(node: object): number; normalize?(scores: number[]): void } }[];
  };
  expect(snapshot.nodes.map((node) => scores[0]?.state.score(node))).toEqual([7, 8]);
});

test("a Pod that no search can serve is rejected after a bounded number of steps, and tried again anew", () => {
  const request = (name: string) => ({ name, exactly: { deviceClassName: "gpu", count: 5 } });
  const requests = ["a", "b", "c", "d"].map(request);
  const never = {
    name: "e",
    exactly: { deviceClassName: "gpu", count: 1, selectors: [{ cel: { expression: "false" } }] },
  };
  const devices = Array.from({ length: 100 }, (_, i) => `gpu-${i}`);
  const nodes = Array.from({ length: 20 }, (_, i) => `n${i}`);
  const { plugin } = begin(
    ...nodes.map((node) => sliceOf(node, ...devices)),
    claimOf("one", { requests: [...requests, never] }),
  );
  const pod = using("p", "one");
  const before = plugin.keyOf?.(pod);
  expect(why(plugin, pod, snapshotOf(...nodes))).toBe(
    "0/20 nodes are available: 20 timed out trying to allocate devices.",
  );
  expect(plugin.keyOf?.(pod)).not.toBe(before);
});

const objectChanged = (
  old: KubeObject | undefined,
  object: KubeObject | undefined,
  kind: object = resourceClaims,
) => ({ type: "objectChanged", kind, old, object }) as Parameters<NonNullable<Plugin["helps"]>>[1];
const [free, taken] = [claimOf("two"), claimOf("two", { status: allocatedOn("n", "a") })];
test.each([
  ["a device that is freed", objectChanged(taken, free), true],
  ["a device that is taken", objectChanged(free, taken), false],
  ["another claim", objectChanged(undefined, free), false],
  ["the Pod's own claim", objectChanged(undefined, claimOf("one")), true],
  [
    "a change of its claim's labels",
    objectChanged(claimOf("one"), claimOf("one", { metadata: { labels: { a: "b" } } })),
    false,
  ],
  ["a new slice", objectChanged(undefined, sliceOf("n", "a"), resourceSlices), true],
  ["a deleted slice", objectChanged(sliceOf("n", "a"), undefined, resourceSlices), false],
  ["a class", objectChanged(undefined, gpu, deviceClasses), true],
  ["a Pod whose binding failed", { type: "podRemoved", pod: using("q", "two") } as const, true],
  ["a plain Pod that left its node", { type: "podRemoved", pod: aPod("q") } as const, false],
  ["a node", { type: "nodeAdded", node: aNode("n") } as const, true],
])("%s moves a waiting Pod: %s", (_, event, helps) => {
  const { plugin } = begin(claimOf("one"));
  expect(plugin.helps?.(using("p", "one"), event)).toBe(helps);
  expect(plugin.helps?.(aPod("plain"), event)).toBe(false);
});

test("a claim that was written counts until the cache shows it", async () => {
  const { handle, plugin } = begin(sliceOf("n", "a"), claimOf("one"), claimOf("two"));
  const pod = using("p", "one");
  why(plugin, pod);
  plugin.reserve?.(pod, "n");
  const requests: Request[] = [];
  answer(handle, requests);
  await plugin.preBind?.(pod, "n", AbortSignal.timeout(1000));
  plugin.postBind?.(pod, "n");
  const results = [{ device: "a" }];
  const allocationTimestamp = formatTime(handle.clock.now());
  expect(requests).toMatchObject([
    { verb: "update", object: { metadata: { finalizers: ["resource.kubernetes.io/delete-protection"] } } },
    {
      verb: "updateStatus",
      object: {
        status: {
          allocation: { allocationTimestamp, devices: { results } },
          reservedFor: [{ resource: "pods", name: "p", uid: "uid-p" }],
        },
      },
    },
  ]);
  expect(why(plugin, using("q", "two"))).toBe(none(1));
});

test("extended resources take devices only where the node does not provide them itself", () => {
  const resource = "deviceclass.resource.kubernetes.io/gpu";
  const { handle, plugin } = begin(sliceOf("n", "a"), sliceOf("m"));
  const snapshot = snapshotOf("n", "m");
  snapshot.setNode(
    aNode("plain", {}, { allocatable: { [resource]: "1", cpu: "4", memory: "1Gi", pods: "10" } }),
  );
  const pod = aPod("p", { [resource]: "1" });
  const fit = nodeResourcesFit({}, (one) => DeviceState.of(handle).classesFor(one));
  const profile = [fit, plugin].map((one) => ({ plugin: one, weight: 1 }));
  const cycle = prepareCycle(pod, profile, snapshot);
  if ("rejection" in cycle) throw new Error(cycle.rejection.reason);
  const reasons = snapshot.nodes.map((node) => [node.name, rejectionOf(cycle, node)?.unfit.reasons]);
  expect(reasons).toEqual([
    ["n", undefined],
    ["m", ["cannot allocate all claims"]],
    ["plain", undefined],
  ]);
  plugin.reserve?.(pod, "n");
  const other = prepareCycle(aPod("q", { [resource]: "1" }), profile, snapshot);
  if ("rejection" in other) throw new Error(other.rejection.reason);
  expect(snapshot.nodes.map((node) => rejectionOf(other, node) === undefined)).toEqual([false, false, true]);
  expect(fit.keyOf?.(pod)).not.toBe(fit.keyOf?.(aPod("plain", { cpu: "1" })));
});

test("the reservation of a Pod that is not bound is removed", async () => {
  const { handle, plugin } = begin(sliceOf("n", "a"), claimOf("one"));
  const pod = using("p", "one");
  why(plugin, pod);
  plugin.reserve?.(pod, "n");
  const requests: Request[] = [];
  answer(handle, requests);
  await plugin.preBind?.(pod, "n", AbortSignal.timeout(1000));
  plugin.unreserve?.(pod, "n");
  expect(requests.at(-1)).toEqual({
    verb: "patch",
    object: {
      metadata: { uid: "uid-one" },
      status: { reservedFor: [{ $patch: "delete", uid: "uid-p" }] },
    },
  });
});

test("the claim for extended resources of a Pod that is not bound is deleted", async () => {
  const { handle, plugin } = begin(sliceOf("n", "a"));
  const pod = aPod("p", { "deviceclass.resource.kubernetes.io/gpu": "1" });
  why(plugin, pod);
  expect(plugin.reserve?.(pod, "n")).toBeUndefined();
  const requests: Request[] = [];
  answer(handle, requests, "updateStatus");
  await expect(plugin.preBind?.(pod, "n", AbortSignal.timeout(1000))).rejects.toThrow("updateStatus failed");
  plugin.unreserve?.(pod, "n");
  if (handle.clock instanceof VirtualClock) await handle.clock.settle();
  expect(requests.map(({ verb }) => verb)).toEqual([
    "create",
    "update",
    "updateStatus",
    "get",
    "update",
    "delete",
  ]);
  expect(why(plugin, aPod("q", { "deviceclass.resource.kubernetes.io/gpu": "1" }))).toBeUndefined();
});

interface Request {
  readonly verb: string;
  readonly object: unknown;
}

/** Answers the handle's requests with the last object that was sent, at the next revision. One verb fails. */
function answer(handle: Handle, requests: Request[], failing?: string): void {
  let last: KubeObject = claimOf("none");
  const verbs = ["create", "get", "update", "updateStatus", "patch", "delete"].map((verb) => {
    const request = async (...args: readonly unknown[]) => {
      const object = verb === "patch" ? args[1] : args[0];
      requests.push({ verb, object });
      if (verb === failing) throw new Error(`${verb} failed`);
      if (typeof object === "string" || verb === "patch") return last;
      const sent = object as KubeObject;
      const made = { name: "made", namespace: "default", uid: "uid-made", ...sent.metadata };
      const resourceVersion = String(requests.length + 1);
      last = { ...sent, metadata: { ...made, resourceVersion } };
      return "status" in last ? last : { ...last, status: {} };
    };
    return [verb, request] as const;
  });
  Object.assign(handle, { client: { of: () => Object.fromEntries(verbs) } });
}
