import { describe, expect, test } from "vitest";
import { endpoints } from "../../api/core/endpoints/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { TerminalError } from "../../operator/errors.ts";
import { build } from "../builders.suite.ts";
import { managedBy, type Plan, planMirror } from "./plan.ts";

const name = "test-ep";
const uid = "d8f2c1f6-5285-4b3c-b3c1-9b89f9e7ed7a";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

const custom = (subsets: readonly object[], metadata: object = {}) =>
  build(endpoints, { metadata: { name, namespace: "test", uid, ...metadata }, subsets });
const service = (spec: object = {}) =>
  build(services, { metadata: { name, namespace: "test" }, spec: { ports: [{ port: 80 }], ...spec } });
const slice = (parts: object, metadata: object = {}): EndpointSlice =>
  build(endpointSlices, {
    metadata: { name: "test-ep-1", namespace: "test", labels: ours, ...metadata },
    addressType: "IPv4",
    endpoints: [],
    ports: [],
    ...parts,
  });
const ours = {
  "kubernetes.io/service-name": name,
  "endpointslice.kubernetes.io/managed-by": managedBy,
};
const plan = (
  mirrored: ReturnType<typeof custom> | undefined,
  slices: readonly EndpointSlice[] = [],
  { behind = [service()], maxEndpoints = 1000 } = {},
) => planMirror({ endpoints: mirrored, service: behind[0], slices, maxEndpoints });

const http = { name: "http", port: 80, protocol: "TCP" };
const https = { name: "https", port: 443, protocol: "TCP" };
const pair = [http, { name: "https", port: 443, protocol: "UDP" }];
const otherPair = [
  { name: "http", port: 3000, protocol: "TCP" },
  { name: "https", port: 3001, protocol: "UDP" },
];
const address = (ip: string, i: number) => ({ ip, hostname: `pod-${i}`, nodeName: `node-${i}` });
const one = { ip: "10.0.0.1", hostname: "pod-1" };
const first = [address("10.0.0.1", 1), address("10.0.0.2", 2)];
const second = [address("10.0.1.1", 1), address("10.0.1.2", 2), address("10.0.1.3", 3)];
const six = (part: string) => `2001:db8:${part}:3333:4444:5555:6666:7777`;
const ready = { conditions: { ready: true } };
const mirrorOfOne = { ports: [http], endpoints: [{ addresses: ["10.0.0.1"], hostname: "pod-1", ...ready }] };
const two = [
  { ports: pair, addresses: first },
  { ports: otherPair, addresses: second },
];
const ending = { deletionTimestamp: "2026-01-01T00:00:00Z" };

const writes = ({ create, update, remove }: Plan) => [create.length, update.length, remove.length];

