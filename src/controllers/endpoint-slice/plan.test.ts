import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/pod/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { aPod, build } from "../builders.suite.ts";
import { maxEndpoints, type Plan, planSlices } from "./plan.ts";

const aService = (spec: object = {}, metadata: object = {}) =>
  build(services, {
    metadata: { name: "web", namespace: "default", uid: "uid-web", ...metadata },
    spec: {
      clusterIP: "10.96.0.1",
      ipFamilies: ["IPv4"],
      selector: { app: "web" },
      ports: [{ port: 80, targetPort: 8080 }],
      ...spec,
    },
  });
const backend = (i: number, { spec = {}, status = {}, metadata = {} } = {}) =>
  aPod(`p${i}`, {
    metadata,
    spec: { nodeName: "n1", ...spec },
    status: {
      phase: "Running",
      podIPs: [{ ip: `10.0.${i >> 8}.${i & 255}` }],
      conditions: [{ type: "Ready", status: "True" }],
      ...status,
    },
  });
const notReady = { status: { conditions: [] } };
const ending = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
const zoneOf = (node: string) => (node === "gone" ? undefined : { zone: "z1" });

const plan = (
  service: ReturnType<typeof aService>,
  pods: readonly Pod[],
  slices: readonly EndpointSlice[] = [],
) => planSlices({ service, pods, slices, zoneOf });

let made = 0;
/** The slices after the plan was carried out. */
function after({ create, update, remove }: Plan, slices: readonly EndpointSlice[]): readonly EndpointSlice[] {
  const updated = new Map(update.map((one) => [one.metadata.name, one]));
  const named = create.map((one) => {
    const stored = build(endpointSlices, one);
    return { ...stored, metadata: { ...stored.metadata, name: `web-${++made}` } };
  });
  const gone = new Set(remove.map(({ metadata }) => metadata.name));
  const kept = slices.filter(({ metadata }) => !gone.has(metadata.name));
  return [...kept.map((one) => updated.get(one.metadata.name) ?? one), ...named];
}

describe("an endpoint", () => {
  const endpoint = (service: ReturnType<typeof aService>, pod: Pod) =>
    plan(service, [pod]).create[0]?.endpoints[0];
  test("shows its Pod's node, zone and conditions", () => {
    expect(endpoint(aService(), backend(1))).toEqual({
      addresses: ["10.0.0.1"],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: "n1",
      zone: "z1",
      targetRef: { kind: "Pod", namespace: "default", name: "p1", uid: "uid-p1" },
    });
  });
  test.each([
    ["ready", {}, { ready: true, serving: true, terminating: false }],
    ["not ready", notReady, { ready: false, serving: false, terminating: false }],
    ["ending, but still ready", ending, { ready: false, serving: true, terminating: true }],
  ])("of a Pod that is %s has the conditions for it", (_, more, conditions) => {
    expect(endpoint(aService(), backend(1, more))?.conditions).toEqual(conditions);
    const all = { publishNotReadyAddresses: true };
    expect(endpoint(aService(all), backend(1, more))?.conditions).toEqual({ ...conditions, ready: true });
  });
  test.each([
    ["has no address", { status: { podIPs: [] } }],
    ["has no address of the family", { status: { podIPs: [{ ip: "fd00::1" }] } }],
    ["has ended", { status: { phase: "Succeeded" } }],
    ["is on a deleted node", { spec: { nodeName: "gone" } }],
  ])("is not made for a Pod that %s", (_, more) => {
    expect(endpoint(aService(), backend(1, more))).toBeUndefined();
  });
  test("has the Pod's host name when the Pod's subdomain is the Service", () => {
    expect(endpoint(aService(), backend(1, { spec: { hostname: "h", subdomain: "web" } }))?.hostname).toBe(
      "h",
    );
    expect(
      endpoint(aService(), backend(1, { spec: { hostname: "h", subdomain: "db" } }))?.hostname,
    ).toBeUndefined();
  });
  test("has hints for its own zone and node", () => {
    expect(endpoint(aService({ trafficDistribution: "PreferSameZone" }), backend(1))?.hints).toEqual({
      forZones: [{ name: "z1" }],
    });
    expect(
      endpoint(aService({ trafficDistribution: "PreferSameNode" }), backend(1))?.hints?.forNodes,
    ).toEqual([{ name: "n1" }]);
  });
});

