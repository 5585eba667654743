import type { KubeObject } from "../../meta/kind.ts";
import { updateManagedFields } from "../../meta/apply/update-managed-fields.ts";
import type { StrategyContext } from "../../meta/strategy.ts";
import { errors, failure } from "../../meta/status.ts";
import type { ManagedFieldsEntry } from "../../meta/v1.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { ExpectationError } from "../../store/errors.ts";
import type { Entry, Revision } from "../../store/store.ts";
import { allocate, mutate, validate, type Attributes, type Operation } from "../admission/plugin.ts";
import type { Context } from "../context.ts";
import { carryOver, resetStatus } from "./carry-over.ts";
import { checkObject, checkRevision, followsStrategy, modified } from "./check.ts";
import {
  dedupeOwners,
  type DraftObject,
  generatedName,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
  settleNamespace,
} from "./metadata.ts";
import type { ServedResource } from "./served.ts";

/** What a write is about. */
export interface Target {
  readonly resource: ServedResource;
  readonly namespace: string;
  /** Empty for a create on the collection. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Who owns what is written. */
  readonly fieldManager: string;
  /** Set by server-side apply, which works out the owners itself, and where nobody is to own what is written. */
  readonly ownsFields?: boolean;
}

/** A write's outcome. `entry` is absent after a dry run. */
export interface Written {
  readonly object: KubeObject;
  readonly entry: Entry | undefined;
  readonly created: boolean;
}

/** So often a create with `generateName` tries another name. */
const nameAttempts = 8;
/** So often an update without a resourceVersion reads again after losing a race. */
const updateAttempts = 30;

export async function create(
  context: Context,
  target: Target,
  draft: DraftObject,
  options: WriteOptions,
): Promise<Written> {
  const { services } = context;
  const { resource, namespace } = target;
  settleNamespace(draft.metadata, resource, namespace);
  const isNamed = draft.metadata.name !== undefined;
  prepareMetadataForCreate(draft, resource, services.env);
  if (target.name !== "" && draft.metadata.name !== target.name) throw nameMismatch(nameOf(draft), target);
  dedupeOwners(draft, context.warnings);
  // First, so that what defaults and admission fill in has no owner.
  own(context, target, undefined, draft, options);
  const attributes = attributesOf(context, "CREATE", target, draft, undefined, options);
  await mutate(services, attributes);
  resetStatus(draft, resource);
  resource.strategy.prepareForCreate?.(draft, strategyContext(context, target));
  await allocate(services, attributes);
  checkObject(context, draft, undefined, target);
  await validate(services, attributes);
  const exists = () => services.store.read(resource.key(namespace, nameOf(draft)));
  if (options.dryRun) {
    if (exists() !== undefined) throw alreadyExists(context, draft, target);
    return { object: draft, entry: undefined, created: true };
  }
  for (let attempt = 1; ; attempt++) {
    const written = await tryCommit(context, target, draft, 0);
    if (written !== undefined) return { ...written, created: true };
    const { generateName } = draft.metadata;
    if (generateName === undefined || isNamed || attempt >= nameAttempts)
      throw alreadyExists(context, draft, target);
    draft.metadata.name = generatedName(generateName, services.env.random);
  }
}

/**
 * Reads, changes and writes an object, again when somebody else wrote in between. `change` gets the stored
 * object and returns a fresh draft each time; the resourceVersion in the draft is the one it was made for.
 */
export async function update(
  context: Context,
  target: Target,
  change: (old: KubeObject) => Promise<DraftObject> | DraftObject,
  options: WriteOptions,
): Promise<Written> {
  const { store, codec } = context.services;
  const { resource, namespace, name } = target;
  const key = resource.key(namespace, name);
  for (let attempt = 1; attempt <= updateAttempts; attempt++) {
    const entry = store.read(key);
    if (entry === undefined) throw errors.notFound(resource.name, name);
    const old = resource.shown(codec.decode(entry));
    const draft = await change(old);
    const next = await prepareUpdate(context, target, draft, old, options);
    if (options.dryRun) return { object: next, entry: undefined, created: false };
    if (unchanged(next, old)) return { object: old, entry, created: false };
    const written = mayGo(next, resource)
      ? await tryRemove(context, entry, next)
      : await tryCommit(context, target, next as DraftObject, entry.revision);
    if (written !== undefined) return { ...written, created: false };
    // The write that won may not be readable yet: reads show only what is durable. A change made for the
    // old revision then fails the check above; one that is computed from the object is computed anew.
    await store.commit([]);
  }
  throw modified(target);
}

async function prepareUpdate(
  context: Context,
  target: Target,
  draft: DraftObject,
  old: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const { services } = context;
  const { resource } = target;
  settleNamespace(draft.metadata, resource, target.namespace);
  if (nameOf(draft) !== target.name) throw nameMismatch(nameOf(draft), target);
  checkRevision(draft.metadata.resourceVersion, old, target);
  prepareMetadataForUpdate(draft, old, resource);
  carryOver(draft, old, target);
  dedupeOwners(draft, context.warnings);
  own(context, target, old, draft, options);
  const attributes = attributesOf(context, "UPDATE", target, draft, old, options);
  await mutate(services, attributes);
  // Again: admission decides nothing that this endpoint does not write.
  carryOver(draft, old, target);
  if (followsStrategy(target))
    resource.strategy.prepareForUpdate?.(draft, old, strategyContext(context, target));
  bumpGeneration(draft, old, resource);
  await allocate(services, attributes);
  checkObject(context, draft, old, target);
  await validate(services, attributes);
  return draft;
}

