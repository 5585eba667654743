import type { PersistentVolumeClaim } from "../../api/core/persistent-volume-claim/schema.ts";
import {
  bindCompleted,
  boundByController,
  hasAnnotation,
  isBoundTo,
  selectedNode,
  waitsForConsumer,
} from "../../api/core/persistent-volume/binding.ts";
import { classOf, namesClass } from "../../api/core/persistent-volume/class-of.ts";
import {
  capacityOf,
  hasAccessModes,
  hasOtherAttributesClass,
  hasOtherMode,
  matchingVolumes,
  requestOf,
} from "../../api/core/persistent-volume/matching.ts";
import {
  betaStorageProvisioner,
  driverInsteadOf,
  isInTree,
  storageProvisioner,
} from "../../api/core/persistent-volume/provisioners.ts";
import type { PersistentVolume } from "../../api/core/persistent-volume/schema.ts";
import { defaultClass } from "../../api/storage/storage-class/default-class.ts";
import type { StorageClass } from "../../api/storage/storage-class/schema.ts";
import { quantityValue } from "../../meta/quantity.ts";
import { bind, withClaimPhase } from "./bind.ts";
import { migratedClaim } from "./migration.ts";
import { annotated, type Outcome, told } from "./outcome.ts";

/** All that the decision about a claim depends on. Functions are called only when the decision needs the answer. */
export interface ClaimView {
  /** The volume that the claim names. */
  readonly volume: PersistentVolume | undefined;
  /** The volumes that are reserved to the claim. */
  readonly reserved: () => readonly PersistentVolume[];
  /** The free volumes of the claim's class. */
  readonly free: () => readonly PersistentVolume[];
  readonly classes: () => readonly StorageClass[];
  /** The names of the Pods that use the claim and have no node. */
  readonly waitingPods: () => readonly string[];
}

/** Decides what becomes of a claim (upstream `syncClaim`). */
export function planClaim(observed: PersistentVolumeClaim, view: ClaimView): Outcome {
  const claim = migratedClaim(observed);
  if (hasAnnotation(claim, bindCompleted)) return planBound(claim, view.volume);
  if ((claim.spec.volumeName ?? "") !== "") return planNamed(claim, view.volume);
  return planUnbound(claim, view);
}

