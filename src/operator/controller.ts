import type { Client } from "../client/client.ts";
import type { EventSink } from "../client/event-recorder.ts";
import type { Delta } from "../client/informer.ts";
import type { WorkQueue } from "../client/work-queue.ts";
import { type Kind, type KubeObject, type ObjectOf, parseGroupVersion } from "../meta/kind.ts";
import type { Env } from "../util/env.ts";
import type { Cache } from "./cache.ts";

/** The tools of one reconciliation. */
export interface Reconcile {
  /** The key from the work queue: `namespace/name`, or `name`, or a key that a watch's `map` made. */
  readonly key: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly client: Client;
  readonly cache: Cache;
  readonly events: EventSink;
  /** A log whose lines name the controller and the key. */
  readonly env: Env;
  /** Fires when the manager stops: return soon; the next run finds unfinished work again. */
  readonly signal: AbortSignal;
}

export interface ReconcileResult {
  /** The time after which the key is queued again, even without a change. */
  readonly requeueAfterMs?: number | undefined;
}

/** A further kind whose objects matter to a controller. */
export interface Watch<K extends Kind> {
  readonly kind: K;
  /** Only the objects that this selector chooses are watched, and are in the cache for this controller. */
  readonly fieldSelector?: string;
  /** Returns the keys that an object concerns. Called for the state before and the state after a change. */
  map(object: ObjectOf<K>, cache: Cache): Iterable<string>;
  /** Returns true for a change that queues keys. Default: every change does. */
  filter?(delta: Delta<ObjectOf<K>>, cache: Cache): boolean;
  /** Sees every change before `map` is called, for example to update expectations. */
  observe?(delta: Delta<ObjectOf<K>>): void;
}

export interface ControllerOptions<K extends Kind, W extends readonly Kind[]> {
  /** The controller's name in logs and events. */
  readonly name: string;
  /** The kind that is reconciled: any change of an object queues its key. */
  readonly for: K;
  /** Only the objects that this selector chooses are reconciled, and are in the cache for this controller. */
  readonly fieldSelector?: string;
  /** Returns true for a change of the reconciled kind that queues its key. Default: every change does. */
  readonly filter?: (delta: Delta<ObjectOf<K>>, cache: Cache) => boolean;
  /** Kinds that the reconciler creates: a change of an object queues the key of its managing owner. */
  readonly owns?: readonly Kind[];
  readonly watches?: { readonly [I in keyof W]: Watch<W[I]> };
  /** Further kinds that the reconciler reads from the cache. */
  readonly reads?: readonly Kind[];
  /** The number of keys that are reconciled at a time; never one key twice. Default 1. */
  readonly workers?: number;
  /** The source of its events. Default: the name. */
  readonly eventSource?: string;
  /** Runs beside the workers, once the caches are synced, for work that no watch triggers. Ends with the signal. */
  readonly run?: (
    context: Omit<Reconcile, "key" | "namespace" | "name"> & { queue: WorkQueue },
  ) => Promise<void>;
  /**
   * Makes the cluster match the object under the key. A reconciler looks at the state, not at the event: it may run
   * without a cause, and once for many changes. Any error is retried with growing delays, except a `TerminalError`.
   */
  readonly reconcile: (request: Reconcile) => Promise<ReconcileResult | void>;
}

/** A controller, defined. Make one for each manager if the controller keeps state in a closure. */
export interface Controller extends Omit<
  ControllerOptions<Kind, readonly Kind[]>,
  "watches" | "owns" | "fieldSelector" | "filter"
> {
  /** The watches that queue keys, the reconciled kind first. */
  readonly sources: readonly Watch<Kind>[];
  /** The kinds that the controller only reads. */
  readonly reads: readonly Kind[];
}

/**
 * Defines a controller.
 *
 *     export const podCounter = controller({
 *       name: "pod-counter",
 *       for: deployments,
 *       owns: [replicaSets],
 *       watches: [{ kind: pods, map: (pod) => [`${pod.metadata.namespace}/${pod.metadata.labels?.app}`] }],
 *       async reconcile({ namespace, name, cache, client }) { … },
 *     });
 */
export function controller<K extends Kind, const W extends readonly Kind[] = readonly []>(
  options: ControllerOptions<K, W>,
): Controller {
  const { for: reconciled, fieldSelector, filter, owns = [], watches = [], reads = [], ...rest } = options;
  const itself = {
    kind: reconciled,
    map: keyOfItself,
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(filter === undefined ? {} : { filter }),
  };
  const further = owns.map((kind) => ({ kind, map: controllerOf(reconciled) }));
  // Methods take objects of any kind by their types; the runner hands each watch only objects of its own kind.
  const sources: readonly Watch<Kind>[] = [itself, ...further, ...watches];
  return { ...rest, for: reconciled, sources, reads };
}

function keyOfItself({ metadata }: KubeObject): readonly string[] {
  return [ownerKey(metadata.namespace, metadata.name ?? "")];
}

/** Maps an object to its managing owner, if the owner is of the given kind, in any version. */
export function controllerOf({ group, kind, namespaced }: Kind): (object: KubeObject) => readonly string[] {
  return ({ metadata }) => {
    const owner = metadata.ownerReferences?.find((one) => one.controller === true);
    if (owner === undefined || owner.kind !== kind) return [];
    if (parseGroupVersion(owner.apiVersion)?.group !== group) return [];
    return [ownerKey(namespaced ? metadata.namespace : undefined, owner.name)];
  };
}

function ownerKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}
