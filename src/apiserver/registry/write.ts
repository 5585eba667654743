import type { Kind, KubeObject } from "../../meta/kind.ts";
import type { StrategyContext } from "../../meta/strategy.ts";
import { errors, failure } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { Entry } from "../../store/store.ts";
import { allocate, mutate, release, validate, type Attributes, type Operation } from "../admission/plugin.ts";
import { refusal } from "../authz/refusal.ts";
import { carryOver, resetStatus } from "./carry-over.ts";
import { rehearse, tryCommit, tryRemove } from "./commit.ts";
import { checkObject, checkRevision, followsStrategy, mustTakeObjects } from "./check.ts";
import {
  dedupeOwners,
  generatedName,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
  settleNamespace,
} from "./metadata.ts";
import type { DraftObject } from "../resources/draft.ts";
import { own, unchanged } from "./ownership.ts";
import type { Scope } from "./scope.ts";
import type { ServedResource, Shown } from "../resources/served.ts";
import type { Target } from "../resources/target.ts";
import type { WriteOptions, Written, WrittenOf } from "./write-options.ts";

/** The number of names that a create with `generateName` tries. */
const nameAttempts = 8;
/** The number of attempts of an update without a resourceVersion after conflicts. */
const updateAttempts = 30;

export async function create(
  scope: Scope,
  target: Target,
  draft: DraftObject,
  options: WriteOptions,
): Promise<Written> {
  const { services } = scope;
  const { resource } = target;
  mustTakeObjects(scope, target, nameOf(draft));
  settleNamespace(draft.metadata, resource, target.namespace);
  const isNamed = draft.metadata.name !== undefined;
  if (target.name !== "") prepareCreateByUpdate(scope, draft.metadata, target, options);
  prepareMetadataForCreate(draft, resource, services.env);
  if (target.name !== "" && draft.metadata.name !== target.name) throw nameMismatch(nameOf(draft), target);
  dedupeOwners(draft, scope.warn);
  // First, so that fields from defaults and admission have no owner.
  await scope.pace.pause();
  await own(scope, target, undefined, draft, options);
  await scope.pace.pause();
  const attributes = attributesOf(scope, "CREATE", target, draft, undefined, options);
  await mutate(scope, attributes);
  resetStatus(draft, resource);
  resource.strategy.prepareForCreate?.(draft, strategyContext(scope, target));
  try {
    await scope.pace.pause();
    await allocate(scope, attributes);
    await scope.pace.pause();
    await checkObject(scope, draft, undefined, target);
    await scope.pace.pause();
    await validate(scope, attributes);
    await scope.pace.pause();
    return await store(scope, target, draft, { ...options, isNamed });
  } finally {
    release(scope, attributes);
  }
}

/**
 * Prepares a create that was requested as an update or apply of an absent object. It requires the permission
 * to create. A uid or resourceVersion would refer to another object, and is a conflict.
 */
function prepareCreateByUpdate(
  { services }: Scope,
  metadata: DraftObject["metadata"],
  { resource, name }: Target,
  { ownsFields, createAccess }: WriteOptions,
): void {
  if (createAccess !== undefined && !services.authorizer.authorize(createAccess).allowed)
    throw refusal(createAccess);
  delete metadata.resourceVersion;
  if (metadata.uid === undefined) return;
  const why =
    ownsFields === true
      ? `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`
      : `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: `;
  throw errors.conflict(resource.name, name, why);
}

async function store(
  scope: Scope,
  target: Target,
  draft: DraftObject,
  { dryRun, isNamed }: { readonly dryRun: boolean; readonly isNamed: boolean },
): Promise<Written> {
  const { services } = scope;
  const { resource, namespace } = target;
  if (dryRun) {
    if (services.store.read(resource.key(namespace, nameOf(draft))) !== undefined)
      throw alreadyExists(scope, draft, target);
    return asWritten(await rehearse(target, draft), true);
  }
  for (let attempt = 1; ; attempt++) {
    const written = await tryCommit(scope, target, draft, 0);
    if (written !== undefined) return asWritten(written, true);
    // The winning write may not be readable yet: after AlreadyExists, a GET must find the object.
    await services.store.commit([]);
    const { generateName } = draft.metadata;
    if (generateName === undefined || isNamed || attempt >= nameAttempts)
      throw alreadyExists(scope, draft, target);
    draft.metadata.name = generatedName(generateName, services.env.random);
  }
}

