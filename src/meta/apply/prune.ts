import type { Steps } from "../../util/steps.ts";
import { difference, type FieldSet, intersection, isEmpty, union } from "./field-set.ts";
import { ownedFields, withNamedFields } from "./owned-fields.ts";
import { removeFields } from "./remove.ts";
import type { Shape } from "./shape.ts";

/**
 * Removes fields that the applier applied before and no longer does from a merged value, unless other
 * managers own them or a part of them (structured-merge-diff's `prune`).
 *
 * @param last the previous fields of the applier
 * @param managed the current fields of all managers, including the applier's new configuration
 */
export function* prune(shape: Shape, merged: unknown, last: FieldSet, managed: FieldSet): Steps<unknown> {
  if (isEmpty(last)) return merged;
  const named = (set: FieldSet) => withNamedFields(shape, set);
  const all = named(ownedFields(shape, merged));
  yield;
  const without = removeFields(shape, merged, named(last));
  yield;
  // Restores owned fields and the fields that contain them.
  const left = named(ownedFields(shape, without));
  yield;
  const kept = union(left, named(managed));
  yield;
  const withOwned = removeFields(shape, merged, difference(all, kept));
  yield;
  // Restores fields that were removed with others although the applier never applied them.
  const gone = difference(all, named(ownedFields(shape, withOwned)));
  yield;
  return removeFields(shape, merged, intersection(gone, named(last)));
}