describe("where an endpoint's Pod", () => {
  const endpoint = (spec: object, pod: Pod, zone?: string) =>
    planSlices({
      service: aService(spec),
      pods: [pod],
      slices: [],
      zoneOf: (node) => (node === "gone" ? undefined : { zone }),
    }).create[0]?.endpoints[0];
  const unscheduled = backend(1, { spec: { nodeName: undefined } });

  test("has no node, it has neither a node nor a zone", () => {
    const found = endpoint({ trafficDistribution: "PreferSameNode" }, unscheduled, "z1");
    expect(found).toMatchObject({ addresses: ["10.0.0.1"] });
    for (const field of ["nodeName", "zone", "hints"]) expect(found).not.toHaveProperty(field);
  });
  test("is on a missing node, it is published with publishNotReadyAddresses only", () => {
    const gone = backend(1, { spec: { nodeName: "gone" } });
    const found = endpoint({ publishNotReadyAddresses: true }, gone);
    expect(found).toMatchObject({ addresses: ["10.0.0.1"], nodeName: "gone" });
    expect(found).not.toHaveProperty("zone");
  });
  test.each([
    ["PreferClose", "z1", { forZones: [{ name: "z1" }] }],
    ["PreferSameZone", "z1", { forZones: [{ name: "z1" }] }],
    ["PreferSameZone", undefined, undefined],
    ["PreferSameNode", "z1", { forZones: [{ name: "z1" }], forNodes: [{ name: "n1" }] }],
    ["PreferSameNode", undefined, { forNodes: [{ name: "n1" }] }],
    [undefined, "z1", undefined],
  ])("is, counts for %s in zone %s: %j", (trafficDistribution, zone, hints) => {
    expect(endpoint({ trafficDistribution }, backend(1), zone)?.hints).toEqual(hints);
  });
  test("is not ready, it gets no hints", () => {
    expect(endpoint({ trafficDistribution: "PreferClose" }, backend(1, notReady), "z1")).not.toHaveProperty(
      "hints",
    );
  });
});

