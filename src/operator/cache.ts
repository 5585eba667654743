import type { Client } from "../client/client.ts";
import type { Selection } from "../client/indexer.ts";
import { Informer } from "../client/informer.ts";
import type { Kind, ObjectOf } from "../meta/kind.ts";
import type { Env } from "../util/env.ts";
import { UndeclaredKindError } from "./errors.ts";

/** Reads from the manager's informers: at once, and possibly a moment behind. Objects are shared: never change them. */
export interface Cache {
  /** `namespace` is undefined for what has none. */
  get<K extends Kind>(kind: K, namespace: string | undefined, name: string): ObjectOf<K> | undefined;
  list<K extends Kind>(kind: K, selection?: Selection<ObjectOf<K>>): readonly ObjectOf<K>[];
}

/** One informer for each kind, however many controllers use it. Started when the manager runs and a controller asks. */
export class SharedInformers {
  readonly #client: Client;
  readonly #env: Env;
  readonly #resyncMs: number | undefined;
  readonly #informers = new Map<string, Informer<never>>();
  readonly #running: Promise<void>[] = [];

  constructor(client: Client, env: Env, resyncMs: number | undefined) {
    this.#client = client;
    this.#env = env;
    this.#resyncMs = resyncMs;
  }

  /** The kind's informer, kept until the signal of whoever asked first fires. */
  start<K extends Kind>(kind: K, signal: AbortSignal): Informer<ObjectOf<K>> {
    const known = this.find(kind);
    if (known !== undefined) return known;
    const { plural, group } = kind;
    const name = group === "" ? plural : `${plural}.${group}`;
    const informer = new Informer(this.#client.of(kind), this.#env, { name, resyncMs: this.#resyncMs });
    this.#informers.set(idOf(kind), informer as unknown as Informer<never>);
    this.#running.push(informer.run(signal));
    return informer;
  }

  find<K extends Kind>(kind: K): Informer<ObjectOf<K>> | undefined {
    // Safe: an informer is filed under the kind that its objects have.
    return this.#informers.get(idOf(kind)) as Informer<ObjectOf<K>> | undefined;
  }

  /** Resolves when all informers have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }
}

function idOf({ group, version, plural }: Kind): string {
  return `${group}/${version}/${plural}`;
}

/** The cache as one controller sees it: only what it declared is sure to be synced. */
export function cacheFor(controller: string, kinds: readonly Kind[], informers: SharedInformers): Cache {
  const declared = new Set(kinds.map(idOf));
  const read = <K extends Kind>(kind: K) => {
    const informer = declared.has(idOf(kind)) ? informers.find(kind) : undefined;
    if (informer !== undefined) return informer.cache;
    throw new UndeclaredKindError(
      `Cannot read ${kind.plural} from the cache: controller ${controller} must declare it in for, owns, watches or reads`,
    );
  };
  return {
    get: (kind, namespace, name) => read(kind).get(namespace === undefined ? name : `${namespace}/${name}`),
    list: (kind, selection) => read(kind).list(selection),
  };
}
