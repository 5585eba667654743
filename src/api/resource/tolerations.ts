import type { DeviceToleration } from "./resource-claim/device-request.ts";
import type { DeviceTaint } from "./v1/device.ts";

/**
 * Reports whether a toleration tolerates a device's taint (dynamic-resource-allocation `resourceclaim.ToleratesTaint`).
 * An empty key or effect matches any.
 */
export function toleratesTaint(
  { key = "", operator, value = "", effect }: DeviceToleration,
  taint: DeviceTaint,
): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || value === (taint.value ?? "");
}
