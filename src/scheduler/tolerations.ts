import { tolerates } from "../api/core/tolerations.ts";
import type { Taint, Toleration } from "../api/core/v1/scheduling.ts";

/** Reports whether one of the tolerations tolerates the taint. */
export function toleratesAny(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return tolerations?.some((toleration) => tolerates(toleration, taint)) ?? false;
}

/** The first taint, in the order of the node, that keeps new Pods off and that is not tolerated. */
export function repellingTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  return taints?.find((taint) => taint.effect !== "PreferNoSchedule" && !toleratesAny(tolerations, taint));
}
