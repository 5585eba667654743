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
