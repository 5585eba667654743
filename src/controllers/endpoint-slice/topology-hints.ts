import type { Node } from "../../api/core/node/schema.ts";
import type { Service } from "../../api/core/service/schema.ts";
import type { Endpoint, EndpointSlice } from "../../api/discovery/endpoint-slice/schema.ts";
import { parseQuantity } from "../../meta/quantity.ts";
import { ascending } from "../../util/compare.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { isReady as isNodeReady } from "../node-lifecycle/plan.ts";

/** The share of the cluster's CPU that each zone has; at least two zones. */
export type ZoneShares = ReadonlyMap<string, number>;

const zoneLabel = "topology.kubernetes.io/zone";
const excludedLabels = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];
/** The overload of a zone's endpoints that is accepted, beyond their share (upstream `topologycache`). */
const overload = 0.2;

/** Reports whether the Service's endpoints are assigned to zones by the zones' CPU (KEP-2433). */
export function isTopologyAware({ metadata }: Service): boolean {
  const { annotations = {} } = metadata;
  const mode =
    annotations["service.kubernetes.io/topology-aware-hints"] ??
    annotations["service.kubernetes.io/topology-mode"];
  return mode === "Auto" || mode === "auto";
}

/** The facts about a node that the shares depend on; undefined for a node that is left out. */
export function topologyOf(node: Node): { readonly zone: string; readonly cpu: bigint } | undefined {
  const { labels = {} } = node.metadata;
  if (excludedLabels.some((label) => Object.hasOwn(labels, label)) || !isNodeReady(node)) return undefined;
  return { zone: labels[zoneLabel] ?? "", cpu: parseQuantity(node.status.allocatable?.["cpu"] ?? "0").nanos };
}

/** Returns undefined when a ready node lacks a zone or CPU, or when there is one zone. */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const byZone = new Map<string, bigint>();
  for (const node of nodes) {
    const found = topologyOf(node);
    if (found === undefined) continue;
    if (found.zone === "" || found.cpu <= 0n) return undefined;
    byZone.set(found.zone, (byZone.get(found.zone) ?? 0n) + found.cpu);
  }
  if (byZone.size < 2) return undefined;
  const total = [...byZone.values()].reduce((sum, cpu) => sum + cpu, 0n);
  return new Map([...byZone].map(([zone, cpu]) => [zone, Number(cpu) / Number(total)]));
}

/** A slice as it will be, without hints, and as it is. */
export interface SliceChange {
  readonly before: EndpointSlice | undefined;
  readonly after: EndpointSlice;
}

/** The slices with hints, or without and the reason. */
export interface Hinted {
  readonly slices: readonly EndpointSlice[];
  readonly problem?: string;
}

interface Allocation {
  readonly desired: number;
  readonly maximum: number;
}

/**
 * Assigns each ready endpoint to a zone, so that zones have endpoints by their share of the CPU. Most keep
 * their own zone. Slices that do not change keep their hints while these are possible.
 */
export function assignHints(changes: readonly SliceChange[], shares: ZoneShares | undefined): Hinted {
  const without = changes.map(({ after }) => after);
  const ready = without.flatMap(({ endpoints }) => endpoints.filter(isReady));
  const allocations = allocate(ready.length, shares);
  if (typeof allocations === "string") return { slices: without, problem: allocations };
  const counts = new Map<string, number>();
  const slices = changes.map((change) => keptHints(change, counts, allocations) ?? change.after);
  const open = slices.map((slice, index) => slice === changes[index]?.after);
  const unassigned = slices
    .filter((_, index) => open[index])
    .flatMap(({ endpoints }) => endpoints.filter(isReady));
  if (unassigned.some(({ zone = "" }) => zone === ""))
    return { slices: without, problem: "One or more endpoints do not have a zone specified" };
  for (const { zone = "" } of unassigned) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  if (counts.size === 0) return { slices: without, problem: "No hints allocated for zones" };
  const moves = donations(allocations, counts);
  const hint = (endpoint: Endpoint): Endpoint => {
    if (!isReady(endpoint)) return endpoint;
    const { zone = "" } = endpoint;
    const name = moves.get(zone)?.shift() ?? zone;
    return { ...endpoint, hints: { forZones: [{ name }] } };
  };
  return {
    slices: slices.map((slice, index) =>
      open[index] === true ? { ...slice, endpoints: slice.endpoints.map(hint) } : slice,
    ),
  };
}

