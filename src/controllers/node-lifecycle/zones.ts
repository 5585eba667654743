import type { Node } from "../../api/core/node/schema.ts";

/** The numbers of nodes in a zone. */
export interface Zone {
  readonly ready: number;
  readonly unready: number;
}

/** The share of unready nodes from which a zone is in trouble (upstream `--unhealthy-zone-threshold`). */
const unhealthyShare = 0.55;
/** The greatest size of a zone whose Pods stay while it is in trouble (upstream `--large-cluster-size-threshold`). */
const largestSmallZone = 50;
/** Upstream `--node-eviction-rate`. */
const intervalMs = 10_000;
/** Upstream `--secondary-node-eviction-rate`. */
const slowIntervalMs = 100_000;
/** Nodes that fail together are noticed within this time (upstream `--node-monitor-period`). */
export const noticeMs = 5000;

const excluded = "node.kubernetes.io/exclude-disruption";

/** Returns the key of the node's zone, which is empty for a node without labels. */
export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const find = (name: string) =>
    labels[`failure-domain.beta.kubernetes.io/${name}`] ?? labels[`topology.kubernetes.io/${name}`] ?? "";
  return `${find("region")} ${find("zone")}`;
}

/** Reports whether the node counts for the state of its zone. */
export function counts({ metadata: { labels = {} } }: Node): boolean {
  return labels[excluded] === undefined;
}

/** Upstream `ComputeZoneState`. */
export function zoneState({ ready, unready }: Zone): "normal" | "partly disrupted" | "disrupted" {
  if (ready === 0 && unready > 0) return "disrupted";
  return unready > 2 && unready / (ready + unready) >= unhealthyShare ? "partly disrupted" : "normal";
}

/**
 * Returns the time after which the Pods of a zone's next node may be evicted; undefined when they stay. When
 * many nodes of a zone fail, the cause is more likely the zone's network. A zone of which no node is left
 * is evicted normally, because other zones have ready nodes.
 */
export function evictionIntervalMs(zone: Zone): number | undefined {
  if (zoneState(zone) !== "partly disrupted") return intervalMs;
  return zone.ready + zone.unready > largestSmallZone ? slowIntervalMs : undefined;
}

/** Spaces out the evictions of a zone's nodes. */
export class EvictionPace {
  readonly #last = new Map<string, { readonly name: string; readonly at: number }>();
  readonly #since = new Map<string, number>();

  /** Returns 0 if the Pods of a node may be evicted now, or else the time to wait. */
  take(name: string, zone: string, interval: number, now: number): number {
    const since = this.#since.get(name) ?? now;
    this.#since.set(name, since);
    const last = this.#last.get(zone);
    // The write of the last node may have failed.
    const next = last === undefined || last.name === name ? 0 : last.at + interval;
    const waitMs = Math.max(next, since + noticeMs) - now;
    if (waitMs > 0) return waitMs;
    this.#last.set(zone, { name, at: now });
    return 0;
  }

  /** Forgets a node that is ready or deleted. */
  forget(name: string): void {
    this.#since.delete(name);
  }
}