describe("mirroring (upstream's TestReconcile)", () => {
  interface Case {
    readonly subsets: readonly object[];
    readonly metadata?: object;
    readonly slices?: readonly EndpointSlice[];
    readonly writes: readonly number[];
    readonly maxEndpoints?: number;
  }
  const owner = (of: string) => ({
    ownerReferences: [{ apiVersion: "v1", kind: "Endpoints", name, uid: of }],
  });
  const onePort = [{ ports: [http], addresses: [one] }];
  const cases: Record<string, Case> = {
    "no subsets": { subsets: [], writes: [0, 0, 0] },
    "no addresses": { subsets: [{ ports: [http] }], writes: [0, 0, 0] },
    "1 subset, port and address": {
      subsets: [{ ports: [http], addresses: [address("10.0.0.1", 1)] }],
      writes: [1, 0, 0],
    },
    "2 subsets, different ports and addresses": {
      subsets: [
        { ports: [http], addresses: [address("10.0.0.1", 1)] },
        { ports: [https], addresses: [address("10.0.0.2", 2)] },
      ],
      writes: [2, 0, 0],
    },
    "2 subsets, different ports, same address": {
      subsets: [
        { ports: [http], addresses: [address("10.0.0.1", 1)] },
        { ports: [https], addresses: [address("10.0.0.1", 1)] },
      ],
      writes: [1, 0, 0],
    },
    "2 subsets, different addresses, same port": {
      subsets: [
        { ports: [http], addresses: [address("10.0.0.1", 1)] },
        { ports: [http], addresses: [address("10.0.0.2", 2)] },
      ],
      writes: [1, 0, 0],
    },
    "being deleted": { subsets: onePort, metadata: ending, writes: [0, 0, 0] },
    "a slice with the same fields": {
      subsets: onePort,
      slices: [slice(mirrorOfOne, owner(uid))],
      writes: [0, 0, 0],
    },
    "a slice with the same fields and another owner": {
      subsets: onePort,
      slices: [slice(mirrorOfOne, owner("fb91e798-1875-4857-b5eb-e2c878157b4d"))],
      writes: [0, 1, 0],
    },
    "a slice with a further annotation": {
      subsets: onePort,
      slices: [slice(mirrorOfOne, { annotations: { foo: "bar" } })],
      writes: [0, 1, 0],
    },
    "a slice without the label": {
      subsets: onePort,
      metadata: { labels: { foo: "bar" } },
      slices: [slice(mirrorOfOne)],
      writes: [0, 1, 0],
    },
    "a slice with last-applied-configuration": {
      subsets: onePort,
      slices: [slice(mirrorOfOne, { annotations: { [lastApplied]: "{}" } })],
      writes: [0, 1, 0],
    },
    "1 subset, 2 ports, 2 addresses": { subsets: [{ ports: pair, addresses: first }], writes: [1, 0, 0] },
    "2 addresses that are not ready": {
      subsets: [{ ports: pair, notReadyAddresses: first }],
      writes: [1, 0, 0],
    },
    "2 ready and 2 that are not": {
      subsets: [{ ports: pair, addresses: second.slice(0, 2), notReadyAddresses: first }],
      writes: [1, 0, 0],
    },
    "2 subsets, several ports and addresses": { subsets: two, writes: [2, 0, 0] },
    "2 subsets, and an empty slice": { subsets: two, slices: [slice({ ports: pair })], writes: [1, 1, 0] },
    "2 subsets, and a slice with some addresses": {
      subsets: two,
      slices: [
        slice({
          ports: pair,
          endpoints: [
            { addresses: ["10.0.0.2"], hostname: "pod-2" },
            { addresses: ["10.0.0.1", "10.0.0.3"], hostname: "pod-1" },
          ],
        }),
      ],
      writes: [1, 1, 0],
    },
    "2 subsets, and a slice that is up to date": {
      subsets: two,
      slices: [
        slice({
          ports: pair.toReversed(),
          endpoints: first.map(({ ip, ...rest }) => ({ addresses: [ip], ...rest, ...ready })).toReversed(),
        }),
      ],
      writes: [1, 0, 0],
    },
    "dual-stack addresses": {
      subsets: [
        { ports: pair, addresses: [address(six("2222"), 1), address("10.0.0.2", 2)] },
        { ports: otherPair, addresses: [...second.slice(0, 2), address(six("3333"), 3)] },
      ],
      writes: [4, 0, 0],
    },
    "IPv6 only": {
      subsets: [
        { ports: pair, addresses: [address(six("1111"), 1), address(six("2222"), 2)] },
        {
          ports: otherPair,
          addresses: [address(six("3333"), 1), address(six("4444"), 2), address(six("5555"), 3)],
        },
      ],
      writes: [2, 0, 0],
    },
    "some invalid addresses": {
      subsets: [
        { ports: pair, addresses: [address(six("1111"), 1), address("this-is-not-an-ip", 2)] },
        { ports: otherPair, addresses: [address("this-is-also-not-an-ip", 1), address(six("4444"), 2)] },
      ],
      writes: [2, 0, 0],
    },
    "only invalid addresses": {
      subsets: [{ ports: pair, addresses: [address("this-is-not-an-ip", 1)] }],
      writes: [0, 0, 0],
    },
    "too many addresses": { subsets: two, writes: [2, 0, 0], maxEndpoints: 2 },
  };
  test.each(Object.entries(cases))("%s", (_, { subsets, metadata, slices = [], writes: wanted, ...more }) => {
    const before = custom(subsets, metadata);
    const planned = plan(before, slices, more);
    expect(writes(planned)).toEqual(wanted);
    const stored = [...planned.create, ...planned.update].map((each, i) => ({
      ...each,
      metadata: { ...each.metadata, name: `test-ep-${i}` },
    }));
    const untouched = slices.filter(
      (each) => !planned.update.some(({ metadata: { name: id } }) => id === each.metadata.name),
    );
    expect(writes(plan(before, [...stored, ...untouched], more))).toEqual([0, 0, 0]);
  });
});

