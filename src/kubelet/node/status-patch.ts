import type { NodeStatus } from "../../api/core/node/schema.ts";
import { deepEqual } from "../../util/deep-equal.ts";

type Resources = NonNullable<NodeStatus["capacity"]>;
/** Fields that are replaced as a whole. */
const whole = [
  "daemonEndpoints",
  "declaredFeatures",
  "features",
  "nodeInfo",
  "images",
  "runtimeHandlers",
] as const;

/**
 * Returns the strategic merge patch from `present` to `wanted` (component-helpers `PatchNodeStatus`). It
 * changes nothing else, so that concurrent writes of other clients stay.
 */
export function statusPatch(present: NodeStatus, wanted: NodeStatus): { readonly status: object } {
  const status: Record<string, unknown> = {};
  for (const name of ["capacity", "allocatable"] as const) {
    const changes = changedEntries(present[name] ?? {}, wanted[name] ?? {});
    if (Object.keys(changes).length > 0) status[name] = changes;
  }
  for (const name of whole) {
    if (!deepEqual(present[name], wanted[name])) status[name] = wanted[name] ?? null;
  }
  // Replaced instead of merged by the key, their type: a node may have several addresses of one type.
  if (!deepEqual(present.addresses, wanted.addresses)) {
    status["addresses"] = [...(wanted.addresses ?? []), { $patch: "replace" }];
  }
  const conditions = (wanted.conditions ?? []).filter(
    (one) => !(present.conditions ?? []).some((old) => deepEqual(old, one)),
  );
  if (conditions.length > 0) status["conditions"] = conditions;
  return { status };
}

function changedEntries(present: Resources, wanted: Resources): Readonly<Record<string, string | null>> {
  const set = Object.entries(wanted).filter(([name, amount]) => present[name] !== amount);
  const gone = Object.keys(present).filter((name) => !Object.hasOwn(wanted, name));
  return Object.fromEntries([...set, ...gone.map((name) => [name, null] as const)]);
}