/**
 * Reads, changes and writes an object, and repeats this after a conflict. `change` gets the stored object and
 * returns a fresh draft each time; the resourceVersion in the draft is the one that it was made for.
 */
export async function update(
  scope: Scope,
  target: Target,
  change: (old: KubeObject) => Promise<DraftObject> | DraftObject,
  options: WriteOptions,
): Promise<Written> {
  const { store, codec } = scope.services;
  const { resource, namespace, name } = target;
  const key = resource.key(namespace, name);
  for (let attempt = 1; attempt <= updateAttempts; attempt++) {
    const entry = store.read(key);
    if (entry === undefined) throw errors.notFound(resource.name, name);
    scope.pace.note(entry.value.length);
    const old = await resource.shown(codec.decode(entry));
    await scope.pace.pause();
    const draft = await change(old);
    await scope.pace.pause();
    const written = await tryUpdate(scope, target, draft, { old, entry }, options);
    if (written !== undefined) return asWritten(written, false);
    // The winning write may not be readable yet, because reads show only durable states. A change made for
    // the old revision then fails the check above; one that is computed from the object is computed again.
    await store.commit([]);
  }
  throw errors.modified(resource.name, name);
}

/** Updates an object of a kind that is stored in the form that clients see. */
export async function updateOf<O extends object, I extends object>(
  scope: Scope,
  kind: Kind<O, I>,
  { namespace, name, subresource }: Omit<Target, "resource">,
  change: (old: KubeObject<O>) => DraftObject,
  options: WriteOptions,
): Promise<WrittenOf<O>> {
  const target = { resource: scope.services.resources.of(kind), namespace, name, subresource };
  // Safe: the kind's schema has decoded all objects of its resource.
  const written = await update(scope, target, (old) => change(old as KubeObject<O>), options);
  return written as WrittenOf<O>;
}

/** Resolves to undefined after a conflict. */
async function tryUpdate(
  scope: Scope,
  target: Target,
  draft: DraftObject,
  { old, entry }: { readonly old: KubeObject; readonly entry: Entry },
  options: WriteOptions,
): Promise<Shown | undefined> {
  const { services } = scope;
  await prepareUpdate(scope, target, draft, old, options);
  await scope.pace.pause();
  const attributes = attributesOf(scope, "UPDATE", target, draft, old, options);
  await mutate(scope, attributes);
  // Again, because admission must not change parts that this endpoint does not write.
  carryOver(draft, old, target);
  if (followsStrategy(target)) {
    target.resource.strategy.prepareForUpdate?.(draft, old, strategyContext(scope, target));
    bumpGeneration(draft, old, target.resource);
  }
  try {
    await scope.pace.pause();
    await allocate(scope, attributes);
    await scope.pace.pause();
    await checkObject(scope, draft, old, target);
    await scope.pace.pause();
    await validate(scope, attributes);
    const next: KubeObject = draft;
    await scope.pace.pause();
    if (unchanged(next, old)) return { object: old, encoded: undefined };
    const before = { stored: services.codec.decode(entry), shown: old };
    if (options.dryRun) return await rehearse(target, next, before);
    return mayGo(next, target.resource)
      ? await tryRemove(scope, target, entry, next)
      : await tryCommit(scope, target, draft, entry.revision, before);
  } finally {
    release(scope, attributes);
  }
}

function asWritten({ object, encoded }: Shown, created: boolean): Written {
  return { object, encoded, created };
}

/** Runs the steps before admission: restores immutable parts, and computes the field owners. */
async function prepareUpdate(
  scope: Scope,
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
  dedupeOwners(draft, scope.warn);
  await own(scope, target, old, draft, options);
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

/** Reports whether a terminating object can be deleted, because its last finalizer was removed. */
function mayGo(next: KubeObject, resource: ServedResource): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = next.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0)
    return false;
  return resource.strategy.blocksDeletion?.(next) !== true;
}

function nameOf(object: { readonly metadata: { readonly name?: string } }): string {
  return object.metadata.name ?? "";
}

function alreadyExists({ services }: Scope, draft: DraftObject, { resource, namespace }: Target) {
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

export function strategyContext(scope: Scope, target: Target): StrategyContext {
  return { now: scope.services.env.clock.now(), user: scope.user, subresource: target.subresource };
}

export function attributesOf(
  scope: Scope,
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
    user: scope.user,
    dryRun: options.dryRun,
    object,
    old,
    warn: scope.warn,
  };
}
