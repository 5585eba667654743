import type { Node } from "../../../api/core/node/schema.ts";
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../../api/core/persistent-volume-claim/schema.ts";
import { boundVolume, isFullyBound, selectedNode } from "../../../api/core/persistent-volume/binding.ts";
import { type PersistentVolume, persistentVolumes } from "../../../api/core/persistent-volume/schema.ts";
import type { Client } from "../../../client/client.ts";
import { revisionOf } from "../../../client/latest.ts";
import type { Placement } from "./place.ts";
import { isReachable } from "./reachable-volumes.ts";
import type { Storage } from "./storage.ts";

/** The changes that bind a Pod's volumes: assumed first, then written. */
export class VolumeChanges {
  readonly #storage: Storage;
  /** The volumes with the claims that they are bound to, each as it is to be written or was written. */
  readonly #volumes: readonly { volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[];
  /** The claims with the selected node, each as it is to be written or was written. */
  readonly #claims: readonly { claim: PersistentVolumeClaim }[];
  /** The objects whose change is not written yet. An object that another Pod's binding changes is not among them. */
  readonly #unwritten = new Set<PersistentVolume | PersistentVolumeClaim>();

  /** Assumes the changes: from now on, no other Pod gets the volumes. */
  constructor({ bindings, provisions }: Placement, node: string, storage: Storage) {
    this.#storage = storage;
    this.#volumes = bindings.map((binding) => {
      const volume = boundVolume(binding.volume, binding.claim);
      if (volume !== binding.volume) this.#unwritten.add(volume);
      return { volume, claim: binding.claim };
    });
    this.#claims = provisions.map((provision) => {
      const claim = withNode(provision, node);
      if (claim !== provision) this.#unwritten.add(claim);
      return { claim };
    });
    for (const { volume } of this.#volumes) if (this.#unwritten.has(volume)) storage.volumes.assume(volume);
    for (const { claim } of this.#claims) if (this.#unwritten.has(claim)) storage.claims.assume(claim);
  }

  /** Forgets the assumed changes that were not written. What is written stays: the binder completes it. */
  revert(): void {
    for (const { volume } of this.#volumes)
      if (this.#unwritten.has(volume)) this.#storage.volumes.forget(volume);
    for (const { claim } of this.#claims) if (this.#unwritten.has(claim)) this.#storage.claims.forget(claim);
  }

  /** Forgets the changes because the cache shows what came of them. */
  settle(): void {
    for (const { volume } of this.#volumes) this.#storage.volumes.forget(volume);
    for (const { claim } of this.#claims) this.#storage.claims.forget(claim);
  }

  /** Writes the changes. @throws the error of the first request that fails */
  async write(client: Client): Promise<void> {
    const { volumes, claims } = this.#storage;
    for (const change of this.#volumes) {
      const { volume } = change;
      if (!this.#unwritten.has(volume)) continue;
      change.volume = await client.of(persistentVolumes).update(volume);
      this.#unwritten.delete(volume);
      volumes.wrote(change.volume);
    }
    for (const change of this.#claims) {
      const { claim } = change;
      if (!this.#unwritten.has(claim)) continue;
      change.claim = await client.of(persistentVolumeClaims, claim.metadata.namespace).update(claim);
      this.#unwritten.delete(claim);
      claims.wrote(change.claim);
    }
  }

  /** Reports whether all claims are bound. @throws Error when the Pod must be scheduled again (upstream `checkBindings`) */
  areBound(node: Node): boolean {
    return (
      this.#volumes.every(({ volume, claim }) => this.#isVolumeBound(volume, claim, node)) &&
      this.#claims.every(({ claim }) => this.#isProvisioned(claim, node))
    );
  }

  #isVolumeBound(written: PersistentVolume, claim: PersistentVolumeClaim, node: Node): boolean {
    const { name = "" } = written.metadata;
    const volume = this.#storage.observedVolume(name);
    if (volume === undefined)
      throw new Error(`failed to check binding: persistentvolume "${name}" not found`);
    const now = this.#claimNow(claim, "failed to check binding");
    if (revisionOf(volume) < revisionOf(written)) return false;
    mustReach(volume, node);
    if ((volume.spec.claimRef?.uid ?? "") === "") throw new Error(`ClaimRef got reset for pv "${name}"`);
    return isFullyBound(now);
  }

  #isProvisioned(written: PersistentVolumeClaim, node: Node): boolean {
    const claim = this.#claimNow(written, "failed to check provisioning pvc");
    if (revisionOf(claim) < revisionOf(written)) return false;
    const { name } = claim.metadata;
    if (claim.metadata.annotations === undefined)
      throw new Error(`selectedNode annotation reset for PVC "${name}"`);
    // The provisioner removes the annotation when it cannot make a volume for the node.
    if (claim.metadata.annotations[selectedNode] !== node.metadata.name)
      throw new Error(`provisioning failed for PVC "${name}"`);
    const { volumeName = "" } = claim.spec;
    if (volumeName !== "") {
      const volume = this.#storage.observedVolume(volumeName);
      if (volume === undefined) return false;
      mustReach(volume, node);
    }
    return isFullyBound(claim);
  }

  #claimNow(claim: PersistentVolumeClaim, what: string): PersistentVolumeClaim {
    const now = this.#storage.observedClaim(claim);
    if (now !== undefined) return now;
    throw new Error(`${what}: persistentvolumeclaim "${claim.metadata.name}" not found`);
  }
}

function withNode(claim: PersistentVolumeClaim, node: string): PersistentVolumeClaim {
  const { metadata } = claim;
  if (metadata.annotations?.[selectedNode] === node) return claim;
  return {
    ...claim,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [selectedNode]: node } },
  };
}

function mustReach(volume: PersistentVolume, node: Node): void {
  if (isReachable(volume, node)) return;
  const [pv, where] = [volume, node].map(({ metadata }) => metadata.name);
  throw new Error(`pv "${pv}" node affinity doesn't match node "${where}": no matching NodeSelectorTerms`);
}
