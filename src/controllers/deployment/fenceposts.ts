import type { Deployment } from "../../api/apps/deployment/schema.ts";

/** The bounds of a rolling update around the desired number of Pods. */
export interface Fenceposts {
  /** The number of Pods that may exist above the desired number. */
  readonly surge: number;
  /** The number of Pods that may be unavailable. */
  readonly unavailable: number;
}

export function isRolling({ spec }: Deployment): boolean {
  return spec.strategy.type === "RollingUpdate";
}

export function desiredReplicas({ spec }: Deployment): number {
  return spec.replicas ?? 1;
}

/**
 * Resolves percentages of the desired number: surge is rounded up, unavailability down. When both are 0, one
 * Pod may be unavailable, because otherwise the update could never start (upstream `ResolveFenceposts`).
 */
export function fenceposts(deployment: Deployment): Fenceposts {
  if (!isRolling(deployment)) return { surge: 0, unavailable: 0 };
  const desired = desiredReplicas(deployment);
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec.strategy.rollingUpdate ?? {};
  const surge = scaled(maxSurge, desired, Math.ceil);
  const unavailable = scaled(maxUnavailable, desired, Math.floor);
  return { surge, unavailable: Math.min(desired, surge === 0 && unavailable === 0 ? 1 : unavailable) };
}

function scaled(value: number | string, of: number, round: (exact: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseInt(value, 10) * of) / 100);
}
