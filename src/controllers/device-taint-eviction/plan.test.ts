import { expect, test } from "vitest";
import { deviceKey, poolKey } from "../../api/resource/device-key.ts";
import { type ResourceClaim, resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import { type ResourceSlice, resourceSlices } from "../../api/resource/resource-slice/schema.ts";
import { aPod, build, start as now } from "../builders.suite.ts";
import { type Eviction, evictionTime, executes, planEviction, type View } from "./plan.ts";

const key = "example.com/taint";
const taintTime = "2026-01-01T00:00:00Z";
const noExecute = { key, value: "something", effect: "NoExecute", timeAdded: taintTime };
const otherValue = { ...noExecute, value: "something-other" };
const first = { key, effect: "NoExecute", timeAdded: taintTime };
const second = { ...first, key: `${key}-other` };

interface Pool {
  readonly name?: string;
  readonly device?: string;
  readonly generation?: number;
}

function slice(
  taints: readonly object[],
  { name = "worker", device = "instance", generation = 1 }: Pool = {},
) {
  const devices = [
    { name: device, taints },
    { name: "instance-no-schedule", taints: [{ key, effect: "NoSchedule" }] },
    { name: "instance-no-execute", taints: [{ ...first, effect: "None" }, first] },
  ];
  return build(resourceSlices, {
    metadata: { name },
    spec: {
      driver: "some-driver",
      pool: { name: "worker", generation, resourceSliceCount: 1 },
      nodeName: "worker",
      devices,
    },
  });
}

/** Upstream's `slice2`: of another pool. */
const slice2 = build(resourceSlices, {
  ...slice([noExecute]),
  metadata: { name: "worker-2" },
  spec: { ...slice([noExecute]).spec, pool: { name: "worker-2", generation: 2, resourceSliceCount: 1 } },
});

interface Claim {
  readonly name?: string;
  readonly owner?: string;
  readonly devices?: readonly string[];
  readonly tolerations?: readonly object[];
  readonly reservedFor?: string;
  readonly isAllocated?: boolean;
}

function claim({
  name = "my-claim",
  owner = "1234",
  devices = ["instance"],
  tolerations = [],
  reservedFor = "1234",
  isAllocated = true,
}: Claim = {}): ResourceClaim {
  const results = devices.map((device) => ({
    request: "req-1",
    driver: "some-driver",
    pool: "worker",
    device,
    tolerations,
  }));
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "my-pod", uid: owner, controller: true }];
  return build(resourceClaims, {
    metadata: { name, namespace: "default", ownerReferences },
    spec: { devices: { requests: [{ name: "req-1", exactly: { deviceClassName: "my-class" } }] } },
    status: {
      ...(isAllocated ? { allocation: { devices: { results } } } : {}),
      reservedFor: [{ resource: "pods", name: "my-pod", uid: reservedFor }],
    },
  });
}

const byName = { name: "my-resource", resourceClaimName: "my-claim" };
const fromTemplate = { name: "my-resource", resourceClaimTemplateName: "my-template" };
const made = { resourceClaimStatuses: [{ name: "my-resource", resourceClaimName: "my-claim" }] };
const unneeded = { resourceClaimStatuses: [{ name: "my-resource" }] };

function pod(entries: readonly object[] = [byName], status = {}, nodeName: string | undefined = "worker") {
  return aPod("my-pod", { metadata: { uid: "1234" }, spec: { nodeName, resourceClaims: entries }, status });
}

function viewOf(slices: readonly ResourceSlice[], claims: readonly ResourceClaim[]): View {
  const slicesOf = (pool: string) =>
    slices.filter(({ spec }) => poolKey({ driver: spec.driver, pool: spec.pool.name }) === pool);
  return {
    claim: (name) => claims.find(({ metadata }) => metadata.name === name),
    slicesOf,
    taintedSlicesOf: (id) =>
      slices.filter(({ spec: { driver, pool, devices = [] } }) =>
        devices.some(
          ({ name, taints = [] }) =>
            deviceKey({ driver, pool: pool.name, device: name }) === id && taints.some(executes),
        ),
      ),
  };
}

const tolerated = (tolerationSeconds?: number, more: object = {}) => ({
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
  ...more,
});
const equal = (value: string, more: object = {}) =>
  tolerated(3600, { operator: "Equal", key, value, ...more });
const tainted = slice([noExecute]);
const twice = slice([first, second]);
const template = [fromTemplate];
const never = undefined;

