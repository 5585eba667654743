import type { Pod } from "./schema.ts";

/** True when the place of a Pod depends on Pods of other nodes, or when its claims may not be used on two nodes. */
export function dependsOnOtherNodes({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const rules = [podAffinity, podAntiAffinity].flatMap(
    (one) => one?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
  );
  return (
    rules.length > 0 ||
    (spec.topologySpreadConstraints ?? []).some((one) => one.whenUnsatisfiable === "DoNotSchedule") ||
    (spec.volumes ?? []).some((one) => one.persistentVolumeClaim !== undefined || one.ephemeral !== undefined)
  );
}
