import type { Steps } from "../../util/steps.ts";
import { difference, type FieldSet, intersection, isEmpty, union } from "./field-set.ts";
import { ownedFields, withNamedFields } from "./owned-fields.ts";
import { removeFields } from "./remove.ts";
import type { Shape } from "./shape.ts";

/**
 * Takes out of a merged value what its applier applied last time and no longer does, unless others own it, or
 * own something in it (structured-merge-diff's `prune`).
 *
 * @param last what the applier owned before
 * @param managed what anyone owns now, the applier with its new configuration included
 */
export function* prune(shape: Shape, merged: unknown, last: FieldSet, managed: FieldSet): Steps<unknown> {
  if (isEmpty(last)) return merged;
  const named = (set: FieldSet) => withNamedFields(shape, set);
  const all = named(ownedFields(shape, merged));
  yield;
  const without = removeFields(shape, merged, named(last));
  yield;
  // What anyone owns comes back, with all that it stands in.
  const left = named(ownedFields(shape, without));
  yield;
  const kept = union(left, named(managed));
  yield;
  const withOwned = removeFields(shape, merged, difference(all, kept));
  yield;
  // So does what went along though the applier had never applied it.
  const gone = difference(all, named(ownedFields(shape, withOwned)));
  yield;
  return removeFields(shape, merged, intersection(gone, named(last)));
}
