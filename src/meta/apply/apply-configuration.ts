import { deepEqual } from "../../util/deep-equal.ts";
import { atOnce, type Steps } from "../../util/steps.ts";
import { decode } from "../decode.ts";
import type { Kind, KubeObject } from "../kind.ts";
import { failure } from "../status.ts";
import type { ManagedFieldsEntry } from "../v1.ts";
import { compare } from "./compare.ts";
import { ApplyConflictsError, conflictsWith } from "./conflicts.ts";
import { difference, type FieldSet, has, isEmpty, leaf, unionOf } from "./field-set.ts";
import { migratesFromClientSide, refreshLastApplied, unchangedSinceLastApplied } from "./last-applied.ts";
import {
  fieldSetOf,
  identityOf,
  newEntry,
  sortEntries,
  takeFrom,
  withFields,
  withoutTime,
  type Writer,
} from "./managers.ts";
import { mergeValues } from "./merge.ts";
import { objectShape } from "./object-shape.ts";
import { ownedFields } from "./owned-fields.ts";
import { prune } from "./prune.ts";
import { fieldsOf, isObject } from "../../util/is-object.ts";
import { partOf, shapeOf, type StructShape } from "./shape.ts";
import { updateManagedFields } from "./update-managed-fields.ts";
import { configProblems } from "./validate.ts";

export { ApplyConflictsError };

export interface ApplyOptions extends Writer {
  /** Takes fields from other managers instead of reporting a conflict. */
  readonly force: boolean;
}

/**
 * Server-side apply (KEP-555, structured-merge-diff): merges a configuration into the live object, removes
 * fields that its manager applied before and no longer does, and computes the owners. The result is plain
 * JSON, not yet decoded. Neither object is changed.
 *
 * @param live undefined when the object is to be created
 * @throws ApplyConflictsError when other managers own fields that would change, unless forced
 * @throws StatusError when the configuration is not valid for the kind
 */
export function applyConfiguration(...of: Parameters<typeof applyInSteps>): object {
  return atOnce(applyInSteps(...of));
}

/** Runs `applyConfiguration` in steps. There are about a dozen, and each walks the object a few times. */
export function* applyInSteps(
  kind: Kind,
  live: KubeObject | undefined,
  config: object,
  options: ApplyOptions,
): Steps<object> {
  checkConfig(kind, config);
  yield;
  const entries = live === undefined ? [] : managedBefore(kind, live, options);
  const application = yield* apply(kind, live, config, entries, options);
  yield;
  const object = migratesFromClientSide(options.manager)
    ? refreshLastApplied(application.object, config)
    : application.object;
  const managedFields = yield* settled(kind, live, object, application, options.subresource);
  const { metadata } = fieldsOf(object);
  return { ...object, metadata: { ...fieldsOf(metadata), managedFields } };
}

function checkConfig(kind: Kind, config: object): void {
  const { apiVersion: _, kind: __, ...fields }: Readonly<Record<string, unknown>> = { ...config };
  const problems = configProblems(kind.schema, fields);
  if (problems.length === 0) return;
  const { name, namespace } = fieldsOf(fields["metadata"]);
  const given = [namespace, name].map((one) => (typeof one === "string" ? one : "")).join("/");
  const [only] = problems;
  const text = problems.length === 1 ? only : ["errors:", ...problems.map((line) => `  ${line}`)].join("\n");
  const gvk = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  throw failure(500, "", `failed to create typed patch object (${given}; ${gvk}): ${text}`);
}

/** Assigns the fields of an object without managers to the manager `before-first-apply`. */
function managedBefore(kind: Kind, live: KubeObject, writer: Writer): readonly ManagedFieldsEntry[] {
  const { managedFields = [] } = live.metadata;
  if (managedFields.length > 0) return managedFields;
  return updateManagedFields(kind, undefined, live, { ...writer, manager: "before-first-apply" }) ?? [];
}

interface Application {
  readonly object: object;
  readonly entries: readonly ManagedFieldsEntry[];
}

