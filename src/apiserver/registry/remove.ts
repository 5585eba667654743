import { draftOfObject } from "../resources/draft.ts";
import type { KubeObject } from "../../meta/kind.ts";
import { errors } from "../../meta/status.ts";
import { formatTime } from "../../util/clock.ts";
import { validate } from "../admission/plugin.ts";
import { rehearse, tryCommit, tryRemove } from "./commit.ts";
import type { Scope } from "./scope.ts";
import type { Shown } from "../resources/served.ts";
import type { Target } from "../resources/target.ts";
import { attributesOf } from "./write.ts";

/**
 * The outcome of a delete: the object is gone, or it is terminating because of its grace period or
 * finalizers.
 */
export interface Removed extends Shown {
  readonly gone: boolean;
}

const attempts = 30;

export async function remove(scope: Scope, target: Target, options: DeleteOptions): Promise<Removed> {
  const { store, codec } = scope.services;
  const { resource, namespace, name } = target;
  const key = resource.key(namespace, name);
  const { warning } = resource.strategy.orphansByDefault ?? {};
  if (warning !== undefined && options.propagationPolicy === undefined) scope.warn(warning);
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const entry = store.read(key);
    if (entry === undefined) throw errors.notFound(resource.name, name);
    const old = await resource.shown(codec.decode(entry));
    checkPreconditions(options, old, target);
    await validate(scope, attributesOf(scope, "DELETE", target, undefined, old, options));
    const next = planDeletion(old, target, options, scope.services.env.clock.now());
    if (next === old) return { gone: false, object: old, encoded: undefined };
    if (options.dryRun) {
      const shown = next === undefined ? { object: old, encoded: undefined } : await rehearse(target, next);
      return { gone: next === undefined, ...shown };
    }
    const written =
      next === undefined
        ? await tryRemove(scope, target, entry, old)
        : await tryCommit(scope, target, next, entry.revision);
    if (written !== undefined)
      return { gone: next === undefined, object: written.object, encoded: written.encoded };
    // The winning write may not be readable yet: an empty commit waits for it.
    await store.commit([]);
  }
  throw errors.conflict(resource.name, name, "the object has been modified; please try again");
}

/** @throws StatusError 409 when the object does not match the preconditions. */
export function checkPreconditions({ preconditions }: DeleteOptions, old: KubeObject, target: Target): void {
  const { uid, resourceVersion } = preconditions;
  // As upstream: the kind here instead of the resource.
  const { group, kind } = target.resource.kind;
  const kindName = { group, resource: kind };
  if (uid !== undefined && uid !== old.metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid}). The object might have been deleted and then recreated`;
    throw errors.conflict(kindName, target.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${old.metadata.resourceVersion}). The object might have been modified`;
    throw errors.conflict(kindName, target.name, why);
  }
}

/**
 * Returns the object after a delete: `undefined` when it is removed at once, the same object when nothing
 * changes. A second delete may only shorten the grace period (apiserver `rest.BeforeDelete`).
 */
export function planDeletion(
  old: KubeObject,
  { resource }: Target,
  options: DeleteOptions,
  now: number,
): KubeObject | undefined {
  const { strategy } = resource;
  const ending = endingOf(
    old,
    strategy.deleteGracePeriod?.(old, options.gracePeriodSeconds) ?? 0,
    options,
    now,
  );
  if (ending === "pending") return old;
  const finalizers = finalizersFor(old, options, strategy.orphansByDefault !== undefined);
  const held = finalizers.length > 0 || strategy.blocksDeletion?.(old) === true;
  if (ending.grace === 0 && !held) return undefined;

  const { deletionTimestamp, deletionGracePeriodSeconds } = old.metadata;
  const sameFinalizers = finalizers.join() === (old.metadata.finalizers ?? []).join();
  if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === ending.grace && sameFinalizers)
    return old;

  const { finalizers: _, ...others } = old.metadata;
  const metadata = finalizers.length === 0 ? others : { ...old.metadata, finalizers };
  const { generation = 0 } = old.metadata;
  const next: KubeObject = {
    ...old,
    metadata: {
      ...metadata,
      deletionTimestamp: formatTime(ending.at),
      deletionGracePeriodSeconds: ending.grace,
      // Even for kinds whose updates do not change the generation.
      ...(deletionTimestamp === undefined && generation > 0 ? { generation: generation + 1 } : {}),
    },
  };
  if (strategy.prepareForDelete === undefined) return next;
  const draft = draftOfObject(next);
  strategy.prepareForDelete(draft);
  return draft;
}

interface Ending {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Seconds. */
  readonly grace: number;
}

/** Returns the deletion time; `pending` when the object is already deleted soon enough. */
function endingOf(
  { metadata }: KubeObject,
  grace: number,
  { gracePeriodSeconds: requested }: DeleteOptions,
  now: number,
): Ending | "pending" {
  const { deletionTimestamp, deletionGracePeriodSeconds: current = 0 } = metadata;
  if (deletionTimestamp === undefined) return { at: now + grace * 1000, grace };
  const end = Date.parse(deletionTimestamp);
  if (current === 0) return { at: end, grace: 0 };
  if (requested === undefined || requested >= current) return "pending";
  // Counts from the beginning of the deletion. An overdue object still terminates gracefully, unless the
  // request has a grace period of 0.
  const at = end + (requested - current) * 1000;
  return at < now ? { at: now, grace: Math.min(requested, 1) } : { at, grace: requested };
}

/**
 * Returns the finalizers of a deleted object: the propagation policy becomes a finalizer for the garbage
 * collector.
 */
function finalizersFor(
  old: KubeObject,
  { propagationPolicy: asked }: DeleteOptions,
  orphansByDefault: boolean,
): readonly string[] {
  const present = old.metadata.finalizers ?? [];
  const isSettled = present.some((name) => name === "orphan" || name === "foregroundDeletion");
  const propagationPolicy = asked ?? (orphansByDefault && !isSettled ? "Orphan" : undefined);
  if (propagationPolicy === undefined) return present;
  const others = present.filter((name) => name !== "orphan" && name !== "foregroundDeletion");
  if (propagationPolicy === "Background") return others;
  return [...others, propagationPolicy === "Orphan" ? "orphan" : "foregroundDeletion"];
}

/** The options of one delete, from its body or else its query (`metav1.DeleteOptions`). */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun: boolean;
}
