import type { Node } from "../../../api/core/node/schema.ts";
import { matchesTerm } from "../../../api/core/node-selection.ts";
import type { ResourceSlice } from "../../../api/resource/resource-slice/schema.ts";
import type { CounterSet, Device } from "../../../api/resource/v1/device.ts";
import { ascending, by } from "../../../util/compare.ts";
import { deviceKey, poolKey } from "../../../api/resource/device-key.ts";
import type { Effort } from "./effort.ts";

/** A device with its place. */
export interface PoolDevice {
  /** `driver/pool/device`. */
  readonly key: string;
  readonly device: Device;
  readonly slice: ResourceSlice;
  readonly pool: Pool;
}

/** The devices of one driver that are managed together, as far as a node can access them. */
export interface Pool {
  /** `driver/pool`. */
  readonly key: string;
  /** Incomplete: the driver is publishing its slices. Invalid: the slices contradict each other. */
  readonly state: "usable" | "incomplete" | "invalid";
  /** By the names of their slices, then in the order of the slice. */
  readonly devices: readonly PoolDevice[];
  /** Devices that the node cannot access, which consume the same counters. */
  readonly elsewhere: readonly PoolDevice[];
  readonly counterSets: ReadonlyMap<string, CounterSet>;
}

type Selection = Pick<Device, "nodeName" | "nodeSelector" | "allNodes">;

/** Reports whether the node is selected by its name, because all nodes are, or by a selector. */
export function isAccessible({ nodeName = "", allNodes, nodeSelector }: Selection, node: Node): boolean {
  if (nodeName !== "") return nodeName === node.metadata.name;
  if (allNodes === true) return true;
  return nodeSelector?.nodeSelectorTerms.some((term) => matchesTerm(term, node)) === true;
}

/** The pools of a node, with the slices that they were gathered from. */
interface Gathered {
  readonly own: readonly ResourceSlice[];
  readonly epoch: number;
  readonly pools: readonly Pool[];
}

const none: readonly ResourceSlice[] = [];

/** All slices of the cluster, filed by node and by pool, and kept up to date slice by slice. */
export class SliceIndex {
  readonly #byName = new Map<string, ResourceSlice>();
  /** The slices that concern several nodes. */
  #shared: readonly ResourceSlice[] = none;
  readonly #byNode = new Map<string, readonly ResourceSlice[]>();
  readonly #byPool = new Map<string, readonly ResourceSlice[]>();
  /** Rises with every change that concerns several nodes. */
  #epoch = 0;
  /** Pools depend on the slices and on the node alone. */
  readonly #pools = new WeakMap<Node, Gathered>();

