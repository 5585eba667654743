/* oxlint-disable no-restricted-imports -- The scheduler takes the CEL engine as a parameter; its tests need a real one. */
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Pod } from "../../../api/core/pod/schema.ts";
import { deviceClasses } from "../../../api/resource/device-class/schema.ts";
import {
  type AllocationResult,
  type ResourceClaim,
  resourceClaims,
} from "../../../api/resource/resource-claim/schema.ts";
import { resourceSlices } from "../../../api/resource/resource-slice/schema.ts";
import type { CompiledSelector } from "../../../api/resource/selectors.ts";
import { compileSelector } from "../../../expressions/device-selectors.ts";
import type { KubeObject } from "../../../meta/kind.ts";
import { seededRandom } from "../../../util/random.ts";
import { aNode, aPod, build, handleOf } from "../../builders.suite.ts";
import { bestNodes, Decider } from "../../decide/decider.ts";
import { Snapshot } from "../../snapshot.ts";
import { allocate } from "./allocate.ts";
import { DeviceState } from "./device-state.ts";
import { dynamicResources } from "./plugin.ts";
import { Search } from "./search.ts";

const driver = "gpu.example.com";
const has = (attribute: string) => ({
  selectors: [{ cel: { expression: `"${attribute}" in device.attributes["${driver}"]` } }],
});
const ofDriver = { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] };
const gpu = (spec: object = ofDriver) => build(deviceClasses, { metadata: { name: "gpu" }, spec });
const free = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `d${i}` }));

interface Place {
  readonly nodeName?: string;
  readonly allNodes?: boolean;
  readonly pool?: string;
  readonly generation?: number;
}

const sliceOf = (
  name: string,
  devices: readonly object[],
  { nodeName, allNodes, pool = name, generation = 1 }: Place = { nodeName: name },
) =>
  build(resourceSlices, {
    metadata: { name, uid: `uid-${name}` },
    spec: {
      driver,
      pool: { name: pool, generation, resourceSliceCount: 1 },
      ...(nodeName === undefined ? { allNodes } : { nodeName }),
      devices,
    },
  });

const exactly = (more: object = { count: 1 }) => ({ deviceClassName: "gpu", ...more });
const requestsOf = {
  any: [{ name: "r", exactly: exactly() }],
  large: [{ name: "r", exactly: exactly({ ...has("large"), count: 1 }) }],
  two: [{ name: "r", exactly: exactly({ count: 2 }) }],
  all: [{ name: "r", exactly: exactly({ allocationMode: "All" }) }],
  either: [
    {
      name: "r",
      firstAvailable: [
        { name: "big", ...exactly({ ...has("large"), count: 1 }) },
        { name: "small", ...exactly() },
      ],
    },
  ],
  shared: [{ name: "r", exactly: exactly({ count: 1, capacity: { requests: { memory: "1Gi" } } }) }],
} as const;

const claimOf = (name: string, requests: readonly object[] = requestsOf.any): ResourceClaim =>
  build(resourceClaims, {
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "1" },
    spec: { devices: { requests } },
  });

const using = ({ metadata: { name } }: ResourceClaim): Pod =>
  aPod(`p-${name}`, {}, { resourceClaims: [{ name: "gpu", resourceClaimName: name }] });

/** The first allocation for a claim on a node, found anew from the objects. */
function allocationOn(claim: ResourceClaim, node: string, objects: Iterable<KubeObject>): AllocationResult {
  const state = DeviceState.of(handleOf(...objects));
  state.refresh();
  const input = {
    claims: [claim],
    node: aNode(node),
    pools: state.slices.poolsOf(aNode(node), state.effort),
    allocated: state.devicesInUse,
    deviceClass: (name: string) => state.deviceClass(name),
    selectors: state.selectors,
    effort: state.effort,
  };
  const [found] = allocate(input, () => "share") ?? [];
  if (found === undefined) throw new Error(`there are no devices on ${node}`);
  return found;
}

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
const nodes = namesOf(4);
const device = fc.record({
  attributes: fc.constantFrom({}, { large: { bool: true } }),
  taints: fc.constantFrom([], [{ key: "k", effect: "NoSchedule" }]),
  kind: fc.constantFrom({}, { allowMultipleAllocations: true, capacity: { memory: { value: "2Gi" } } }),
});
const devices = fc
  .array(device, { maxLength: 3 })
  .map((all) => all.map(({ kind, ...rest }, i) => ({ name: `d${i}`, ...rest, ...kind })));