describe("new endpoints go", () => {
  const pods = (from: number, count: number) => Array.from({ length: count }, (_, i) => backend(from + i));
  const slicesOf = (...groups: readonly (readonly Pod[])[]) =>
    groups.flatMap((group) => after(plan(aService(), group), []));
  const sizes = (before: readonly EndpointSlice[], present: readonly Pod[]) =>
    after(plan(aService(), present, before), before).map(({ endpoints }) => endpoints.length);
  const unready = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, conditions: [] } });
  const [a, b, more] = [pods(0, 60), pods(100, 80), (count: number) => pods(200, count)];

  test("into slices that change anyway, as far as they have room", () => {
    const full = pods(300, 100);
    const before = slicesOf(full, a);
    expect(sizes(before, [...full.slice(1), ...a, ...more(2)])).toEqual([100, 61]);
    expect(sizes(slicesOf(a, full), [...full.slice(1), ...a, ...more(2)])).toEqual([61, 100]);
    expect(sizes(slicesOf(a, b), [...a.slice(1), ...b.slice(1), ...more(30)])).toEqual([68, 100]);
  });
  test("into the fullest slice with room for all of them", () => {
    expect(sizes(slicesOf(a, b), [...a, ...b, ...more(20)])).toEqual([60, 100]);
    expect(sizes(slicesOf(a, b), [...a, ...b, ...more(21)])).toEqual([81, 80]);
  });
  test("into a slice of their own where none has room for all", () => {
    expect(sizes(slicesOf(a, b), [...a, ...b, ...more(41)])).toEqual([60, 80, 41]);
  });
  // Upstream's cases by value: `reconciler_test.go`.
  test.each([
    [[62, 61], 127, [89, 61, 100], 1, 1],
    [[74, 74], 152, [74, 74, 100, 52], 2, 0],
    [[], 250, [100, 100, 50], 3, 0],
  ])("beside slices of %j, %i more: %j", (present, count, expected, creates, updates) => {
    const groups = present.map((size, i) => pods(1000 * i, size));
    const before = slicesOf(...groups);
    const change = plan(aService(), [...groups.flat(), ...pods(5000, count)], before);
    expect(after(change, before).map(({ endpoints }) => endpoints.length)).toEqual(expected);
    expect([change.create.length, change.update.length, change.remove.length]).toEqual([creates, updates, 0]);
  });
  test("into the fullest of the slices that change anyway", () => {
    const [large, small] = [pods(0, 80), pods(100, 20)];
    const before = slicesOf(large, small);
    const changed = [...large, ...small].map((one, i) => (i % 10 === 0 ? unready(one) : one));
    const change = plan(aService(), [...changed, ...pods(200, 15)], before);
    expect(after(change, before).map(({ endpoints }) => endpoints.length)).toEqual([95, 20]);
    expect([change.create.length, change.update.length]).toEqual([0, 2]);
  });
  test.each([
    [250, 100, 3, 3, 0],
    [300, 30, 10, 3, 7],
  ])(
    "of another port, %i in slices of %i, into the same slices",
    (count, size, slices, updates, removals) => {
      const all = pods(0, count);
      const groups = Array.from({ length: slices }, (_, i) => all.slice(i * size, (i + 1) * size));
      const before = slicesOf(...groups);
      expect(plan(aService(), all, before)).toEqual({ create: [], update: [], remove: [] });
      const moved = aService({ ports: [{ port: 80, targetPort: 81 }] });
      const change = plan(moved, all, before);
      expect([change.create.length, change.update.length, change.remove.length]).toEqual([
        0,
        updates,
        removals,
      ]);
      const sizes = after(change, before).map(({ endpoints, ports }) => [endpoints.length, ports[0]?.port]);
      expect(sizes).toEqual([
        [100, 81],
        [100, 81],
        [count - 200, 81],
      ]);
    },
  );
  test("into new slices in the place of those of another address type", () => {
    const all = [...pods(0, 80), ...pods(100, 50)];
    const before = slicesOf(all.slice(0, 80), all.slice(80)).map((one) => ({
      ...one,
      addressType: "FQDN" as const,
    }));
    const change = plan(aService(), all, before);
    expect(change.create.map(({ endpoints }) => endpoints.length)).toEqual([100, 30]);
    expect([change.update.length, change.remove.length]).toEqual([0, 2]);
  });
  test("into the remaining slices: an emptied slice is removed", () => {
    expect(sizes(slicesOf(a, b), b)).toEqual([80]);
    expect(sizes(slicesOf(b, a), [...b, ...more(5)])).toEqual([85]);
  });
});

test("an endpoint whose Pod gets another address is another endpoint", () => {
  const first = after(plan(aService(), [backend(1)]), []);
  const moved = backend(1, { status: { podIPs: [{ ip: "10.9.9.9" }] } });
  expect(after(plan(aService(), [moved], first), first)).toMatchObject([
    { endpoints: [{ addresses: ["10.9.9.9"] }] },
  ]);
});

test("slices of another family are removed, those of other ports get the endpoints", () => {
  const [slice] = after(plan(aService(), [backend(1)]), []);
  const ofFamily: EndpointSlice = { ...slice!, addressType: "IPv6" };
  const ofPorts: EndpointSlice = { ...slice!, ports: [{ name: "", port: 1, protocol: "TCP" }] };
  expect(plan(aService(), [backend(1)], [ofFamily, ofPorts])).toEqual({
    create: [],
    update: [slice],
    remove: [ofFamily],
  });
});

test("a slice has the Service's labels and is owned by the Service", () => {
  const [slice] = plan(aService({ clusterIP: "None" }, { labels: { team: "x" } }), [backend(1)]).create;
  expect(slice).toMatchObject({
    addressType: "IPv4",
    metadata: {
      generateName: "web-",
      labels: {
        team: "x",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        "service.kubernetes.io/headless": "",
      },
      ownerReferences: [{ apiVersion: "v1", kind: "Service", name: "web", controller: true }],
    },
    ports: [{ name: "", port: 8080, protocol: "TCP" }],
  });
});