function* apply(
  kind: Kind,
  live: KubeObject | undefined,
  config: object,
  entries: readonly ManagedFieldsEntry[],
  options: ApplyOptions,
): Steps<Application> {
  const { shape } = objectShape(kind, options.subresource);
  const whole = shapeOf(kind.schema);
  const applied = newEntry(kind, options, "Apply", ownedFields(shape, config));
  const identity = identityOf(applied);
  const before = entries.find((entry) => identityOf(entry) === identity);
  const others = entries.filter((entry) => entry !== before);
  const mine = written(shape, config, live);
  // Fields without owners, such as the name, count while pruning, so that `metadata` is not removed.
  const managed = unionOf([ownedFields(whole, mine), ...others.map(fieldSetOf)]);
  yield;
  const merged = mergeValues(whole, live, mine);
  yield;
  const last = before === undefined ? leaf : fieldSetOf(before);
  const object = (yield* prune(whole, merged, last, managed)) as object;
  yield;
  if (live === undefined)
    return { object, entries: [applied].filter((entry) => !isEmpty(fieldSetOf(entry))) };
  const found = compare(shape, live, object);
  if (found?.changed !== undefined && !options.force) {
    checkConflicts(kind, live, others, found.changed, options);
  }
  yield;
  const left = takeFrom(others, (fields) =>
    difference(difference(fields, found?.changed ?? leaf), found?.removed ?? leaf),
  );
  // An applier that changes nothing keeps its time. A new one gets no time.
  const entry = deepEqual(live, object)
    ? withFields(before ?? withoutTime(applied), fieldSetOf(applied))
    : applied;
  return { object, entries: isEmpty(fieldSetOf(applied)) ? left : [...left, entry] };
}

/** The configuration without the fields that this endpoint does not write. */
function written(shape: StructShape, config: object, live: KubeObject | undefined): object {
  if (live === undefined) return config;
  const kept = Object.entries(config).filter(
    ([name]) => name === "apiVersion" || name === "kind" || partOf(shape, name) !== undefined,
  );
  return Object.fromEntries(kept);
}

function checkConflicts(
  kind: Kind,
  live: KubeObject,
  others: readonly ManagedFieldsEntry[],
  changed: FieldSet,
  { manager, subresource }: ApplyOptions,
): void {
  const conflicts = conflictsWith(others, changed);
  if (conflicts.length === 0) return;
  const allowed = migratesFromClientSide(manager) ? unchangedSinceLastApplied(kind, live, subresource) : leaf;
  const left = conflicts.filter(({ path }) => !has(allowed, path));
  if (left.length > 0) throw new ApplyConflictsError(left);
}

/** Sorts the entries. Returns the stored entries if only times would change. */
function* settled(
  kind: Kind,
  live: KubeObject | undefined,
  object: object,
  { entries }: Application,
  subresource: string,
): Steps<readonly ManagedFieldsEntry[]> {
  const stored = live?.metadata.managedFields;
  const next = yield* sortEntries(kind, entries, stored);
  if (live === undefined || stored === undefined) return next;
  const timeless = (list: readonly ManagedFieldsEntry[]) =>
    Object.fromEntries(list.map((entry) => [identityOf(entry), withoutTime(entry)]));
  if (!deepEqual(timeless(next), timeless(stored))) return next;
  const { shape } = objectShape(kind, subresource);
  return sameFields(shape, live, decode(kind.schema, object)) ? stored : next;
}

/** Reports whether two objects are equal in all fields that can have owners. */
function sameFields(shape: StructShape, a: object, b: object): boolean {
  const [left, right] = [fieldsOf(a), fieldsOf(b)];
  const others = shape.open === undefined ? [] : [...Object.keys(a), ...Object.keys(b)];
  return [...shape.fields.keys(), ...others].every((name) => {
    const [mine, other] = [left[name], right[name]];
    const inner = partOf(shape, name)?.shape;
    const isMetadata = name === "metadata" && inner?.kind === "struct" && isObject(mine) && isObject(other);
    return inner === undefined || (isMetadata ? sameFields(inner, mine, other) : deepEqual(mine, other));
  });
}