  /** Takes the present state of a slice; undefined when it is deleted. Returns what the change concerns. */
  set(name: string, slice: ResourceSlice | undefined): "nothing" | "all" | { readonly node: string } {
    const old = this.#byName.get(name);
    if (old === slice) return "nothing";
    if (slice === undefined) this.#byName.delete(name);
    else this.#byName.set(name, slice);
    const both = [old, slice].filter((one) => one !== undefined);
    for (const one of both) this.#file(one, one === slice);
    const pools = both.flatMap((one) => [one, ...(this.#byPool.get(poolOf(one)) ?? none)]);
    const node = onlyNodeOf(pools);
    if (node !== undefined && !pools.some(isShared)) return { node };
    this.#epoch += 1;
    return "all";
  }

  #file(slice: ResourceSlice, isPresent: boolean): void {
    const change = (known: readonly ResourceSlice[]) => {
      const others = known.filter((one) => one !== slice);
      return isPresent ? [...others, slice] : others;
    };
    fileUnder(this.#byPool, poolOf(slice), change);
    if (isShared(slice)) this.#shared = change(this.#shared);
    else fileUnder(this.#byNode, slice.spec.nodeName ?? "", change);
  }

  /** The only node that has devices of these pools; undefined if several nodes may have some. */
  onlyNodeOf(pools: Iterable<string>): string | undefined {
    const slices = [...pools].map((key) => this.#byPool.get(key) ?? none);
    return slices.some(({ length }) => length === 0) ? undefined : onlyNodeOf(slices.flat());
  }

  /** The pools that the node can access, by driver and name; pools that need preparation are the last. */
  poolsOf(node: Node, effort: Effort): readonly Pool[] {
    const own = this.#byNode.get(node.metadata.name ?? "") ?? none;
    const known = this.#pools.get(node);
    if (known?.own === own && known.epoch === this.#epoch) return known.pools;
    const pools = this.#gather(node, effort);
    this.#pools.set(node, { own, epoch: this.#epoch, pools });
    return pools;
  }

  #gather(node: Node, effort: Effort): readonly Pool[] {
    const relevant = new Map<string, ResourceSlice[]>();
    const own = this.#byNode.get(node.metadata.name ?? "") ?? none;
    for (const slice of [...own, ...this.#shared]) {
      effort.spend(1 + (slice.spec.devices ?? []).length);
      if (isRelevant(slice, node)) addNewest(relevant, slice);
    }
    const pools: Pool[] = [];
    for (const [key, slices] of relevant) {
      const pool = this.#build(key, slices);
      if (pool !== undefined) pools.push(pool);
    }
    pools.sort((a, b) => Number(needsPreparation(a)) - Number(needsPreparation(b)) || comparePools(a, b));
    return pools;
  }

  /** Undefined while the driver replaces this generation of the pool. */
  #build(key: string, slices: readonly ResourceSlice[]): Pool | undefined {
    const [first] = slices;
    if (first === undefined) return undefined;
    const { generation, resourceSliceCount } = first.spec.pool;
    const all = this.#byPool.get(key) ?? none;
    if (slices.length === resourceSliceCount) return buildPool(key, slices, []);
    if (all.some(({ spec }) => spec.pool.generation > generation)) return undefined;
    const current = all.filter(({ spec }) => spec.pool.generation === generation);
    if (current.length !== resourceSliceCount) return unusable(key, "incomplete");
    const names = new Set(slices.map(({ metadata }) => metadata.name));
    return buildPool(
      key,
      slices,
      current.filter(({ metadata }) => !names.has(metadata.name)),
    );
  }
}

const poolOf = ({ spec }: ResourceSlice) => poolKey({ driver: spec.driver, pool: spec.pool.name });

const isShared = ({ spec }: ResourceSlice) =>
  (spec.nodeName ?? "") === "" || (spec.sharedCounters ?? []).length > 0;

function onlyNodeOf(slices: readonly ResourceSlice[]): string | undefined {
  const node = slices[0]?.spec.nodeName ?? "";
  return node !== "" && slices.every(({ spec }) => spec.nodeName === node) ? node : undefined;
}

function fileUnder(
  files: Map<string, readonly ResourceSlice[]>,
  key: string,
  change: (known: readonly ResourceSlice[]) => readonly ResourceSlice[],
): void {
  const changed = change(files.get(key) ?? none);
  if (changed.length === 0) files.delete(key);
  else files.set(key, changed);
}

/** Orders by driver, then by name. */
function comparePools(a: Pool, b: Pool): number {
  const [left, right] = [a, b].map(({ key }) => key.split("/"));
  const order = ascending(left?.[0] ?? "", right?.[0] ?? "");
  return order === 0 ? ascending(a.key, b.key) : order;
}

/** Slices with shared counters are needed wherever their pool is used. */
function isRelevant({ spec }: ResourceSlice, node: Node): boolean {
  if ((spec.sharedCounters ?? []).length > 0) return true;
  if (spec.perDeviceNodeSelection === true)
    return (spec.devices ?? []).some((device) => isAccessible(device, node));
  return isAccessible(spec, node);
}

/** Keeps only the slices of the pool's newest generation. */
function addNewest(pools: Map<string, ResourceSlice[]>, slice: ResourceSlice): void {
  const key = poolOf(slice);
  const present = pools.get(key);
  const newest = present?.[0]?.spec.pool.generation;
  const { generation } = slice.spec.pool;
  if (present === undefined || newest === undefined || generation > newest) pools.set(key, [slice]);
  else if (generation === newest) present.push(slice);
}

const unusable = (key: string, state: "incomplete" | "invalid"): Pool => ({
  key,
  state,
  devices: [],
  elsewhere: [],
  counterSets: new Map(),
});

function buildPool(key: string, slices: readonly ResourceSlice[], elsewhere: readonly ResourceSlice[]): Pool {
  const sorted = slices.toSorted(by(({ metadata }) => metadata.name ?? ""));
  const counterSets = new Map<string, CounterSet>();
  for (const { spec } of sorted) {
    for (const set of spec.sharedCounters ?? []) {
      if (counterSets.has(set.name)) return unusable(key, "invalid");
      counterSets.set(set.name, set);
    }
  }
  const pool = {
    key,
    state: "usable",
    devices: [] as PoolDevice[],
    elsewhere: [] as PoolDevice[],
    counterSets,
  } as const;
  for (const slice of sorted) pool.devices.push(...devicesOf(slice, pool));
  for (const slice of elsewhere) pool.elsewhere.push(...devicesOf(slice, pool));
  const isUnique = new Set(pool.devices.map((one) => one.key)).size === pool.devices.length;
  const isCounted = [...pool.devices, ...pool.elsewhere].every(({ device }) =>
    knowsCounters(device, counterSets),
  );
  return isUnique && isCounted ? pool : unusable(key, "invalid");
}

function devicesOf(slice: ResourceSlice, pool: Pool): readonly PoolDevice[] {
  const { driver, pool: named, devices = [] } = slice.spec;
  return devices.map((device) => {
    const key = deviceKey({ driver, pool: named.name, device: device.name });
    return { key, device, slice, pool };
  });
}

function knowsCounters({ consumesCounters = [] }: Device, sets: ReadonlyMap<string, CounterSet>): boolean {
  return consumesCounters.every(({ counterSet, counters = {} }) => {
    const known = sets.get(counterSet)?.counters;
    const isKnown = (name: string) => known !== undefined && Object.hasOwn(known, name);
    return sets.has(counterSet) && Object.keys(counters).every(isKnown);
  });
}

function needsPreparation({ devices }: Pool): boolean {
  return devices.some(({ device }) => device.bindingConditions !== undefined);
}
