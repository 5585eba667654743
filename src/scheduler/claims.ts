import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../api/core/persistent-volume-claim/schema.ts";
import { claimNameOf, claimNames } from "../api/core/pod/claims.ts";
import type { Pod } from "../api/core/pod/schema.ts";
import type { Kind } from "../meta/kind.ts";
import type { Cache } from "../operator/cache.ts";
import { changeOf, type ClusterEvent } from "./cluster-event.ts";

/** A volume of a Pod that is a claim. */
export interface UsedClaim {
  readonly name: string;
  /** True for the claim that is made for the Pod's own ephemeral volume. */
  readonly isEphemeral: boolean;
  /** Undefined when it does not exist. */
  readonly claim: PersistentVolumeClaim | undefined;
}

/** The claims of a Pod, in the order of its volumes. */
export function claimsOf(pod: Pod, cache: Cache): readonly UsedClaim[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const name = claimNameOf(pod, volume);
    if (name === undefined) return [];
    const claim = cache.get(persistentVolumeClaims, pod.metadata.namespace, name);
    return [{ name, isEphemeral: volume.ephemeral !== undefined, claim }];
  });
}

/** Reports whether the event is a new or changed claim of the Pod. */
export function isOwnClaim(
  pod: Pod,
  event: ClusterEvent,
  ...types: readonly ("added" | "updated")[]
): boolean {
  const { old, object } = changeOf(persistentVolumeClaims, event) ?? {};
  if (object === undefined || !types.includes(old === undefined ? "added" : "updated")) return false;
  const { name = "", namespace } = object.metadata;
  return namespace === pod.metadata.namespace && claimNames(pod).includes(name);
}

/** The error of a lister, as reasons show it. */
export function notFound({ group, kind }: Pick<Kind, "group" | "kind">, name: string): string {
  const singular = kind.toLowerCase();
  return `${group === "" ? singular : `${singular}.${group}`} "${name}" not found`;
}
