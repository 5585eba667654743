import type { Taint, Toleration } from "./v1/scheduling.ts";

/**
 * Reports whether a toleration tolerates a taint (component-helpers `scheduling/corev1`). An empty key or
 * effect matches any.
 */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = "", operator = "Equal", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key === "") return operator === "Exists";
  return key === taint.key && (operator === "Exists" || value === (taint.value ?? ""));
}

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
