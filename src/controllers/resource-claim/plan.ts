import type { Pod } from "../../api/core/pod/schema.ts";
import type { PodResourceClaim } from "../../api/core/pod/spec.ts";
import {
  claimOfEntry,
  isReservedFor,
  notGeneratedFor,
  podClaimAnnotation,
} from "../../api/resource/resource-claim/of-pod.ts";
import type { ResourceClaim, resourceClaims } from "../../api/resource/resource-claim/schema.ts";
import type { ResourceClaimTemplate } from "../../api/resource/resource-claim-template/schema.ts";
import type { InputOf } from "../../meta/kind.ts";
import { controllerRef } from "../ownership/controller-ref.ts";
import { isActive } from "../pods/pod-state.ts";

/** The objects that a Pod's claims depend on. */
export interface View {
  readonly claim: (name: string) => ResourceClaim | undefined;
  readonly template: (name: string) => ResourceClaimTemplate | undefined;
  /** The claims that the Pod owns. */
  readonly owned: readonly ResourceClaim[];
}

export type ClaimInput = InputOf<typeof resourceClaims>;

/** The next step for an entry of `spec.resourceClaims`, by its name. */
export type Step = { readonly entry: string } & (
  | { readonly type: "create"; readonly claim: ClaimInput }
  /** The claim exists, and the Pod's status does not name it. */
  | { readonly type: "record"; readonly name: string }
  | { readonly type: "refuse"; readonly why: string }
);

/**
 * The steps for the entries that need a claim (upstream `handleClaim`). A terminating Pod needs none, and neither does a
 * terminated one, whose claims are deleted: a new claim would be deleted again, without end.
 */
export function plan(pod: Pod, view: View): readonly Step[] {
  if (!isActive(pod)) return [];
  return (pod.spec.resourceClaims ?? []).flatMap((one) => stepFor(pod, one, view) ?? []);
}

function stepFor(pod: Pod, entry: PodResourceClaim, view: View): Step | undefined {
  const { name, resourceClaimTemplateName: from } = entry;
  const present = claimOfEntry(pod, entry);
  if (present.type === "unneeded") return undefined;
  if (present.type === "unsupported") {
    return { type: "refuse", entry: name, why: `checking for claim before creating it: ${present.why}` };
  }
  if (present.type === "claim" && isUsable(pod, present, view)) return undefined;
  if (from === undefined) return undefined;
  const orphan = view.owned.find(({ metadata }) => metadata.annotations?.[podClaimAnnotation] === name);
  if (orphan !== undefined) return { type: "record", entry: name, name: orphan.metadata.name ?? "" };
  const template = view.template(from);
  if (template !== undefined) return { type: "create", entry: name, claim: claimFrom(template, pod, name) };
  const gone = `resourceclaimtemplate.resource.k8s.io "${from}" not found`;
  return { type: "refuse", entry: name, why: `resource claim template "${from}": ${gone}` };
}

function isUsable(
  pod: Pod,
  { name, isGenerated }: { name: string; isGenerated: boolean },
  view: View,
): boolean {
  const claim = view.claim(name);
  return claim !== undefined && (!isGenerated || notGeneratedFor(pod, claim) === undefined);
}

function claimFrom({ spec }: ResourceClaimTemplate, pod: Pod, entry: string): ClaimInput {
  const { annotations, labels } = spec.metadata;
  const { apiVersion, kind, name, uid, controller } = controllerRef(pod);
  return {
    metadata: {
      generateName: generateName(pod.metadata.name ?? "", entry),
      annotations: { ...annotations, [podClaimAnnotation]: entry },
      labels,
      ownerReferences: [{ apiVersion, kind, name, uid, controller }],
    },
    spec: spec.spec,
  };
}

/** Room for a hyphen and 5 random characters in a name of 63. */
const longestBase = 57;

/** Both names are shortened in proportion, so that neither is lost when the other is long. */
function generateName(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= longestBase) return whole;
  const shortened = (text: string) => text.slice(0, Math.floor((text.length * longestBase) / whole.length));
  return `${shortened(pod)}-${shortened(entry)}`;
}

/**
 * The allocated claims to reserve for a Pod that got its node without the scheduler. Stops at a claim that does not
 * exist. @throws Error for a claim that was made for another Pod
 */
export function reservations(pod: Pod, find: View["claim"]): readonly ResourceClaim[] {
  const found: ResourceClaim[] = [];
  if ((pod.spec.nodeName ?? "") === "" || !isActive(pod)) return found;
  for (const entry of pod.spec.resourceClaims ?? []) {
    const present = claimOfEntry(pod, entry);
    if (present.type === "unneeded") continue;
    const claim = present.type === "claim" ? find(present.name) : undefined;
    if (present.type !== "claim" || claim === undefined) return found;
    const complaint = present.isGenerated ? notGeneratedFor(pod, claim) : undefined;
    if (complaint !== undefined) throw new Error(complaint);
    if (claim.status.allocation !== undefined && !isReservedFor(pod, claim)) found.push(claim);
  }
  return found;
}