const wanted = fc.constantFrom(...Object.values(requestsOf));
const place = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...nodes).map((nodeName) => ({ name: nodeName, nodeName })) },
  // A pool that all nodes can access, and one whose slice moves between nodes.
  fc.constant({ name: "shared", allNodes: true }),
  fc.constantFrom(...nodes).map((nodeName) => ({ name: "moving", nodeName })),
  fc
    .constantFrom(...nodes)
    .map((nodeName) => ({ name: `next-${nodeName}`, nodeName, pool: nodeName, generation: 2 })),
);
const event = fc.oneof(
  { weight: 8, arbitrary: wanted.map((requests) => ({ type: "schedule", requests }) as const) },
  { weight: 3, arbitrary: fc.nat(20).map((which) => ({ type: "end", which }) as const) },
  fc.tuple(place, devices).map(([at, of]) => ({ type: "slice", at, of }) as const),
  place.map((at) => ({ type: "removeSlice", at }) as const),
  fc.constantFrom(ofDriver, has("large")).map((spec) => ({ type: "class", spec }) as const),
);

type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

/** A scheduler with devices, and all objects that there are. */
class Cluster {
  readonly snapshot = new Snapshot();
  readonly handle = {
    ...handleOf(),
    touch: (name: string) => this.snapshot.touch(name),
    compileSelector: (source: string) => this.#counting(source),
  };
  /** The evaluations of selectors. */
  evaluations = 0;
  readonly plugin = dynamicResources(this.handle);
  readonly decider = new Decider({
    plugins: [{ plugin: this.plugin, weight: 2 }],
    snapshot: this.snapshot,
    random: seededRandom(1),
  });
  readonly #objects = new Map<string, KubeObject>();
  readonly #placed: { pod: Pod; node: string; claim: ResourceClaim; isInFlight: boolean }[] = [];

  constructor(names: readonly string[], count = 2) {
    this.put(gpu());
    for (const name of names) {
      this.snapshot.setNode(aNode(name));
      this.put(sliceOf(name, free(count)));
    }
  }

  #counting(source: string): CompiledSelector {
    const program = compileSelector(source);
    return (...about) => {
      this.evaluations += 1;
      return program(...about);
    };
  }

  put(one: KubeObject, isSeen = true): void {
    this.#objects.set(`${one.kind}/${one.metadata.name}`, one);
    if (isSeen) this.handle.change(one);
  }

  remove(one: KubeObject): void {
    this.#objects.delete(`${one.kind}/${one.metadata.name}`);
    this.handle.change(one, "delete");
  }

  /** The best nodes for a Pod by a scheduler that has just started. */
  bestAnew(pod: Pod): readonly string[] {
    const plugin = dynamicResources(handleOf(...this.#objects.values()));
    return bestNodes(pod, [{ plugin, weight: 2 }], this.snapshot).map(({ name }) => name);
  }

  /** Decides, and reserves the devices. Undefined when there are none. */
  schedule(claim: ResourceClaim, isInFlight = false): string | undefined {
    this.put(claim);
    const pod = using(claim);
    const outcome = this.decider.decide(pod);
    if (outcome.type === "unschedulable") return undefined;
    const node = outcome.node.name;
    const allocation = allocationOn(claim, node, this.#objects.values());
    expect(this.plugin.reserve?.(pod, node)).toBeUndefined();
    this.snapshot.setPod(pod, node);
    // The allocation counts although the cache does not show it yet.
    const written: ResourceClaim = { ...claim, status: { allocation } };
    this.put(written, !isInFlight);
    if (!isInFlight) this.plugin.unreserve?.(pod, node);
    this.#placed.push({ pod, node, claim, isInFlight });
    return node;
  }

  /** Ends a Pod, and frees or deletes its claim. */
  end(which: number): void {
    const [gone] = this.#placed.splice(which, 1);
    if (gone === undefined) return;
    this.snapshot.removePod(gone.pod.metadata.uid ?? "");
    if (gone.isInFlight) {
      this.plugin.unreserve?.(gone.pod, gone.node);
      this.put(gone.claim, false);
    } else if (which % 2 === 0) this.remove(gone.claim);
    else this.put(gone.claim);
  }

  take(one: Event, i: number): void {
    if (one.type === "class") this.put(gpu(one.spec));
    else if (one.type === "slice") this.put(sliceOf(one.at.name, one.of, one.at));
    else if (one.type === "removeSlice") this.remove(sliceOf(one.at.name, [], one.at));
    else if (one.type === "end") this.end(one.which);
    else {
      const claim = claimOf(`c${i}`, one.requests);
      this.put(claim);
      const best = this.bestAnew(using(claim));
      const node = this.schedule(claim, i % 2 === 0);
      if (node === undefined) expect(best).toEqual([]);
      else expect(best).toContain(node);
    }
  }
}

test("decisions are as if everything were computed anew, whatever has changed", () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 5, maxLength: 40 }), (events) => {
      const cluster = new Cluster(nodes);
      for (const [i, one] of events.entries()) cluster.take(one, i);
    }),
    { numRuns: 500 },
  );
});