/** A claim that has been bound before. */
function planBound(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): Outcome {
  if ((claim.spec.volumeName ?? "") === "")
    return lost(
      claim,
      "ClaimLost",
      "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    );
  if (volume === undefined)
    return lost(claim, "ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  const { claimRef } = volume.spec;
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return bind(volume, claim);
  return lost(
    claim,
    "ClaimMisbound",
    "Two claims are bound to the same volume, this one is bound incorrectly",
  );
}

function lost(claim: PersistentVolumeClaim, reason: string, message: string): Outcome {
  if (claim.status.phase === "Lost") return { claim };
  return { claim: withClaimPhase(claim, "Lost"), ...told("claim", "Warning", reason, message) };
}

/** An unbound claim that asks for one volume by name. */
function planNamed(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): Outcome {
  const pending = { claim: withClaimPhase(claim, "Pending") };
  if (volume === undefined) return pending;
  const { name } = volume.metadata;
  if (volume.spec.claimRef === undefined) {
    const mismatch = mismatchOf(volume, claim);
    if (mismatch === undefined) return bind(volume, claim);
    const message = `Cannot bind to requested volume "${name}": ${mismatch}`;
    return { ...pending, ...told("claim", "Warning", "VolumeMismatch", message) };
  }
  if (isBoundTo(volume, claim)) return bind(volume, claim);
  const taken = told(
    "claim",
    "Warning",
    "FailedBinding",
    `volume "${name}" already bound to a different claim.`,
  );
  if (!hasAnnotation(claim, boundByController)) return { ...pending, ...taken };
  const { namespace, name: other } = volume.spec.claimRef;
  const [own, holder] = [`${claim.metadata.namespace}/${claim.metadata.name}`, `${namespace}/${other}`];
  const failure = `invalid binding of claim "${own}" to volume "${name}": volume already claimed by "${holder}"`;
  return { claim, ...taken, failure };
}

/** The reason why a volume cannot serve the claim that names it (upstream `checkVolumeSatisfyClaim`). */
function mismatchOf(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (quantityValue(capacityOf(volume)) < quantityValue(requestOf(claim))) return "requested PV is too small";
  if (classOf(volume) !== classOf(claim)) return "storageClassName does not match";
  if (hasOtherAttributesClass(volume, claim)) return "volumeAttributesClassName does not match";
  if (hasOtherMode(volume, claim)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** An unbound claim that any volume may serve. */
function planUnbound(claim: PersistentVolumeClaim, view: ClaimView): Outcome {
  const className = classOf(claim);
  const storageClass = view.classes().find(({ metadata }) => metadata.name === className);
  // The scheduler chooses among the free volumes for the first consumer.
  const isDelayed = waitsForConsumer(storageClass);
  const volume = choose(claim, isDelayed ? view.reserved() : [...view.reserved(), ...view.free()]);
  if (volume !== undefined) return bind(volume, claim);
  const given = namesClass(claim) ? undefined : defaultClass(view.classes())?.metadata.name;
  if (given !== undefined) return { claim: { ...claim, spec: { ...claim.spec, storageClassName: given } } };
  const pending = { claim: withClaimPhase(claim, "Pending") };
  if (isDelayed && !hasAnnotation(claim, selectedNode)) return { ...pending, ...waiting(view.waitingPods()) };
  if (className !== "") return provision(claim, storageClass);
  const message = "no persistent volumes available for this claim and no storage class is set";
  return { ...pending, ...told("claim", "Normal", "FailedBinding", message) };
}

/**
 * Chooses the volume with the fewest access modes beyond those requested, then the smallest (upstream
 * `findBestMatchForClaim`).
 */
function choose(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const byModes = new Map<number, PersistentVolume[]>();
  for (const volume of volumes) {
    if (!hasAccessModes(volume, claim)) continue;
    const count = volume.spec.accessModes?.length ?? 0;
    const group = byModes.get(count);
    if (group === undefined) byModes.set(count, [volume]);
    else group.push(volume);
  }
  for (const [, group] of [...byModes].sort(([a], [b]) => a - b)) {
    const [found] = matchingVolumes(claim, group);
    if (found !== undefined) return found;
  }
  return undefined;
}

function waiting(names: readonly string[]) {
  if (names.length === 0) {
    const message = "waiting for first consumer to be created before binding";
    return told("claim", "Normal", "WaitForFirstConsumer", message);
  }
  const named = `${names.length === 1 ? "pod" : "pods"} ${names.join(",")}`;
  return told("claim", "Normal", "WaitForPodScheduled", `waiting for ${named} to be scheduled`);
}

/** Hands the claim to the external provisioner of its class. */
function provision(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): Outcome {
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io "${classOf(claim)}" not found`;
    return { claim, ...told("claim", "Warning", "ProvisioningFailed", message) };
  }
  const driver = driverInsteadOf(storageClass.provisioner);
  if (driver === undefined && isInTree(storageClass.provisioner)) {
    const message = `no volume plugin matched name: ${storageClass.provisioner}`;
    return { claim, ...told("claim", "Warning", "ProvisioningFailed", message) };
  }
  const name = driver ?? storageClass.provisioner;
  const isAsked = claim.metadata.annotations?.[storageProvisioner] === name;
  const asked = { [betaStorageProvisioner]: name, [storageProvisioner]: name };
  const message =
    `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system ` +
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  return {
    claim: isAsked ? claim : migratedClaim(annotated(claim, asked)),
    ...told("claim", "Normal", "ExternalProvisioning", message),
  };
}
