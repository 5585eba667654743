/* oxlint-disable no-restricted-imports -- The scheduler takes the CEL engine as a parameter; its tests need a real one. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { nodes } from "../../../api/core/node/schema.ts";
import { deviceClasses } from "../../../api/resource/device-class/schema.ts";
import { resourceClaims } from "../../../api/resource/resource-claim/schema.ts";
import { resourceSlices } from "../../../api/resource/resource-slice/schema.ts";
import { compileSelector } from "../../../expressions/device-selectors.ts";
import { build } from "../../builders.suite.ts";
import { allocate } from "./allocate.ts";
import { amountsOf } from "./capacity.ts";
import { AllocationTimeout, Effort } from "./effort.ts";
import { SliceIndex } from "./pools.ts";
import { Search } from "./search.ts";
import { Selectors } from "./selectors.ts";

/** A case of upstream's allocator tests, with what upstream's allocator did with the features of 1.36. */
interface Case {
  readonly name: string;
  readonly claims?: readonly object[];
  readonly classes?: readonly { readonly metadata: { readonly name: string } }[];
  readonly slices?: readonly object[];
  readonly node: object;
  /** The devices as `driver|pool|device`. */
  readonly allocatedDevices?: readonly string[];
  readonly allocatedCapacity?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly results?: readonly object[];
  readonly error?: string;
  /** The calls of the recursive step. */
  readonly invocations?: number;
}

const fixture = new URL("../../../../test/fixtures/device-allocations.jsonl", import.meta.url);
const cases = readFileSync(fixture, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Case);

const anyShare = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
const selectors = new Selectors(compileSelector);

function inputOf(one: Case, effort = new Effort(1_000_000)) {
  const { claims = [], classes = [], slices = [], allocatedDevices = [], allocatedCapacity = {} } = one;
  const node = build(nodes, one.node);
  const known = new Map(classes.map((each) => [each.metadata.name, build(deviceClasses, each)]));
  const taken = new Set(allocatedDevices.map((key) => key.replaceAll("|", "/")));
  const index = new SliceIndex();
  // Slices of some cases have the same name.
  for (const [i, slice] of slices.entries()) index.set(`${i}`, build(resourceSlices, slice));
  const shares = new Map(
    Object.entries(allocatedCapacity).map(([key, amounts]) => [key.replaceAll("|", "/"), amountsOf(amounts)]),
  );
  return {
    claims: claims.map((claim) => build(resourceClaims, claim)),
    node,
    pools: index.poolsOf(node, effort),
    allocated: { has: (key: string) => taken.has(key), shares: (key: string) => shares.get(key) },
    deviceClass: (name: string) => known.get(name),
    selectors,
    effort,
  };
}

/** The lister of upstream's tests has a message of its own. */
const lister = /: {2}"not found" not found$/;

test.each(cases.map((one) => [one.name, one] as const))("upstream's case %s", (_, one) => {
  const input = inputOf(one);
  if (one.error === undefined) {
    const results = allocate(input, () => anyShare);
    expect(results ?? []).toEqual(one.results ?? []);
  } else expect(() => allocate(input, () => anyShare)).toThrow(one.error.replace(lister, ": "));
});

const counted = cases.filter(({ error, invocations = 0 }) => error === undefined && invocations > 0);

test.each(counted.map((one) => [one.name, one] as const))("case %s takes upstream's steps", (_, one) => {
  const search = new Search(inputOf(one));
  search.run();
  expect(search.invocations).toBe(one.invocations);
});

const gpus = (count: number, pools = 1): Case => ({
  name: "gpus",
  node: { metadata: { name: "node-1" } },
  classes: [{ metadata: { name: "gpu" } }],
  slices: Array.from({ length: pools }, (_pool, i) => ({
    metadata: { name: `slice-${i}` },
    spec: {
      driver: "gpu.example.com",
      pool: { name: `pool-${i}`, generation: 1, resourceSliceCount: 1 },
      nodeName: "node-1",
      devices: Array.from({ length: count }, (_device, n) => ({
        name: `gpu-${n}`,
        attributes: { model: { string: `model-${n}` } },
      })),
    },
  })),
});
const wants = (count: number, more: object = {}) => ({
  metadata: { name: "claim", namespace: "default" },
  spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu", count, ...more } }] } },
});

test("a search that cannot succeed ends after a bounded number of steps", () => {
  const matchAttribute = "gpu.example.com/none";
  const request = (name: string) => ({ name, exactly: { deviceClassName: "gpu", count: 5 } });
  const requests = [request("a"), request("b"), request("c"), request("d")];
  const last = {
    name: "e",
    exactly: { deviceClassName: "gpu", count: 1, selectors: [{ cel: { expression: "false" } }] },
  };
  const devices = { requests: [...requests, last], constraints: [{ requests: ["e"], matchAttribute }] };
  const claim = { metadata: { name: "claim" }, spec: { devices } };
  const effort = new Effort(50_000);
  expect(() => allocate(inputOf({ ...gpus(100), claims: [claim] }, effort), () => anyShare)).toThrow(
    AllocationTimeout,
  );
});

test("an expression is evaluated once for each device, also when the effort ends with it", () => {
  const expression = `device.attributes["gpu.example.com"].model == "model-9"`;
  let evaluations = 0;
  const counting = new Selectors((source) => {
    const program = compileSelector(source);
    return (driver, device) => {
      evaluations += 1;
      return { ...program(driver, device), cost: 80_000 };
    };
  });
  const one = { ...gpus(10), claims: [wants(1, { selectors: [{ cel: { expression } }] })] };
  const input = inputOf(one);
  const attempt = () =>
    allocate({ ...input, selectors: counting, effort: new Effort(20_500) }, () => anyShare);
  for (let i = 0; i < 3; i += 1) expect(attempt).toThrow(AllocationTimeout);
  expect(attempt()?.[0]?.devices.results?.[0]?.device).toBe("gpu-9");
  expect(evaluations).toBe(10);
});

test("an expression that is in use is kept, and one of long ago is forgotten", () => {
  const compiled: string[] = [];
  const counting = new Selectors((source) => {
    compiled.push(source);
    return compileSelector(source);
  });
  const about = { device: { name: "gpu-0" }, slice: { spec: { driver: "gpu.example.com" } } };
  const match = (expression: string) =>
    counting.match([{ cel: { expression } }], about, "class gpu", new Effort(1000));
  for (let i = 0; i < 100; i += 1) expect([match("true"), match(`${i} == 0`)]).toEqual([true, i === 0]);
  expect(compiled).toHaveLength(101);
  match("99 == 0");
  expect(compiled).toHaveLength(101);
  match("0 == 0");
  expect(compiled.at(-1)).toBe("0 == 0");
});

test("more claims than the stack has room for are refused", () => {
  const claims = Array.from({ length: 100 }, () => wants(1));
  expect(() => allocate(inputOf({ ...gpus(1), claims }), () => anyShare)).toThrow("too many claims");
});

test("devices in use take hardly any steps, and are there for administrative access", () => {
  const allocated = { has: () => true, shares: () => undefined };
  const allocateWith = (more: object) => {
    const input = inputOf({ ...gpus(128), claims: [wants(1, more)] });
    return allocate({ ...input, allocated, effort: new Effort(25) }, () => anyShare);
  };
  expect(allocateWith({})).toBeUndefined();
  expect(allocateWith({ adminAccess: true })?.[0]?.devices.results?.[0]?.device).toBe("gpu-0");
});