test("a slice has the ports, addresses, conditions, labels and annotations of the Endpoints", () => {
  const target = { kind: "Pod", namespace: "test", name: "foo", uid: "u" };
  const mirrored = custom(
    [
      {
        ports: [{ port: 80, appProtocol: "http" }],
        addresses: [{ ...address("10.1.2.3", 1), targetRef: target }],
        notReadyAddresses: [{ ip: "10.1.2.4" }],
      },
    ],
    {
      labels: { foo: "bar" },
      annotations: {
        foo2: "bar2",
        [lastApplied]: "",
        "endpoints.kubernetes.io/last-change-trigger-time": "date",
      },
    },
  );
  const [created] = plan(mirrored).create;
  expect(created).toEqual({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: "test-ep-",
      namespace: "test",
      labels: { foo: "bar", ...ours },
      annotations: { foo2: "bar2" },
      ownerReferences: [
        { apiVersion: "v1", kind: "Endpoints", name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    addressType: "IPv4",
    endpoints: [
      { addresses: ["10.1.2.3"], ...ready, hostname: "pod-1", nodeName: "node-1", targetRef: target },
      { addresses: ["10.1.2.4"], conditions: { ready: false } },
    ],
    ports: [{ name: "", protocol: "TCP", port: 80, appProtocol: "http" }],
  });
});

test("an address that is both ready and not ready is not ready", () => {
  const subsets = [
    { ports: [http], addresses: [one] },
    { ports: [http], notReadyAddresses: [one] },
  ];
  for (const both of [subsets, subsets.toReversed()]) {
    expect(plan(custom(both)).create.map((each) => each.endpoints)).toEqual([
      [{ addresses: ["10.0.0.1"], hostname: "pod-1", conditions: { ready: false } }],
    ]);
  }
});

describe("mirrored Endpoints (upstream's TestSyncEndpoints and TestShouldMirror)", () => {
  const subsets = [{ ports: [{ port: 80 }], addresses: [{ ip: "10.0.0.1" }] }];
  const skip = "endpointslice.kubernetes.io/skip-mirror";
  const leader = "control-plane.alpha.kubernetes.io/leader";
  test.each([
    ["standard", {}, [service()], 1],
    ["with skip-mirror=true", { labels: { [skip]: "true" } }, [service()], 0],
    ["with skip-mirror=false", { labels: { [skip]: "false" } }, [service()], 1],
    ["with skip-mirror=invalid", { labels: { [skip]: "invalid" } }, [service()], 1],
    ["with a leader", { annotations: { [leader]: "" } }, [service()], 0],
    ["without a Service", {}, [], 0],
    ["of a Service with a selector", {}, [service({ selector: { foo: "bar" } })], 0],
  ])("%s", (_, metadata, behind, created) => {
    const mirrored = custom(subsets, metadata);
    expect(plan(mirrored, [], { behind }).create.length).toBe(created);
    const old = slice({ ports: [http] });
    expect(plan(mirrored, [old], { behind }).remove).toEqual(created === 0 ? [old] : []);
  });
  test("slices of deleted Endpoints are deleted", () => {
    const old = slice(mirrorOfOne);
    expect(plan(undefined, [old])).toEqual({ create: [], update: [], remove: [old], warnings: [] });
  });
});

describe("warnings", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
  test.each([
    [1000, []],
    [
      1001,
      [
        {
          reason: "TooManyAddressesToMirror",
          message:
            "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped",
        },
      ],
    ],
  ])("of %d addresses", (count, warnings) => {
    const planned = plan(custom([{ ports: [{ port: 80 }], addresses: many(count) }]));
    expect(planned.create.map((each) => each.endpoints.length)).toEqual([1000]);
    expect(planned.warnings).toEqual(warnings);
  });
  test("of invalid addresses", () => {
    expect(plan(custom([{ ports: [http], addresses: [{ ip: "a" }, { ip: "b" }] }])).warnings).toEqual([
      {
        reason: "InvalidIPAddress",
        message: "Skipped 2 invalid IP addresses when mirroring to EndpointSlices",
      },
    ]);
  });
  test("ports times addresses are bounded", () => {
    const ports = Array.from({ length: 600 }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
    expect(() => plan(custom([{ ports, addresses: many(600) }]))).toThrow(TerminalError);
  });
});

describe("slices are reused (upstream's TestRecycleSlices)", () => {
  const old = (each: string, addressType = "IPv4") =>
    slice({ addressType, ports: [{ name: "old", port: 1 }] }, { name: each });
  const subset = (port: number, ip: string) => ({ ports: [{ name: "p", port }], addresses: [{ ip }] });
  test.each<[string, object[], EndpointSlice[], [number, string[], string[]]]>([
    ["1 wanted, 1 left", [subset(1, "10.1.2.3")], [old("bar")], [0, ["bar"], []]],
    ["2 wanted, 1 left", [subset(1, "10.1.2.3"), subset(2, "10.3.4.5")], [old("bar")], [1, ["bar"], []]],
    ["1 wanted, 2 left", [subset(1, "10.1.2.3")], [old("bar2"), old("bar1")], [0, ["bar1"], ["bar2"]]],
    [
      "1 wanted and 1 left of each family",
      [{ ports: [http], addresses: [{ ip: "10.1.2.3" }, { ip: six("1111") }] }],
      [old("v4"), old("v6", "IPv6")],
      [0, ["v4", "v6"], []],
    ],
    ["1 wanted, 1 left of the other family", [subset(1, "10.1.2.3")], [old("v6", "IPv6")], [1, [], ["v6"]]],
  ])("%s", (_, subsets, slices, [created, updated, removed]) => {
    const planned = plan(custom(subsets), slices);
    const names = (list: readonly EndpointSlice[]) =>
      list.map(({ metadata }) => metadata.name ?? "").toSorted();
    expect([planned.create.length, names(planned.update), names(planned.remove)]).toEqual([
      created,
      updated,
      removed,
    ]);
  });
});