/** The work of a step: searches for devices, evaluations of selectors, and objects that are read in lists. */
function workOf(cluster: Cluster, step: () => void) {
  const searches = vi.spyOn(Search.prototype, "run");
  const lists = vi.spyOn(cluster.handle.cache, "list");
  cluster.evaluations = 0;
  step();
  const listed = lists.mock.results.reduce((sum, { value }) => sum + (value as readonly object[]).length, 0);
  const { evaluations } = cluster;
  const work = { searches: searches.mock.calls.length, evaluations, listed };
  searches.mockRestore();
  lists.mockRestore();
  return work;
}

describe("on 100 nodes, after the first Pod, a Pod with an equal claim of its own", () => {
  /** The search of Reserve, and the test's own. */
  const own = 2;
  const begin = (): Cluster => {
    const cluster = new Cluster(namesOf(100), 4);
    const first = workOf(cluster, () => cluster.schedule(claimOf("first")));
    expect(first).toMatchObject({ searches: 100 + own, evaluations: 100 });
    return cluster;
  };

  test("asks about the node that has changed", () => {
    const cluster = begin();
    for (const name of ["a", "b", "c"]) {
      const work = workOf(cluster, () => cluster.schedule(claimOf(name)));
      expect(work).toEqual({ searches: 1 + own, evaluations: 1, listed: 0 });
    }
  });

  test("asks about the node whose devices another Pod has freed", () => {
    const cluster = begin();
    const changed = new Set(["a", "b"].map((name) => cluster.schedule(claimOf(name))));
    cluster.end(1);
    const work = workOf(cluster, () => cluster.schedule(claimOf("c")));
    expect(work).toMatchObject({ searches: changed.size + own, listed: 0 });
    expect(work.evaluations).toBeLessThanOrEqual(changed.size);
  });

  test("asks about the node whose slice has changed", () => {
    const cluster = begin();
    const changed = new Set([cluster.schedule(claimOf("a")), "n50", "n51"]);
    cluster.put(sliceOf("n50", free(5)));
    cluster.put(sliceOf("n51", free(5)));
    const work = workOf(cluster, () => cluster.schedule(claimOf("b")));
    expect(work).toMatchObject({ searches: changed.size + own, listed: 0 });
    expect(work.evaluations).toBeLessThanOrEqual(changed.size);
  });

  test("evaluates an expression once for each device, whatever else it asks for", () => {
    const cluster = begin();
    const first = workOf(cluster, () => cluster.schedule(claimOf("a", requestsOf.large)));
    // The expression of the class for the devices after the first, and that of the claim for all.
    expect(first).toMatchObject({ searches: 100, evaluations: 300 + 400 - 1 });
    const other = [{ name: "r", exactly: exactly({ ...has("large"), count: 2 }) }];
    expect(workOf(cluster, () => cluster.schedule(claimOf("b", other)))).toMatchObject({
      searches: 100,
      evaluations: 0,
    });
  });
});
