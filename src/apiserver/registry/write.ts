import { requiredValue, root, type FieldError } from "../../meta/field-error.ts";
import { decode } from "../../meta/decode.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { updateManagedFields } from "../../meta/apply/update-managed-fields.ts";
import type { StrategyContext } from "../../meta/strategy.ts";
import { errors } from "../../meta/status.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../meta/validation/object-meta.ts";
import { nameSuffix } from "../../util/random.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import { ExpectationError } from "../../store/errors.ts";
import type { Entry, Revision } from "../../store/store.ts";
import { mutate, validate, type Attributes, type Operation } from "../admission/plugin.ts";
import type { Context } from "../context.ts";
import {
  type DraftObject,
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
  /** Empty, or `status`; other subresources have handlers of their own. */
  readonly subresource: string;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Who owns what is written. */
  readonly fieldManager: string;
  /** Set by server-side apply, which works out the owners itself. */
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
  prepareMetadataForCreate(draft, resource, services.env);
  const generated = draft.metadata.generateName;
  if (target.name !== "" && draft.metadata.name !== target.name) throw nameMismatch(draft, target);
  if (resource.kind.status && resource.strategy.keepsStatusOnCreate !== true) resetStatus(draft, resource);
  resource.strategy.prepareForCreate?.(draft, strategyContext(context, target));
  const attributes = attributesOf(context, "CREATE", target, draft, undefined, options);
  await mutate(services, attributes);
  own(context, target, undefined, draft, options);
  checkObject(draft, undefined, target);
  warn(context, resource, draft, undefined);
  await validate(services, attributes);
  if (options.dryRun) {
    if (services.store.read(resource.key(namespace, nameOf(draft))) !== undefined)
      throw alreadyExists(draft, resource);
    return { object: draft, entry: undefined, created: true };
  }
  for (let attempt = 1; ; attempt++) {
    const written = await tryCommit(context, target, draft, 0);
    if (written !== undefined) return { ...written, created: true };
    if (generated === undefined || attempt >= nameAttempts) throw alreadyExists(draft, resource);
    draft.metadata.name = generated.slice(0, 58) + nameSuffix(services.env.random);
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
    const old = codec.decode(entry);
    const draft = await change(old);
    checkRevision(draft.metadata.resourceVersion, old, target);
    const next = await prepareUpdate(context, target, draft, old, options);
    if (options.dryRun) return { object: next, entry: undefined, created: false };
    if (unchanged(next, old)) return { object: old, entry, created: false };
    if (mayGo(next, resource)) return remove(context, key, entry, next);
    const written = await tryCommit(context, target, next as DraftObject, entry.revision);
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
  const { resource } = target;
  settleNamespace(draft.metadata, resource, target.namespace);
  if (nameOf(draft) !== target.name) throw nameMismatch(draft, target);
  prepareMetadataForUpdate(draft, old, resource);
  const next = target.subresource === "status" ? withStatusOf(old, draft) : draft;
  if (target.subresource === "" && resource.kind.status) Object.assign(next, { status: statusOf(old) });
  if (followsStrategy(target)) resource.strategy.prepareForUpdate?.(next, old, strategyContext(context, target));
  bumpGeneration(next, old, resource);
  const attributes = attributesOf(context, "UPDATE", target, next, old, options);
  await mutate(context.services, attributes);
  own(context, target, old, next, options);
  checkObject(next, old, target);
  warn(context, resource, next, old);
  await validate(context.services, attributes);
  return next;
}

/** Other subresources change what they are for by rules of their own: a binding may set what no update may. */
function followsStrategy({ subresource }: Target): boolean {
  return subresource === "" || subresource === "status";
}

/** Status is written alone: everything else stays as it is stored. */
function withStatusOf(old: KubeObject, draft: DraftObject): DraftObject {
  const { managedFields } = draft.metadata;
  const metadata = { ...old.metadata, ...(managedFields === undefined ? {} : { managedFields }) };
  return { ...old, metadata, status: statusOf(draft) } as unknown as DraftObject;
}

function statusOf(object: object): unknown {
  return (object as { readonly status?: unknown }).status;
}

/** A new object starts with the status that its schema gives to nobody in particular. */
function resetStatus(draft: DraftObject, resource: ServedResource): void {
  const type = resource.kind.schema.fields.get("status")?.type;
  if (type?.kind === "message") Object.assign(draft, { status: decode(type, {}) });
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

function checkObject(draft: DraftObject, old: KubeObject | undefined, target: Target): void {
  const object = draft as KubeObject;
  const issues = [...issuesOf(object, old, target)];
  if (issues.length > 0) throw errors.invalid(target.resource.kind, nameOf(draft), issues);
}

function* issuesOf(object: KubeObject, old: KubeObject | undefined, target: Target): Iterable<FieldError> {
  const { kind, strategy } = target.resource;
  if (!followsStrategy(target)) return;
  if (target.subresource === "status" && old !== undefined) {
    yield* strategy.validateStatusUpdate?.(object, old) ?? [];
    return;
  }
  yield* validateObjectMeta(object.metadata, kind, strategy.validateName);
  yield* strategy.validate?.(object) ?? [];
  if (old === undefined) {
    yield* strategy.validateCreate?.(object) ?? [];
  } else {
    yield* validateObjectMetaUpdate(object.metadata, old.metadata);
    yield* strategy.validateUpdate?.(object, old) ?? [];
  }
}

function warn(
  context: Context,
  resource: ServedResource,
  next: DraftObject,
  old: KubeObject | undefined,
): void {
  for (const text of resource.strategy.warnings?.(next, old) ?? []) context.warnings.add(text);
}

function checkRevision(asked: string | undefined, old: KubeObject, target: Target): void {
  if (asked === undefined) {
    if (target.resource.strategy.allowUnconditionalUpdate !== false) return;
    const path = root.child("metadata", "resourceVersion");
    throw errors.invalid(target.resource.kind, target.name, [
      requiredValue(path, "must be specified for an update"),
    ]);
  }
  if (asked !== old.metadata.resourceVersion) throw modified(target);
}

function modified({ resource, name }: Target) {
  return errors.conflict(
    resource.name,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

/** Writes nothing when nothing changed: a no-op must not wake watchers. */
function unchanged(next: KubeObject, old: KubeObject): boolean {
  return deepEqual(next, old);
}

/** An object that waits for deletion goes with its last finalizer. */
function mayGo(next: KubeObject, resource: ServedResource): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = next.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0)
    return false;
  return resource.strategy.blocksDeletion?.(next) !== true;
}

async function remove(context: Context, key: string, entry: Entry, last: KubeObject): Promise<Written> {
  const revision = await context.services.store.commit(
    [{ type: "delete", key }],
    [{ key, revision: entry.revision }],
  );
  const metadata = { ...last.metadata, resourceVersion: String(revision) };
  return { object: { ...last, metadata }, entry: undefined, created: false };
}

/** undefined when the expectation did not hold. */
async function tryCommit(context: Context, target: Target, draft: DraftObject, expected: Revision | 0) {
  const { store, codec } = context.services;
  const key = target.resource.key(draft.metadata.namespace ?? "", nameOf(draft));
  try {
    const value = codec.encode(draft);
    const revision = await store.commit([{ type: "put", key, value }], [{ key, revision: expected }]);
    const entry = store.read(key, revision);
    if (entry === undefined) throw new TypeError(`${key} vanished at its own revision`);
    return { entry, object: codec.decode(entry) };
  } catch (error) {
    if (error instanceof ExpectationError) return undefined;
    throw error;
  }
}

function nameOf(object: { readonly metadata: { readonly name?: string } }): string {
  return object.metadata.name ?? "";
}

function alreadyExists(draft: DraftObject, resource: ServedResource) {
  return errors.alreadyExists(resource.name, nameOf(draft));
}

function nameMismatch(draft: DraftObject, target: Target) {
  return errors.badRequest(
    `the name of the object (${nameOf(draft) || "based on URL"}) does not match the name on the URL (${target.name})`,
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
