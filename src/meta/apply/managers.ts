import { formatTime } from "../../util/clock.ts";
import { ascending } from "../../util/compare.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { LruMap } from "../../util/lru.ts";
import type { Steps } from "../../util/steps.ts";
import type { Kind } from "../kind.ts";
import type { ManagedFieldsEntry } from "../v1.ts";
import { byElement, byText, orderInSteps } from "./order.ts";
import {
  elementsLeft,
  equalSets,
  type FieldSet,
  isEmpty,
  parseFieldSet,
  storedFieldSet,
  unionOf,
} from "./field-set.ts";

/** The manager, endpoint and time of a write. */
export interface Writer {
  readonly manager: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The maximum number of managers of operation Update. Beyond it, the oldest are merged (apimachinery
 * `DefaultMaxUpdateManagers`).
 */
const maxUpdateManagers = 10;
const ancientChanges = "ancient-changes";

export function fieldSetOf(entry: ManagedFieldsEntry): FieldSet {
  return storedFieldSet(entry.fieldsV1);
}

export function withFields(entry: ManagedFieldsEntry, fieldsV1: FieldSet): ManagedFieldsEntry {
  return { ...entry, fieldsV1 };
}

export function newEntry(
  kind: Kind,
  { manager, subresource, now }: Writer,
  operation: "Apply" | "Update",
  fieldsV1: FieldSet,
): ManagedFieldsEntry {
  return {
    manager: manager === "" ? "unknown" : manager,
    operation,
    apiVersion: kind.apiVersion,
    time: formatTime(now),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource === "" ? {} : { subresource }),
  };
}

/** The identity of a manager. The identity of an applier does not include the version. */
export function identityOf({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  return JSON.stringify({
    manager,
    operation,
    ...(operation === "Apply" ? {} : { apiVersion }),
    ...(subresource === undefined || subresource === "" ? {} : { subresource }),
  });
}

/**
 * Removes fields from every entry, and entries without fields. Entries that lose nothing remain the same
 * values.
 */
export function takeFrom(
  entries: readonly ManagedFieldsEntry[],
  take: (fields: FieldSet) => FieldSet,
): ManagedFieldsEntry[] {
  const result: ManagedFieldsEntry[] = [];
  for (const entry of entries) {
    const fields = fieldSetOf(entry);
    const left = take(fields);
    if (left === fields) result.push(entry);
    else if (!isEmpty(left)) result.push(withFields(entry, left));
  }
  return result.filter((entry) => !isEmpty(fieldSetOf(entry)));
}

/**
 * Sorts entries in upstream's order: appliers first, then by time, manager, version and subresource. Also
 * sorts the fields of entries that are not stored yet.
 */
export function* sortEntries(
  kind: Kind,
  entries: readonly ManagedFieldsEntry[],
  stored: readonly ManagedFieldsEntry[] = [],
): Steps<ManagedFieldsEntry[]> {
  const order = kind.schema.foreign === undefined ? byElement : byText;
  const compare = (a = "", b = "") => ascending(a, b);
  const result: ManagedFieldsEntry[] = [];
  for (const entry of entries) {
    if (stored.includes(entry)) result.push(entry);
    else result.push(withFields(entry, shared(kind, entry, yield* orderInSteps(fieldSetOf(entry), order))));
  }
  return result.sort(
    (a, b) =>
      compare(a.operation, b.operation) ||
      compare(a.time, b.time) ||
      compare(a.manager, b.manager) ||
      compare(a.apiVersion, b.apiVersion) ||
      compare(a.subresource, b.subresource),
  );
}

/** The set that each writer stored last. */
const lastSets = new LruMap<string, FieldSet>(256);
/** The greatest number of elements in a set that is kept for others. */
const sharedElements = 256;

/** Returns the set that the writer stored last if it is equal: the objects of one template share their sets. */
function shared(
  { apiVersion, kind }: Kind,
  { manager, subresource }: ManagedFieldsEntry,
  set: FieldSet,
): FieldSet {
  if (elementsLeft(set, sharedElements) < 0) return set;
  const writer = JSON.stringify([apiVersion, kind, manager, subresource]);
  const last = lastSets.get(writer);
  if (last !== undefined && equalSets(last, set)) return last;
  lastSets.set(writer, set);
  return set;
}

/** Merges the oldest updaters of a version into `ancient-changes` until their number is within the limit. */
export function capUpdaters(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  const updaters = entries.filter(({ operation }) => operation === "Update");
  let excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return entries;
  const oldest = updaters.toSorted(
    (a, b) => ascending(a.time ?? "", b.time ?? "") || ascending(identityOf(a), identityOf(b)),
  );
  const buckets = new Map<string | undefined, ManagedFieldsEntry>();
  const merged = new Set<ManagedFieldsEntry>();
  const sets = new Map<string | undefined, FieldSet[]>();
  const firsts = new Map<string | undefined, ManagedFieldsEntry>();
  for (const entry of oldest) {
    if (excess === 0) break;
    const first = firsts.get(entry.apiVersion);
    if (first === undefined) {
      firsts.set(entry.apiVersion, entry);
      continue;
    }
    const bucket = buckets.get(entry.apiVersion) ?? first;
    const { subresource: _, ...rest } = bucket;
    merged.add(first).add(entry);
    sets.set(entry.apiVersion, sets.get(entry.apiVersion) ?? [fieldSetOf(first)]);
    sets.get(entry.apiVersion)?.push(fieldSetOf(entry));
    buckets.set(entry.apiVersion, {
      ...rest,
      manager: ancientChanges,
      ...(entry.time === undefined ? {} : { time: entry.time }),
    });
    excess -= 1;
  }
  const ancient = [...buckets].map(([version, bucket]) =>
    withFields(bucket, unionOf(sets.get(version) ?? [])),
  );
  return [...entries.filter((entry) => !merged.has(entry)), ...ancient];
}

/**
 * The entries before a write. A client can replace them in a write of the object itself, or clear them with
 * an empty list or a single empty entry. An invalid list is ignored, and so is any list in a write of a
 * subresource.
 */
export function startingEntries(
  stored: readonly ManagedFieldsEntry[],
  given: readonly ManagedFieldsEntry[] | undefined,
  subresource: string,
): readonly ManagedFieldsEntry[] {
  if (given === undefined || subresource !== "" || sameEntries(stored, given)) return stored;
  const [first] = given;
  if (first === undefined || (given.length === 1 && deepEqual(first, {}))) return [];
  const parsed = given.map(parseEntry);
  const valid = parsed.filter((entry) => entry !== undefined);
  return valid.length === parsed.length ? valid : stored;
}

/**
 * Reports whether the entries are equal. Most writers send the entries that they read, and this runs on every
 * write.
 */
function sameEntries(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every((entry, index) => {
      const other = b[index];
      return (
        other !== undefined &&
        entry.time === other.time &&
        entry.fieldsType === other.fieldsType &&
        identityOf(entry) === identityOf(other) &&
        equalSets(fieldSetOf(entry), other.fieldsV1)
      );
    })
  );
}

function parseEntry(entry: ManagedFieldsEntry): ManagedFieldsEntry | undefined {
  const { operation, apiVersion = "", fieldsType } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (apiVersion === "" || fieldsType !== "FieldsV1") return undefined;
  const fields = parseFieldSet(entry.fieldsV1 ?? {});
  return fields === undefined ? undefined : withFields(entry, fields);
}

/** The entry without its time, for comparison. */
export function withoutTime({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry {
  return entry;
}
