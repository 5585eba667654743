import type { KubeObject } from "../../meta/kind.ts";
import type { StrategyContext } from "../../meta/strategy.ts";
import { errors, failure } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Entry } from "../../store/store.ts";
import { allocate, mutate, release, validate, type Attributes, type Operation } from "../admission/plugin.ts";
import { refusal } from "../authz/refusal.ts";
import type { Context } from "../context.ts";
import { carryOver, resetStatus } from "./carry-over.ts";
import { rehearse, tryCommit, tryRemove } from "./commit.ts";
import { checkObject, checkRevision, followsStrategy, modified, mustTakeObjects } from "./check.ts";
import {
  dedupeOwners,
  type DraftObject,
  generatedName,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
  settleNamespace,
} from "./metadata.ts";
import { noteSize, pause } from "./pace.ts";
import { own, unchanged } from "./ownership.ts";
import type { ServedResource, Shown } from "./served.ts";

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

/** A write's outcome. */
export interface Written extends Shown {
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
  const { resource } = target;
  mustTakeObjects(context, target, nameOf(draft));
  settleNamespace(draft.metadata, resource, target.namespace);
  const isNamed = draft.metadata.name !== undefined;
  if (target.name !== "") prepareCreateByUpdate(context, draft.metadata, target, options);
  prepareMetadataForCreate(draft, resource, services.env);
  if (target.name !== "" && draft.metadata.name !== target.name) throw nameMismatch(nameOf(draft), target);
  dedupeOwners(draft, context.warnings);
  // First, so that what defaults and admission fill in has no owner.
  await pause(context);
  await own(context, target, undefined, draft, options);
  await pause(context);
  const attributes = attributesOf(context, "CREATE", target, draft, undefined, options);
  await mutate(services, attributes);
  resetStatus(draft, resource);
  resource.strategy.prepareForCreate?.(draft, strategyContext(context, target));
  try {
    await pause(context);
    await allocate(services, attributes);
    await pause(context);
    await checkObject(context, draft, undefined, target);
    await pause(context);
    await validate(services, attributes);
    await pause(context);
    return await store(context, target, draft, { ...options, isNamed });
  } finally {
    release(services, attributes);
  }
}

/**
 * An update or apply that finds nothing needs the permission to create. Its revision is nobody's, and its uid would be
 * that of another object.
 */
function prepareCreateByUpdate(
  { services, user, info }: Context,
  metadata: DraftObject["metadata"],
  { resource, name }: Target,
  { ownsFields }: WriteOptions,
): void {
  if (info.resource !== undefined) {
    const { rest: _, ...asked } = info.resource;
    const access = { user, verb: "create", target: { type: "resource", ...asked } } as const;
    if (!services.authorizer.authorize(access).allowed) throw refusal(access);
  }
  delete metadata.resourceVersion;
  if (metadata.uid === undefined) return;
  const why =
    ownsFields === true
      ? `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`
      : `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: `;
  throw errors.conflict(resource.name, name, why);
}

async function store(
  context: Context,
  target: Target,
  draft: DraftObject,
  { dryRun, isNamed }: { readonly dryRun: boolean; readonly isNamed: boolean },
): Promise<Written> {
  const { services } = context;
  const { resource, namespace } = target;
  if (dryRun) {
    if (services.store.read(resource.key(namespace, nameOf(draft))) !== undefined)
      throw alreadyExists(context, draft, target);
    return asWritten(await rehearse(target, draft), true);
  }
  for (let attempt = 1; ; attempt++) {
    const written = await tryCommit(context, target, draft, 0);
    if (written !== undefined) return asWritten(written, true);
    // The write that won may not be readable yet: whoever hears that the object is there must also see it.
    await services.store.commit([]);
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
    noteSize(context.request, entry.value.length);
    const old = await resource.shown(codec.decode(entry));
    await pause(context);
    const draft = await change(old);
    await pause(context);
    const written = await tryUpdate(context, target, draft, { old, entry }, options);
    if (written !== undefined) return asWritten(written, false);
    // The write that won may not be readable yet: reads show only what is durable. A change made for the
    // old revision then fails the check above; one that is computed from the object is computed anew.
    await store.commit([]);
  }
  throw modified(target);
}

/** undefined when somebody else wrote in between. */
async function tryUpdate(
  context: Context,
  target: Target,
  draft: DraftObject,
  { old, entry }: { readonly old: KubeObject; readonly entry: Entry },
  options: WriteOptions,
): Promise<Shown | undefined> {
  const { services } = context;
  await prepareUpdate(context, target, draft, old, options);
  await pause(context);
  const attributes = attributesOf(context, "UPDATE", target, draft, old, options);
  await mutate(services, attributes);
  // Again: admission decides nothing that this endpoint does not write.
  carryOver(draft, old, target);
  if (followsStrategy(target)) {
    target.resource.strategy.prepareForUpdate?.(draft, old, strategyContext(context, target));
    bumpGeneration(draft, old, target.resource);
  }
  try {
    await pause(context);
    await allocate(services, attributes);
    await pause(context);
    await checkObject(context, draft, old, target);
    await pause(context);
    await validate(services, attributes);
    const next = draft as KubeObject;
    await pause(context);
    if (unchanged(next, old)) return { object: old, encoded: undefined };
    const before = { stored: services.codec.decode(entry), shown: old };
    if (options.dryRun) return await rehearse(target, next, before);
    return mayGo(next, target.resource)
      ? await tryRemove(context, entry, next)
      : await tryCommit(context, target, draft, entry.revision, before);
  } finally {
    release(services, attributes);
  }
}

function asWritten({ object, encoded }: Shown, created: boolean): Written {
  return { object, encoded, created };
}

/** Up to admission: what no client may change is put back, and who owns what is settled. */
async function prepareUpdate(
  context: Context,
  target: Target,
  draft: DraftObject,
  old: KubeObject,
  options: WriteOptions,
): Promise<void> {
  const { resource } = target;
  settleNamespace(draft.metadata, resource, target.namespace);
  if (nameOf(draft) !== target.name) throw nameMismatch(nameOf(draft), target);
  checkRevision(draft.metadata.resourceVersion, old, target);
  prepareMetadataForUpdate(draft, old, resource);
  carryOver(draft, old, target);
  dedupeOwners(draft, context.warnings);
  await own(context, target, old, draft, options);
}

function bumpGeneration(next: DraftObject, old: KubeObject, resource: ServedResource): void {
  if (resource.strategy.generation !== true) return;
  const desired = (object: KubeObject | DraftObject) => ({
    ...object,
    metadata: undefined,
    ...(resource.kind.status ? { status: undefined } : {}),
  });
  if (!deepEqual(desired(next), desired(old))) next.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** An object that waits for deletion goes with its last finalizer. */
function mayGo(next: KubeObject, resource: ServedResource): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = next.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0)
    return false;
  return resource.strategy.blocksDeletion?.(next) !== true;
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
  return { now: context.services.env.clock.now(), user: context.user, subresource: target.subresource };
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
    pathName: target.name,
    user: context.user,
    dryRun: options.dryRun,
    object,
    old,
    warn: (text) => context.warnings.add(text),
  };
}