export function withoutHints(slice: EndpointSlice): EndpointSlice {
  if (slice.endpoints.every(({ hints }) => hints === undefined)) return slice;
  return { ...slice, endpoints: slice.endpoints.map(({ hints: _, ...endpoint }) => endpoint) };
}

function isReady({ conditions }: Endpoint): boolean {
  return conditions.ready === true;
}

/** Returns each zone's allocation, or the reason why there is none. */
function allocate(count: number, shares: ZoneShares | undefined): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined)
    return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  const numbers = `(${count} endpoints, ${shares.size} zones)`;
  if (shares.size > count) return `Insufficient number of endpoints ${numbers}`;
  const minimums = [...shares].map(([zone, share]) => {
    const desired = share * count;
    const minimum = Math.ceil(desired * (1 / (1 + overload)));
    return { zone, minimum, desired: Math.max(desired, minimum) };
  });
  const spare = minimums.reduce((left, { minimum }) => left - minimum, count);
  if (spare < 0)
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${numbers}`;
  return new Map(
    minimums.map(({ zone, minimum, desired }) => [zone, { desired, maximum: minimum + spare }] as const),
  );
}

/** Returns the present slice and counts its hints, if it does not change and they are possible. */
function keptHints(
  { before, after }: SliceChange,
  counts: Map<string, number>,
  allocations: ReadonlyMap<string, Allocation>,
): EndpointSlice | undefined {
  if (before === undefined || !deepEqual(withoutHints(before), after)) return undefined;
  const own = new Map<string, number>();
  for (const { hints } of before.endpoints.filter(isReady)) {
    const zones = hints?.forZones ?? [];
    if (zones.length === 0) return undefined;
    for (const { name } of zones) own.set(name, (own.get(name) ?? 0) + 1);
  }
  for (const [zone, count] of own) {
    const maximum = allocations.get(zone)?.maximum ?? 0;
    if (count + (counts.get(zone) ?? 0) > maximum) return undefined;
  }
  for (const [zone, count] of own) counts.set(zone, (counts.get(zone) ?? 0) + count);
  return before;
}

/** Returns, for each zone with too many endpoints, the zones that it gives some to. */
function donations(
  allocations: ReadonlyMap<string, Allocation>,
  counts: ReadonlyMap<string, number>,
): ReadonlyMap<string, string[]> {
  const difference = (zone: string, desired: number) => (counts.get(zone) ?? 0) - desired;
  const all = [...allocations].map(([zone, { desired }]) => [zone, difference(zone, desired)] as const);
  const giving = new Map(all.filter(([, surplus]) => surplus > 0));
  const receiving = new Map(all.filter(([, surplus]) => surplus < 0).map(([zone, lack]) => [zone, -lack]));
  const moves = new Map<string, string[]>();
  for (;;) {
    const [from, to] = [greatest(giving), greatest(receiving)];
    if (from === undefined || to === undefined) return moves;
    const isWorthIt = (from.count >= 1 || to.count >= 1) && from.count >= 0.5 && to.count >= 0.5;
    if (!isWorthIt) return moves;
    moves.set(from.zone, [...(moves.get(from.zone) ?? []), to.zone]);
    giving.set(from.zone, from.count - 1);
    receiving.set(to.zone, to.count - 1);
  }
}

function greatest(zones: ReadonlyMap<string, number>): { zone: string; count: number } | undefined {
  return [...zones]
    .map(([zone, count]) => ({ zone, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => ascending(b.count, a.count) || ascending(a.zone, b.zone))[0];
}
