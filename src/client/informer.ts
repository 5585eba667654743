import type { WatchEvent } from "../meta/exchange.ts";
import type { KubeObject } from "../meta/kind.ts";
import { every } from "../util/clock.ts";
import type { Env } from "../util/env.ts";
import { yieldToSockets } from "../util/yield.ts";
import { Indexer, keyOf } from "./indexer.ts";
import { type ListerWatcher, Reflector, type ReflectorTarget } from "./reflector.ts";

/** A change of an object, as an informer saw it. */
export type Delta<O> =
  /** `initial`: the object existed when the informer synced, or when the handler was added. */
  | { readonly type: "added"; readonly object: O; readonly initial: boolean }
  /** `object` and `old` are identical when this is a resync. */
  | { readonly type: "updated"; readonly object: O; readonly old: O }
  /** `object` is the last state that was seen, which may not be the very last one. */
  | { readonly type: "deleted"; readonly object: O };

export type DeltaHandler<O> = (delta: Delta<O>) => void;

export interface InformerOptions {
  /** The name in logs. */
  readonly name: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** The interval at which every object is handed to the handlers again. Default: never. */
  readonly resyncMs?: number | undefined;
}

/** The number of deltas of one replacement that are handed out before sockets get a turn. */
const sliceSize = 500;

/**
 * A local copy of a resource that notifies its handlers of changes.
 *
 * 1. The cache is never behind what a handler was told; it is ahead only while a replaced state is handed out.
 * 2. For each object a handler sees: added, any number of updates, deleted; and so on. An object that was
 *    replaced by another of the same name is seen to be deleted and added.
 * 3. `synced` follows the handlers' calls for the initial state.
 *
 * Handlers run in the informer's loop: they note what is to be done (in a `WorkQueue`) and return.
 */
export class Informer<O extends KubeObject> {
  /** The copy, for reads only. */
  readonly cache: Pick<Indexer<O>, "get" | "list" | "size" | "keys">;
  readonly #indexer = new Indexer<O>();
  readonly #reflector: Reflector<O>;
  readonly #env: Env;
  readonly #options: InformerOptions;
  readonly #handlers = new Set<DeltaHandler<O>>();
  readonly #whenSynced = Promise.withResolvers<void>();
  #synced = false;

  constructor(source: ListerWatcher<O>, env: Env, options: InformerOptions) {
    this.cache = this.#indexer;
    this.#env = env;
    this.#options = options;
    const target: ReflectorTarget<O> = {
      replace: (items) => this.#replace(items),
      apply: (event) => this.#apply(event),
    };
    this.#reflector = new Reflector(source, target, env, options);
  }

  get hasSynced(): boolean {
    return this.#synced;
  }

  /** The revision up to which the handlers have seen every change (client-go `LastSyncResourceVersion`). */
  get lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion;
  }

  /** Resolves once the initial state was handed out. Never rejects, because a resource may be served later. */
  whenSynced(): Promise<void> {
    return this.#whenSynced.promise;
  }

  /**
   * Adds a handler. A handler that is added late gets every object that exists. Returns the function that removes the
   * handler.
   */
  addHandler(handler: DeltaHandler<O>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#indexer.list()) this.#tell(handler, { type: "added", object, initial: true });
    return () => this.#handlers.delete(handler);
  }

  /** Keeps the copy up to date until the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    const { resyncMs } = this.#options;
    const resync =
      resyncMs === undefined ? undefined : every(this.#env.clock, resyncMs, signal, () => this.#resync());
    await Promise.all([this.#reflector.run(signal), resync]);
  }

  /**
   * Changes the cache at once, then notifies the handlers that existed at that time, so that none sees a change twice.
   */
  async #replace(items: readonly O[]): Promise<void> {
    const initial = !this.#synced;
    const present = new Set(items.map(keyOf));
    const gone = this.#indexer.keys().filter((key) => !present.has(key));
    const deltas = [
      ...gone.flatMap((key) => this.#remove(key)),
      ...items.flatMap((item) => this.#put(item, initial)),
    ];
    const handlers = [...this.#handlers];
    for (const [i, delta] of deltas.entries()) {
      for (const handler of handlers) if (this.#handlers.has(handler)) this.#tell(handler, delta);
      if (i % sliceSize === sliceSize - 1) await yieldToSockets();
    }
    this.#synced = true;
    this.#whenSynced.resolve();
  }

  #apply({ type, object }: Extract<WatchEvent<O>, { type: "ADDED" | "MODIFIED" | "DELETED" }>): void {
    const deltas = type === "DELETED" ? this.#remove(keyOf(object), object) : this.#put(object, false);
    for (const delta of deltas) this.#tellAll(delta);
  }

  #put(object: O, initial: boolean): readonly Delta<O>[] {
    const key = keyOf(object);
    const old = this.#indexer.get(key);
    if (old !== undefined && old.metadata.resourceVersion === object.metadata.resourceVersion) return [];
    this.#indexer.set(object);
    if (old === undefined) return [{ type: "added", object, initial }];
    if (old.metadata.uid === object.metadata.uid) return [{ type: "updated", object, old }];
    return [
      { type: "deleted", object: old },
      { type: "added", object, initial },
    ];
  }

  /** Removes the object; `last` is the state that came with the deletion. */
  #remove(key: string, last?: O): readonly Delta<O>[] {
    const old = this.#indexer.delete(key);
    return old === undefined ? [] : [{ type: "deleted", object: last ?? old }];
  }

  #resync(): void {
    for (const object of this.#indexer.list()) this.#tellAll({ type: "updated", object, old: object });
  }

  #tellAll(delta: Delta<O>): void {
    for (const handler of this.#handlers) this.#tell(handler, delta);
  }

  /** Calls a handler, and keeps its failure from the other handlers and the informer. */
  #tell(handler: DeltaHandler<O>, delta: Delta<O>): void {
    try {
      handler(delta);
    } catch (error) {
      const { name } = this.#options;
      this.#env.log.error("A handler failed", { informer: name, key: keyOf(delta.object), error });
    }
  }
}
