import type { Node } from "../../../api/core/node/schema.ts";
import { labelOf } from "../../../meta/labels.ts";
import { matchesTerm } from "../../../api/core/node-selection.ts";
import type { PersistentVolume } from "../../../api/core/persistent-volume/schema.ts";

/** Reports whether a volume can be used on a node. */
export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

/** Volumes in order, each with its place. */
type Ranked = readonly [rank: number, volume: PersistentVolume];

/**
 * Volumes in an order, to be searched for each node. Local volumes are filed under the label value that their affinity
 * demands, so that a node looks at its own volumes only, and not at those of all nodes.
 */
export class ReachableVolumes {
  /** All volumes, the best one first. */
  readonly all: readonly PersistentVolume[];
  readonly #anywhere: Ranked[] = [];
  /** By label, then by value. */
  readonly #pinned = new Map<string, Map<string, Ranked[]>>();

  constructor(volumes: readonly PersistentVolume[]) {
    this.all = volumes;
    for (const [rank, volume] of volumes.entries()) {
      const pin = pinOf(volume);
      if (pin === undefined) this.#anywhere.push([rank, volume]);
      else for (const value of new Set(pin.values)) this.#file(pin.key, value, [rank, volume]);
    }
  }

  /** The first volume that the node can reach, but for the excluded ones. */
  firstOn(node: Node, isExcluded: (volume: PersistentVolume) => boolean): PersistentVolume | undefined {
    const fits = ([, volume]: Ranked) => !isExcluded(volume) && isReachable(volume, node);
    let best = this.#anywhere.find(fits);
    for (const [key, byValue] of this.#pinned) {
      const found = byValue.get(labelOf(node.metadata.labels, key) ?? "")?.find(fits);
      if (found !== undefined && (best === undefined || found[0] < best[0])) best = found;
    }
    return best?.[1];
  }

  #file(key: string, value: string, one: Ranked): void {
    const byValue = this.#pinned.get(key) ?? new Map<string, Ranked[]>();
    this.#pinned.set(key, byValue);
    const known = byValue.get(value);
    if (known === undefined) byValue.set(value, [one]);
    else known.push(one);
  }
}

/** A label with the only values with which a node can reach the volume. */
function pinOf({ spec }: PersistentVolume) {
  const [term, another] = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  if (term === undefined || another !== undefined) return undefined;
  const demands = (term.matchExpressions ?? []).filter(({ operator }) => operator === "In");
  const demand = demands.find(({ key }) => key === "kubernetes.io/hostname") ?? demands[0];
  return demand === undefined ? undefined : { key: demand.key, values: demand.values ?? [] };
}