test("neither the Service's labels nor those of a slice replace the ones of the controller", () => {
  const reserved = {
    "kubernetes.io/service-name": "bad",
    "endpointslice.kubernetes.io/managed-by": "actor",
    "service.kubernetes.io/headless": "",
  };
  const service = aService({}, { labels: { ...reserved, team: "x" } });
  const labels = {
    team: "x",
    "kubernetes.io/service-name": "web",
    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
  };
  const [slice] = after(plan(service, [backend(1)]), []);
  expect(slice!.metadata.labels).toEqual(labels);
  const other = { ...slice!, metadata: { ...slice!.metadata, labels: { ...labels, extra: "y" } } };
  expect(plan(service, [backend(1)], [other])).toEqual({ create: [], update: [slice], remove: [] });
});

test("a named port is resolved on each Pod: Pods that differ are in different slices, and those without it in one without ports", () => {
  const named = (i: number, containerPort: number, name = "http") =>
    backend(i, { spec: { containers: [{ name: "c", image: "i", ports: [{ name, containerPort }] }] } });
  const service = aService({ ports: [{ name: "main", port: 80, targetPort: "http" }] });
  const { create } = plan(service, [named(1, 8080), named(2, 9090), named(3, 8080), named(4, 1, "other")]);
  expect(create.map(({ ports, endpoints }) => [ports[0]?.port, endpoints.length])).toEqual([
    [8080, 2],
    [9090, 1],
    [undefined, 1],
  ]);
});

test("both families of a dual-stack Service have slices of their own", () => {
  const pod = backend(1, { status: { podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] } });
  const { create } = plan(aService({ ipFamilies: ["IPv6", "IPv4"] }), [pod]);
  expect(create.map(({ addressType, endpoints }) => [addressType, endpoints[0]?.addresses])).toEqual([
    ["IPv6", ["fd00::1"]],
    ["IPv4", ["10.0.0.1"]],
  ]);
});

test("a Service without Pods keeps one empty slice", () => {
  const first = after(plan(aService(), []), []);
  expect(first).toMatchObject([{ endpoints: [], ports: [] }]);
  expect(plan(aService(), [], first)).toEqual({ create: [], update: [], remove: [] });
  expect(plan(aService(), [backend(1)], first)).toMatchObject({
    create: [],
    update: [{ metadata: first[0]!.metadata, endpoints: [{ addresses: ["10.0.0.1"] }] }],
    remove: [],
  });
});

test("one Pod's change touches one slice", () => {
  const pods = Array.from({ length: 250 }, (_, i) => backend(i));
  const slices = after(plan(aService(), pods), []);
  expect(slices.map(({ endpoints }) => endpoints.length)).toEqual([100, 100, 50]);
  const { create, update, remove } = plan(
    aService(),
    [...pods.slice(0, 249), backend(249, notReady)],
    slices,
  );
  expect([create.length, update.length, remove.length]).toEqual([0, 1, 0]);
});

test("after any changes, slices hold exactly the Pods, none is too large, and the next plan is empty", () => {
  const step = fc.record({ from: fc.nat({ max: 400 }), count: fc.nat({ max: 300 }), ready: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
      let slices: readonly EndpointSlice[] = [];
      for (const { from, count, ready } of steps) {
        const pods = Array.from({ length: count }, (_, i) => backend(from + i, ready ? {} : notReady));
        slices = after(plan(aService(), pods, slices), slices);
        const names = slices.flatMap(({ endpoints }) => endpoints.map(({ targetRef }) => targetRef?.name));
        expect(new Set(names)).toEqual(new Set(pods.map(({ metadata }) => metadata.name)));
        expect(names.length).toBe(pods.length);
        for (const { endpoints } of slices) expect(endpoints.length).toBeLessThanOrEqual(maxEndpoints);
        expect(plan(aService(), pods, slices)).toEqual({ create: [], update: [], remove: [] });
      }
    }),
    { numRuns: 30 },
  );
});