function bumpGeneration(next: DraftObject, old: KubeObject, resource: ServedResource): void {
  if (resource.strategy.generation !== true) return;
  const desired = (object: object) => ({ ...object, metadata: undefined, status: undefined });
  if (!deepEqual(desired(next), desired(old))) next.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function own(
  context: Context,
  target: Target,
  old: KubeObject | undefined,
  next: DraftObject,
  options: WriteOptions,
): void {
  if (options.ownsFields === true) return;
  const managedFields = updateManagedFields(target.resource.kind, old, next, {
    manager: options.fieldManager,
    subresource: target.subresource,
    now: context.services.env.clock.now(),
  });
  if (managedFields === undefined) delete next.metadata.managedFields;
  else Object.assign(next.metadata, { managedFields });
}

/** Writes nothing when nothing changed, or only when a manager was last seen: a no-op must not wake watchers. */
function unchanged(next: KubeObject, old: KubeObject): boolean {
  const { managedFields: managers = [], ...metadata } = next.metadata;
  const { managedFields: oldManagers = [], ...oldMetadata } = old.metadata;
  return (
    deepEqual(metadata, oldMetadata) &&
    deepEqual({ ...next, metadata: undefined }, { ...old, metadata: undefined }) &&
    managers.length === oldManagers.length &&
    managers.every((one, i) => deepEqual(withoutTime(one), withoutTime(oldManagers[i])))
  );
}

function withoutTime(entry: ManagedFieldsEntry | undefined): object {
  return { ...entry, time: undefined };
}

/** An object that waits for deletion goes with its last finalizer. */
function mayGo(next: KubeObject, resource: ServedResource): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = next.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0)
    return false;
  return resource.strategy.blocksDeletion?.(next) !== true;
}

/** undefined when somebody else wrote in between. */
async function tryRemove(context: Context, { key, revision: expected }: Entry, last: KubeObject) {
  return unlessRaced(async () => {
    const revision = await context.services.store.commit(
      [{ type: "delete", key }],
      [{ key, revision: expected }],
    );
    const metadata = { ...last.metadata, resourceVersion: String(revision) };
    return { object: { ...last, metadata }, entry: undefined };
  });
}

/** undefined when the expectation did not hold. */
async function tryCommit(context: Context, target: Target, draft: DraftObject, expected: Revision | 0) {
  const { store, codec } = context.services;
  const { resource } = target;
  const key = resource.key(draft.metadata.namespace ?? "", nameOf(draft));
  return unlessRaced(async () => {
    const value = codec.encode(resource.stored(draft));
    const revision = await store.commit([{ type: "put", key, value }], [{ key, revision: expected }]);
    const entry = store.read(key, revision);
    if (entry === undefined) throw new TypeError(`${key} vanished at its own revision`);
    return { entry, object: resource.shown(codec.decode(entry)) };
  });
}

async function unlessRaced<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ExpectationError) return undefined;
    throw error;
  }
}

function nameOf(object: { readonly metadata: { readonly name?: string } }): string {
  return object.metadata.name ?? "";
}

function alreadyExists({ services }: Context, draft: DraftObject, { resource, namespace }: Target) {
  const name = nameOf(draft);
  const present = services.store.read(resource.key(namespace, name));
  const isTerminating =
    present !== undefined && services.codec.decode(present).metadata.deletionTimestamp !== undefined;
  const { status } = errors.alreadyExists(resource.name, name);
  const generated = draft.metadata.generateName !== undefined;
  const why = generated ? ", the server was not able to generate a unique name for the object" : "";
  return failure(
    409,
    "AlreadyExists",
    `${isTerminating ? "object is being deleted: " : ""}${status.message}${why}`,
    {
      ...status.details,
      ...(generated ? { retryAfterSeconds: 1 } : {}),
    },
  );
}

export function nameMismatch(name: string, target: Target) {
  return errors.badRequest(
    name === ""
      ? `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${name}) does not match the name on the URL (${target.name})`,
  );
}

export function strategyContext(context: Context, target: Target): StrategyContext {
  return { now: context.services.env.clock.now(), user: context.user.name, subresource: target.subresource };
}

export function attributesOf(
  context: Context,
  operation: Operation,
  target: Target,
  object: DraftObject | undefined,
  old: KubeObject | undefined,
  options: Pick<WriteOptions, "dryRun">,
): Attributes {
  return {
    operation,
    resource: target.resource,
    subresource: target.subresource,
    namespace: target.namespace,
    name: target.name === "" ? (object?.metadata.name ?? "") : target.name,
    user: context.user,
    dryRun: options.dryRun,
    object,
    old,
    warn: (text) => context.warnings.add(text),
  };
}
