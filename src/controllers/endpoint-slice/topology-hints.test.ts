import fc from "fast-check";
import { expect, test } from "vitest";
import { nodes } from "../../api/core/node/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { type EndpointSlice, endpointSlices } from "../../api/discovery/endpoint-slice/schema.ts";
import { build } from "../builders.suite.ts";
import { assignHints, isTopologyAware, withoutHints, zoneShares } from "./topology-hints.ts";

const zoneLabel = "topology.kubernetes.io/zone";

const aNode = (name: string, cpu: string, zone?: string, labels: object = {}, status = "True") =>
  build(nodes, {
    metadata: { name, labels: { ...(zone === undefined ? {} : { [zoneLabel]: zone }), ...labels } },
    status: { allocatable: { cpu }, conditions: [{ type: "Ready", status }] },
  });

/** A slice with ready endpoints, by their zones. */
const aSlice = (...zones: readonly (string | undefined)[]): EndpointSlice =>
  build(endpointSlices, {
    metadata: { name: "web-x", namespace: "default" },
    addressType: "IPv4",
    ports: [],
    endpoints: zones.map((zone, i) => ({
      addresses: [`10.0.0.${i}`],
      conditions: { ready: true },
      ...(zone === undefined ? {} : { zone }),
    })),
  });

const hintsIn = (slices: readonly EndpointSlice[]) =>
  slices.flatMap(({ endpoints }) =>
    endpoints.map(({ hints }) => hints?.forZones?.map(({ name }) => name).join()),
  );

const assign = (slice: EndpointSlice, shares: Readonly<Record<string, number>>, before?: EndpointSlice) =>
  assignHints([{ before, after: slice }], new Map(Object.entries(shares)));

test.each([
  ["service.kubernetes.io/topology-mode", "Auto", true],
  ["service.kubernetes.io/topology-mode", "auto", true],
  ["service.kubernetes.io/topology-mode", "AUTO", false],
  ["service.kubernetes.io/topology-aware-hints", "Auto", true],
])("the annotation %s: %s is topology-aware: %s", (name, value, expected) => {
  const service = build(services, { metadata: { name: "web", annotations: { [name]: value } }, spec: {} });
  expect(isTopologyAware(service)).toBe(expected);
});

test("zones have shares by the CPU of their ready nodes, without control planes", () => {
  const control = { "node-role.kubernetes.io/control-plane": "" };
  const all = [
    aNode("a", "1", "za"),
    aNode("b", "2500m", "zb"),
    aNode("c", "500m", "zb"),
    aNode("d", "9", "zc", {}, "False"),
    aNode("e", "9", "zd", control),
  ];
  expect(zoneShares(all)).toEqual(
    new Map([
      ["za", 0.25],
      ["zb", 0.75],
    ]),
  );
});

test.each([
  ["a node has no zone", [aNode("a", "1", "za"), aNode("b", "1", "zb"), aNode("c", "1")]],
  ["a node has no CPU", [aNode("a", "1", "za"), aNode("b", "0", "zb")]],
  ["there is one zone", [aNode("a", "1", "za"), aNode("b", "1", "za")]],
])("there are no shares when %s", (_, all) => {
  expect(zoneShares(all)).toBeUndefined();
});

const [even, three] = [
  { a: 0.5, b: 0.5 },
  { a: 1 / 3, b: 1 / 3, c: 1 / 3 },
];

test.each([
  ["keep their zones", ["a", "b"], even, ["a", "b"]],
  ["move to a zone with too few", ["a", "a", "a", "b"], even, ["b", "a", "a", "b"]],
  ["move to a zone without any", ["a", "a", "a"], three, ["b", "c", "a"]],
  [
    "stay when less than half an endpoint is missing",
    ["a", "a", "a", "b", "b"],
    { a: 0.55, b: 0.45 },
    ["a", "a", "a", "b", "b"],
  ],
])("endpoints %s", (_, zones, shares, expected) => {
  expect(hintsIn(assign(aSlice(...zones), shares).slices)).toEqual(expected);
});

test.each([
  ["few", ["a"], even, "Insufficient number of endpoints (1 endpoints, 2 zones)"],
  ["zoneless", ["a", undefined], even, "One or more endpoints do not have a zone specified"],
  [
    "too unequal",
    ["a", "a", "b"],
    { a: 0.1, b: 0.45, c: 0.45 },
    "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 3 zones)",
  ],
])("endpoints that are %s have no hints", (_, zones, shares, problem) => {
  const slice = aSlice(...zones);
  expect(assign(slice, shares)).toEqual({ slices: [slice], problem });
});

test("without shares there are no hints", () => {
  expect(assignHints([{ before: undefined, after: aSlice("a", "b") }], undefined).problem).toMatch(
    "Insufficient Node information",
  );
});

test("an unchanged slice keeps hints that are possible, and loses those that are not", () => {
  const slice = aSlice("a", "a", "b", "b");
  const hinted = (...names: readonly string[]): EndpointSlice => ({
    ...slice,
    endpoints: slice.endpoints.map((one, i) => ({ ...one, hints: { forZones: [{ name: names[i] ?? "" }] } })),
  });
  const swapped = hinted("b", "a", "a", "b");
  expect(assign(slice, even, swapped).slices[0]).toBe(swapped);
  expect(hintsIn(assign(slice, even, hinted("a", "a", "a", "a")).slices)).toEqual(["a", "a", "b", "b"]);
  expect(hintsIn(assign(slice, even, hinted("a", "a", "b", "gone")).slices)).toEqual(["a", "a", "b", "b"]);
  expect(withoutHints(swapped)).toEqual(slice);
});

test("every zone gets endpoints by its share, each endpoint is assigned once, and a second run changes nothing", () => {
  const zone = fc.constantFrom("a", "b", "c");
  fc.assert(
    fc.property(fc.array(zone, { minLength: 3, maxLength: 40 }), fc.nat(4), (zones, weight) => {
      const total = weight + 7;
      const shares = { a: (weight + 1) / total, b: 3 / total, c: 3 / total };
      const slice = aSlice(...zones);
      const { slices, problem } = assign(slice, shares);
      if (problem !== undefined) return;
      const hints = hintsIn(slices);
      for (const [name, share] of Object.entries(shares)) {
        const count = hints.filter((one) => one === name).length;
        // Less than one endpoint from its share, or the endpoints' own zones where nothing needs to move.
        expect(count).toBeGreaterThanOrEqual(Math.floor(share * zones.length) - 1);
      }
      expect(hints.every((one) => one !== undefined)).toBe(true);
      expect(assign(slice, shares, slices[0]).slices.map(withoutHints)).toEqual([slice]);
    }),
  );
});
