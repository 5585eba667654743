import type { KubeObject } from "../../../meta/kind.ts";
import type { PersistentVolumeClaim } from "../persistent-volume-claim/schema.ts";
import type { Volume } from "../volume/schema.ts";
import type { Pod } from "./schema.ts";

/**
 * The name of a volume's claim; undefined for a volume without one. The claim of an ephemeral volume is named after
 * the Pod and the volume (component-helpers `storage/ephemeral`).
 */
export function claimNameOf({ metadata }: KubeObject, volume: Volume): string | undefined {
  if (volume.ephemeral !== undefined) return `${metadata.name}-${volume.name}`;
  return volume.persistentVolumeClaim?.claimName;
}

/** The names of a Pod's claims, those of ephemeral volumes included. */
export function claimNames(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => claimNameOf(pod, volume) || []);
}

/** The complaint about the claim of an ephemeral volume that another owner has; undefined for the Pod's own claim. */
export function notMadeFor(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid === pod.metadata.uid && claim.metadata.namespace === pod.metadata.namespace)
    return undefined;
  const [named, owned] = [claim, pod].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return `PVC ${named} was not created for pod ${owned} (pod is not owner)`;
}
