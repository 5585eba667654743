import { atOnce, type Steps } from "../../util/steps.ts";
import type { Kind, KubeObject } from "../kind.ts";
import type { ManagedFieldsEntry } from "../v1.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, union } from "./field-set.ts";
import {
  capUpdaters,
  fieldSetOf,
  identityOf,
  newEntry,
  sortEntries,
  startingEntries,
  takeFrom,
  withFields,
  type Writer,
} from "./managers.ts";
import { objectShape } from "./object-shape.ts";

/**
 * Computes the owners after a create, update or patch (apimachinery `managedfields`, operation Update): the
 * writer owns the fields that it changed, and other managers lose them. Runs on every write: returns the
 * stored entries if nothing changed, and only visits changed fields.
 *
 * @param old undefined for a create
 * @returns undefined when the object has no managers
 */
export function updateManagedFields(...of: Parameters<typeof updateInSteps>): Owners {
  return atOnce(updateInSteps(...of));
}

type Owners = readonly ManagedFieldsEntry[] | undefined;

/** Runs `updateManagedFields` in steps, each of which walks the changes. */
export function* updateInSteps(
  kind: Kind,
  old: KubeObject | undefined,
  next: KubeObject,
  writer: Writer,
): Steps<Owners> {
  const stored = old?.metadata.managedFields ?? [];
  const entries = startingEntries(stored, next.metadata.managedFields, writer.subresource);
  // A client has disabled tracking for this object.
  if (old !== undefined && entries.length === 0) return undefined;
  const { shape, zero } = objectShape(kind, writer.subresource);
  const found = compare(shape, old ?? zero, next);
  if (found === undefined)
    return entries === stored && old !== undefined
      ? entries
      : orNone(yield* sortEntries(kind, entries, stored));
  const { changed, removed } = found;
  yield;
  const others = takeFrom(entries, (fields) => without(without(fields, changed), removed));
  yield;
  const result = changed === undefined ? others : giveTo(kind, writer, others, changed);
  yield;
  return orNone(yield* sortEntries(kind, capUpdaters(result), stored));
}

function without(fields: FieldSet, taken: FieldSet | undefined): FieldSet {
  return taken === undefined ? fields : difference(fields, taken);
}

/** Adds the changed fields to the writer's entry. */
function giveTo(
  kind: Kind,
  writer: Writer,
  others: readonly ManagedFieldsEntry[],
  changed: FieldSet,
): ManagedFieldsEntry[] {
  const entry = newEntry(kind, writer, "Update", changed);
  const identity = identityOf(entry);
  const isWriter = (other: ManagedFieldsEntry) => identityOf(other) === identity;
  const before = others.find(isWriter);
  const fields = before === undefined ? changed : union(fieldSetOf(before), changed);
  return [...others.filter((other) => !isWriter(other)), withFields(entry, fields)];
}

function orNone(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] | undefined {
  return entries.length === 0 ? undefined : entries;
}
