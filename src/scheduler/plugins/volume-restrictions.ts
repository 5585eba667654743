import { persistentVolumeClaims } from "../../api/core/persistent-volume-claim/schema.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { Volume } from "../../api/core/volume/schema.ts";
import { claimsOf, isOwnClaim, notFound } from "../claims.ts";
import {
  type Filtering,
  type Handle,
  type Plugin,
  rejected,
  type Rejection,
  unschedulable,
} from "../framework.ts";
import type { NodeInfo } from "../node-info.ts";
import type { Snapshot } from "../snapshot.ts";

const diskTaken = unschedulable("node(s) had no available disk");
const claimTaken = unschedulable(
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
);

/**
 * Rejects nodes where another Pod uses the same disk, and all nodes while another Pod uses a claim that one Pod at a time
 * may use (ReadWriteOncePod, KEP-2485).
 */
export function volumeRestrictions(handle: Handle): Plugin {
  return {
    name: "VolumeRestrictions",
    reads: [persistentVolumeClaims],
    keyOf(pod) {
      const found = exclusiveClaims(pod, handle);
      return "type" in found || found.size > 0
        ? JSON.stringify("type" in found ? found : [...found])
        : undefined;
    },
    preFilter(pod, snapshot) {
      const claims = exclusiveClaims(pod, handle);
      if ("type" in claims) return claims;
      const disks = (pod.spec.volumes ?? []).filter(isDisk);
      if (claims.size > 0) return new ExclusiveUse(pod, claims, disks, snapshot);
      if (disks.length === 0) return undefined;
      return { type: "filtering", filter: (node) => (hasConflict(disks, node) ? diskTaken : undefined) };
    },
    helps(pod, event) {
      if (event.type === "nodeAdded" || isOwnClaim(pod, event, "added")) return true;
      if (event.type !== "podRemoved" || event.pod.metadata.namespace !== pod.metadata.namespace)
        return false;
      const [own, freed] = [pod, event.pod].map((one) => one.spec.volumes ?? []);
      const names = new Set(own?.flatMap((one) => one.persistentVolumeClaim?.claimName ?? []));
      return (
        freed?.some(
          (one) =>
            names.has(one.persistentVolumeClaim?.claimName ?? "") ||
            own?.some((disk) => isSameDisk(disk, one)),
        ) === true
      );
    },
  };
}

/** The Pod's claims that only one Pod at a time may use. */
function exclusiveClaims(pod: Pod, { cache }: Handle): ReadonlySet<string> | Rejection {
  const names = new Set<string>();
  for (const { name, isEphemeral, claim } of claimsOf(pod, cache)) {
    if (isEphemeral) continue;
    if (claim === undefined) {
      const reason = notFound(persistentVolumeClaims, name);
      return rejected(reason);
    }
    if (claim.spec.accessModes?.includes("ReadWriteOncePod") === true) names.add(name);
  }
  return names;
}

/** Counts the uses of claims by Pods, wherever these are. */
class ExclusiveUse implements Filtering {
  readonly type = "filtering";
  readonly #namespace: string | undefined;
  readonly #claims: ReadonlySet<string>;
  readonly #disks: readonly Volume[];
  #uses = 0;

  constructor({ metadata }: Pod, claims: ReadonlySet<string>, disks: readonly Volume[], snapshot: Snapshot) {
    this.#namespace = metadata.namespace;
    this.#claims = claims;
    this.#disks = disks;
    for (const { pods } of snapshot.nodes) for (const other of pods.values()) this.addPod(other);
  }

  addPod(pod: Pod): void {
    this.#uses += this.#usesBy(pod);
  }

  removePod(pod: Pod): void {
    this.#uses -= this.#usesBy(pod);
  }

  cellOf(node: NodeInfo): string {
    return hasConflict(this.#disks, node) ? "taken" : "free";
  }

  filter(node: NodeInfo) {
    if (hasConflict(this.#disks, node)) return diskTaken;
    return this.#uses > 0 ? claimTaken : undefined;
  }

  #usesBy({ metadata, spec }: Pod): number {
    if (metadata.namespace !== this.#namespace) return 0;
    const names = (spec.volumes ?? []).flatMap((one) => one.persistentVolumeClaim?.claimName ?? []);
    return names.filter((name) => this.#claims.has(name)).length;
  }
}

function isDisk({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: Volume): boolean {
  return [gcePersistentDisk, awsElasticBlockStore, iscsi, rbd].some((one) => one !== undefined);
}

function hasConflict(disks: readonly Volume[], { pods }: NodeInfo): boolean {
  if (disks.length === 0) return false;
  return pods
    .values()
    .some(({ spec }) => (spec.volumes ?? []).some((other) => disks.some((disk) => isSameDisk(disk, other))));
}

/** Reports whether two Pods with these volumes cannot share a node. Most disks can be shared read-only. */
function isSameDisk(a: Volume, b: Volume): boolean {
  const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = a;
  if (gce !== undefined && gce.pdName === b.gcePersistentDisk?.pdName)
    return !isShared(gce, b.gcePersistentDisk);
  if (aws !== undefined && aws.volumeID === b.awsElasticBlockStore?.volumeID) return true;
  if (iscsi !== undefined && iscsi.iqn === b.iscsi?.iqn) return !isShared(iscsi, b.iscsi);
  const other = b.rbd;
  if (rbd === undefined || other === undefined || rbd.pool !== other.pool || rbd.image !== other.image)
    return false;
  const monitors = new Set(rbd.monitors);
  return other.monitors.some((one) => monitors.has(one)) && !isShared(rbd, other);
}

function isShared(a: { readonly readOnly?: boolean }, b: { readonly readOnly?: boolean }): boolean {
  return a.readOnly === true && b.readOnly === true;
}
