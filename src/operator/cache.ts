import type { Client } from "../client/client.ts";
import type { Selection } from "../client/indexer.ts";
import { Informer } from "../client/informer.ts";
import { groupResource, type Kind, type ObjectOf } from "../meta/kind.ts";
import type { Env } from "../util/env.ts";
import { UndeclaredKindError } from "./errors.ts";

/** Reads from the manager's informers: at once, and possibly slightly stale. Objects are shared: never change them. */
export interface Cache {
  /** Returns the object; `namespace` is undefined for cluster-scoped objects. */
  get<K extends Kind>(kind: K, namespace: string | undefined, name: string): ObjectOf<K> | undefined;
  list<K extends Kind>(kind: K, selection?: Selection<ObjectOf<K>>): readonly ObjectOf<K>[];
}

/** The objects of an informer: all of a kind, or those that a field selector chooses. */
export interface Source<K extends Kind> {
  readonly kind: K;
  readonly fieldSelector?: string | undefined;
}

/**
 * One informer for each source, shared by all controllers. An informer starts when the manager runs and a controller
 * needs it.
 */
export class SharedInformers {
  readonly #client: Client;
  readonly #env: Env;
  readonly #resyncMs: number | undefined;
  /** Each informer by its source, which determines the type of its objects. */
  readonly #informers = new Map<string, unknown>();
  readonly #running: Promise<void>[] = [];

  constructor(client: Client, env: Env, resyncMs: number | undefined) {
    this.#client = client;
    this.#env = env;
    this.#resyncMs = resyncMs;
  }

  /** Returns the source's informer, which runs until the signal of its first caller fires. */
  start<K extends Kind>(source: Source<K>, signal: AbortSignal): Informer<ObjectOf<K>> {
    const known = this.find(source);
    if (known !== undefined) return known;
    const { kind, fieldSelector } = source;
    const options = { name: groupResource(kind), fieldSelector, resyncMs: this.#resyncMs };
    const informer = new Informer(this.#client.of(kind), this.#env, options);
    this.#informers.set(sourceId(source), informer);
    this.#running.push(informer.run(signal));
    return informer;
  }

  find<K extends Kind>(source: Source<K>): Informer<ObjectOf<K>> | undefined {
    // Safe: an informer is filed under the kind that its objects have.
    return this.#informers.get(sourceId(source)) as Informer<ObjectOf<K>> | undefined;
  }

  /** Resolves when all informers have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }
}

function idOf({ group, version, plural }: Kind): string {
  return `${group}/${version}/${plural}`;
}

function sourceId({ kind, fieldSelector = "" }: Source<Kind>): string {
  return `${idOf(kind)}?${fieldSelector}`;
}

/** The reads that a controller has declared. */
export interface Declared {
  readonly name: string;
  readonly sources: readonly Source<Kind>[];
  readonly reads: readonly Kind[];
}

/** The cache as one controller sees it: only declared kinds are sure to be synced. */
export function cacheFor({ name, sources, reads }: Declared, informers: SharedInformers): Cache {
  // A kind that the controller needs whole is read whole, even when the controller also watches a part of it.
  const all = [...sources, ...reads.map((kind): Source<Kind> => ({ kind }))];
  const declared = new Map(
    all
      .toSorted((a, b) => (b.fieldSelector ?? "").length - (a.fieldSelector ?? "").length)
      .map(({ kind, fieldSelector }) => [idOf(kind), fieldSelector]),
  );
  return cacheOf((kind) => {
    const fieldSelector = declared.get(idOf(kind));
    const informer = declared.has(idOf(kind)) ? informers.find({ kind, fieldSelector }) : undefined;
    if (informer !== undefined) return informer;
    throw new UndeclaredKindError(
      `Cannot read ${kind.plural} from the cache: controller ${name} must declare it in for, owns, watches or reads`,
    );
  });
}

/** The cache over the informers that `find` returns. */
export function cacheOf(find: <K extends Kind>(kind: K) => Pick<Informer<ObjectOf<K>>, "cache">): Cache {
  return {
    get: (kind, namespace, name) =>
      find(kind).cache.get(namespace === undefined ? name : `${namespace}/${name}`),
    list: (kind, selection) => find(kind).cache.list(selection),
  };
}