/** Each case: the Pod, its claims, the slices beside `slice2`, and the seconds from the taint to the eviction. */
const cases: readonly [
  string,
  ReturnType<typeof pod>,
  readonly ResourceClaim[],
  readonly ResourceSlice[],
  number | undefined,
][] = [
  ["untainted-claim", pod(), [claim()], [slice([])], never],
  ["evict-pod-resourceclaim", pod(), [claim()], [tainted], 0],
  ["evict-pod-resourceclaimtemplate", pod(template, made), [claim()], [tainted], 0],
  ["evict-pod-later", pod(), [claim({ tolerations: [equal("something")] })], [tainted], 3600],
  [
    "evict-pod-later-many",
    pod(),
    [claim({ tolerations: [equal("something", { key: second.key }), tolerated(60), tolerated(30)] })],
    [tainted],
    30,
  ],
  [
    "evict-pod-toleration-mismatch",
    pod(),
    [claim({ tolerations: [equal("something", { key: second.key })] })],
    [tainted],
    0,
  ],
  ["no-evict-pod-toleration-forever", pod(), [claim({ tolerations: [tolerated()] })], [tainted], never],
  [
    "no-evict-pod-toleration-forever-many",
    pod(),
    [claim({ tolerations: [tolerated(60), tolerated()] })],
    [tainted],
    never,
  ],
  [
    "evict-pod-partial-toleration",
    pod(),
    [claim({ tolerations: [tolerated(undefined, { key })] })],
    [twice],
    0,
  ],
  [
    "evict-pod-many-taints",
    pod(),
    [claim({ tolerations: [tolerated(60, { key }), tolerated(30, { key: second.key })] })],
    [twice],
    30,
  ],
  [
    "multiple-claims",
    pod([byName, { name: "other", resourceClaimName: "other" }]),
    [
      claim({ tolerations: [tolerated(60)] }),
      claim({ name: "other", devices: ["instance-no-schedule", "instance-no-execute"] }),
    ],
    [tainted],
    0,
  ],
  ["no-evict-pod-not-scheduled", pod([byName], {}, ""), [claim()], [tainted], never],
  ["no-evict-pod-resourceclaimtemplate-no-status", pod(template), [claim()], [tainted], never],
  ["no-evict-pod-resourceclaimtemplate-no-claim", pod(template, unneeded), [claim()], [tainted], never],
  ["no-evict-other-device", pod(), [claim()], [slice([noExecute], { device: "instance-other" })], never],
  ["no-evict-wrong-pod", pod(), [claim({ reservedFor: "1234-other" })], [tainted], never],
  ["no-evict-wrong-resourceclaim", pod(template, made), [claim({ owner: "other" })], [tainted], never],
  ["a claim that the Pod names may have another owner", pod(), [claim({ owner: "other" })], [tainted], 0],
  ["no-evict-resourceclaim-deallocated", pod(), [claim({ isAllocated: false })], [tainted], never],
  ["no-evict-resourceclaim-deleted", pod(), [], [tainted], never],
  ["ignore-none-effect", pod(), [claim()], [slice([{ ...noExecute, effect: "None" }])], never],
  [
    "cancel-eviction-reduce-taint",
    pod(),
    [claim()],
    [slice([{ ...noExecute, effect: "NoSchedule" }])],
    never,
  ],
  ["eviction-change-taint", pod(), [claim({ tolerations: [equal("something")] })], [slice([otherValue])], 0],
  [
    "cancel-eviction-remove-taint-in-new-slice",
    pod(),
    [claim()],
    [tainted, slice([], { name: "worker-updated", generation: 2 })],
    never,
  ],
  ["cancel-eviction-remove-slice", pod(), [claim()], [], never],
  [
    "a toleration for a negative time is none",
    pod(),
    [claim({ tolerations: [tolerated(-5)] })],
    [tainted],
    0,
  ],
  [
    "a toleration without an effect does not count",
    pod(),
    [claim({ tolerations: [{ operator: "Exists" }] })],
    [tainted],
    0,
  ],
  [
    "a taint in the newest generation counts",
    pod(),
    [claim()],
    [slice([]), slice([noExecute], { name: "worker-updated", generation: 2 })],
    0,
  ],
];

test.each(cases)(
  "the time of an eviction (names are of upstream's TestController): %s",
  (_, one, claims, slices, seconds) => {
    const expected = seconds === undefined ? undefined : Date.parse(taintTime) + seconds * 1000;
    expect(evictionTime(one, viewOf([...slices, slice2], claims))).toBe(expected);
  },
);

const planned = (more: Partial<Eviction> = {}): Eviction => ({ uid: "1234", isDone: false, ...more });
const terminating = aPod("my-pod", {
  metadata: { uid: "1234", deletionTimestamp: taintTime },
  spec: { nodeName: "worker", resourceClaims: [byName] },
});

test.each([
  ["without a taint", pod(), never, undefined, { type: "nothing" }],
  ["in the future", pod(), 60, undefined, { type: "wait", ms: 60_000 }],
  ["that is due", pod(), 0, undefined, { type: "evict" }],
  ["that was planned and is due", pod(), 0, planned(), { type: "evict" }],
  ["that was planned later", pod(), 60, planned(), { type: "wait", ms: 60_000 }],
  ["is cancelled", pod(), never, planned(), { type: "cancel" }],
  ["happens once", pod(), 0, planned({ isDone: true }), { type: "nothing" }],
  ["that is done is not cancelled", pod(), never, planned({ isDone: true }), { type: "nothing" }],
  [
    "of an earlier Pod of the name is not cancelled",
    pod(),
    never,
    planned({ uid: "0" }),
    { type: "nothing" },
  ],
  [
    "of an earlier Pod of the name does not count",
    pod(),
    0,
    planned({ uid: "0", isDone: true }),
    { type: "evict" },
  ],
  ["of a terminating Pod", terminating, 0, undefined, { type: "nothing" }],
])("an eviction %s", (_, one, seconds, before, expected) => {
  const tolerations = seconds === undefined ? [tolerated()] : [tolerated(seconds)];
  const view = viewOf([tainted], [claim({ tolerations })]);
  expect(planEviction({ pod: one, view, planned: before }, now)).toEqual(expected);
});
