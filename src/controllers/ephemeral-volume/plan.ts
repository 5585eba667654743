import type {
  PersistentVolumeClaim,
  persistentVolumeClaims,
} from "../../api/core/persistent-volume-claim/schema.ts";
import { claimNameOf, notMadeFor } from "../../api/core/pod/claims.ts";
import type { Pod } from "../../api/core/pod/schema.ts";
import type { InputOf } from "../../meta/kind.ts";
import { controllerRef } from "../ownership/controller-ref.ts";

/** A claim to create for a volume, or the reason why the claim of that name cannot serve. */
export type Step = { readonly volume: string; readonly name: string } & (
  | { readonly type: "create"; readonly claim: InputOf<typeof persistentVolumeClaims> }
  | { readonly type: "refuse"; readonly why: string }
);

/** The steps for the ephemeral volumes without their claim. A terminating Pod gets no claims. */
export function plan(pod: Pod, find: (name: string) => PersistentVolumeClaim | undefined): readonly Step[] {
  if (pod.metadata.deletionTimestamp !== undefined) return [];
  return (pod.spec.volumes ?? []).flatMap((one): readonly Step[] => {
    const template = one.ephemeral?.volumeClaimTemplate;
    const name = claimNameOf(pod, one);
    if (template === undefined || name === undefined) return [];
    const found = find(name);
    const why = found === undefined ? undefined : notMadeFor(pod, found);
    if (why !== undefined) return [{ type: "refuse", volume: one.name, name, why }];
    if (found !== undefined) return [];
    const { annotations, labels } = template.metadata;
    const metadata = { name, annotations, labels, ownerReferences: [controllerRef(pod)] };
    return [{ type: "create", volume: one.name, name, claim: { metadata, spec: template.spec } }];
  });
}
