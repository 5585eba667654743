import { updateInSteps } from "../../meta/apply/update-managed-fields.ts";
import { identityOf } from "../../meta/apply/managers.ts";
import type { KubeObject } from "../../meta/kind.ts";
import type { ManagedFieldsEntry } from "../../meta/v1.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { DraftObject } from "../resources/draft.ts";
import type { Scope } from "./scope.ts";
import type { Target } from "../resources/target.ts";
import type { WriteOptions } from "./write-options.ts";

/**
 * Computes the field owners of a write. Runs before admission and defaults fill in fields, which have no
 * owner.
 */
export async function own(
  scope: Scope,
  target: Target,
  old: KubeObject | undefined,
  next: DraftObject,
  options: WriteOptions,
): Promise<void> {
  if (options.ownsFields === true) return;
  const steps = updateInSteps(target.resource.kind, old, next, {
    manager: options.fieldManager,
    subresource: target.subresource,
    now: scope.services.env.clock.now(),
  });
  const managedFields = await scope.pace.inSteps(steps);
  if (managedFields === undefined) delete next.metadata.managedFields;
  else Object.assign(next.metadata, { managedFields });
}

/** Reports whether a write would change nothing, or only a manager's time: a no-op must not wake watchers. */
export function unchanged(next: KubeObject, old: KubeObject): boolean {
  const { managedFields: managers = [], ...metadata } = next.metadata;
  const { managedFields: oldManagers = [], ...oldMetadata } = old.metadata;
  return (
    deepEqual(metadata, oldMetadata) &&
    deepEqual({ ...next, metadata: undefined }, { ...old, metadata: undefined }) &&
    managers.length === oldManagers.length &&
    sameManagers(managers, oldManagers)
  );
}

/**
 * Compares entries without their times, which also determine their order. No two entries have the same
 * manager.
 */
function sameManagers(now: readonly ManagedFieldsEntry[], before: readonly ManagedFieldsEntry[]): boolean {
  const known = new Map(before.map((entry) => [identityOf(entry), entry]));
  return now.every((one) => {
    const other = known.get(identityOf(one));
    return other !== undefined && deepEqual(withoutTime(one), withoutTime(other));
  });
}

function withoutTime(entry: ManagedFieldsEntry): object {
  return { ...entry, time: undefined };
}
