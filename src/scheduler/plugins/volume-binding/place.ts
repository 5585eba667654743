import type { Node } from "../../../api/core/node/schema.ts";
import type { PersistentVolumeClaim } from "../../../api/core/persistent-volume-claim/schema.ts";
import { noProvisioner } from "../../../api/core/persistent-volume/binding.ts";
import { requestOf } from "../../../api/core/persistent-volume/matching.ts";
import type { PersistentVolume } from "../../../api/core/persistent-volume/schema.ts";
import type { CSIStorageCapacity } from "../../../api/storage/csi-storage-capacity/schema.ts";
import type { StorageClass } from "../../../api/storage/storage-class/schema.ts";
import { selectorOf } from "../../../meta/labels.ts";
import { compareQuantities, parseQuantity, quantityValue } from "../../../meta/quantity.ts";
import type { DelayedClaim, PodClaims } from "./pod-claims.ts";
import { isReachable } from "./reachable-volumes.ts";

const reasons = {
  conflict: "node(s) didn't match PersistentVolume's node affinity",
  noVolume: "node(s) didn't find available persistent volumes to bind",
  noSpace: "node(s) did not have enough free storage",
  missing: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
} as const;

export interface Binding {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/** The changes with which a Pod's claims get volumes on a node. */
export interface Placement {
  readonly bindings: readonly Binding[];
  /** The claims whose volumes are to be provisioned for the node. */
  readonly provisions: readonly PersistentVolumeClaim[];
}

/** Finds volumes for a Pod's claims on a node, or says why there are none (upstream `FindPodVolumes`). */
export function place({ bound, delayed }: PodClaims, node: Node): Placement | readonly string[] {
  const problem = problemOf(bound, node);
  const found = placeDelayed(delayed, node);
  if (typeof found !== "string" && problem === undefined) return found;
  return [
    ...(problem === "conflict" ? [reasons.conflict] : []),
    ...(typeof found === "string" ? [reasons[found]] : []),
    ...(problem === "missing" ? [reasons.missing] : []),
  ];
}

/** The first problem of the volumes of bound claims. */
function problemOf(bound: PodClaims["bound"], node: Node): "missing" | "conflict" | undefined {
  for (const volume of bound) {
    if (volume === undefined) return "missing";
    if (!isReachable(volume, node)) return "conflict";
  }
  return undefined;
}

function placeDelayed(delayed: readonly DelayedClaim[], node: Node): Placement | "noVolume" | "noSpace" {
  const isElsewhere = ({ selectedNode }: DelayedClaim) =>
    selectedNode !== undefined && selectedNode !== node.metadata.name;
  if (delayed.some(isElsewhere)) return "noVolume";
  const { bindings, left } = match(
    delayed.filter((one) => one.selectedNode === undefined),
    node,
  );
  const provisions = [...delayed.filter((one) => one.selectedNode !== undefined), ...left];
  for (const one of provisions) {
    if (!canProvision(one.storageClass, node)) return "noVolume";
    if (!hasSpace(one, node)) return "noSpace";
  }
  return { bindings, provisions: provisions.map(({ claim }) => claim) };
}

/** Gives each claim a volume of its own, the smallest claim first. `left` have none. */
function match(delayed: readonly DelayedClaim[], node: Node) {
  const chosen = new Set<string | undefined>();
  const bindings: Binding[] = [];
  const left: DelayedClaim[] = [];
  const bySize = delayed.toSorted((a, b) => compareQuantities(requestOf(a.claim), requestOf(b.claim)));
  for (const one of bySize) {
    const volume = one.matching.firstOn(node, ({ metadata }) => chosen.has(metadata.name));
    if (volume === undefined) left.push(one);
    else {
      chosen.add(volume.metadata.name);
      bindings.push({ claim: one.claim, volume });
    }
  }
  return { bindings, left };
}

function canProvision({ provisioner, allowedTopologies = [] }: StorageClass, node: Node): boolean {
  if (provisioner === "" || provisioner === noProvisioner) return false;
  const labels = node.metadata.labels ?? {};
  return (
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(
        ({ key, values }) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? ""),
      ),
    )
  );
}

function hasSpace({ claim, capacities }: DelayedClaim, node: Node): boolean {
  if (capacities === undefined) return true;
  const wanted = quantityValue(requestOf(claim));
  return capacities.some((one) => {
    const limit = limitOf(one);
    if (limit === undefined || limit < wanted || one.nodeTopology === undefined) return false;
    return selectorOf(one.nodeTopology).matches(node.metadata.labels);
  });
}

/** The size of the largest volume that can be made. */
export function limitOf({ maximumVolumeSize, capacity }: CSIStorageCapacity) {
  const limit = maximumVolumeSize ?? capacity;
  return limit === undefined ? undefined : quantityValue(parseQuantity(limit));
}
