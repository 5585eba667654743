import { type Namespace, namespaces } from "../api/core/namespace/schema.ts";
import { type Node, nodes } from "../api/core/node/schema.ts";
import { type Pod, pods } from "../api/core/pod/schema.ts";
import {
  type PodDisruptionBudget,
  podDisruptionBudgets,
} from "../api/policy/pod-disruption-budget/schema.ts";
import { allSynced } from "../client/all-synced.ts";
import type { Client } from "../client/client.ts";
import { Informer } from "../client/informer.ts";
import type { Kind, KubeObject, ObjectOf } from "../meta/kind.ts";
import { type Cache, cacheOf, SharedInformers } from "../operator/cache.ts";
import { UndeclaredKindError } from "../operator/errors.ts";
import type { Env } from "../util/env.ts";
import type { EventHandlers } from "./event-handlers.ts";
import { ownerSources, type Source } from "./owner-sources.ts";
import type { Owners } from "./owners.ts";

/** All that a scheduler reads of the cluster. */
export class Informers {
  /** The Pods that have not ended: others take no room. */
  readonly pods: Informer<Pod>;
  readonly budgets: Informer<PodDisruptionBudget>;
  /** The objects of the kinds that plugins read. */
  readonly cache: Cache;
  readonly #nodes: Informer<Node>;
  readonly #namespaces: Informer<Namespace>;
  readonly #owners: readonly Source[];
  /** The kinds that plugins read. */
  readonly #others: SharedInformers;
  /** The callbacks of plugins, by the kind that they observe. */
  readonly #observers = new Map<Kind, ((object: KubeObject) => void)[]>();
  #running: readonly Promise<void>[] = [];

  /** `owners` is kept up to date. */
  constructor(client: Client, env: Env, owners: Owners) {
    const fieldSelector = "status.phase!=Succeeded,status.phase!=Failed";
    this.pods = new Informer(client.of(pods), env, { name: "pods", fieldSelector });
    this.budgets = new Informer(client.of(podDisruptionBudgets), env, { name: "poddisruptionbudgets" });
    this.#nodes = new Informer(client.of(nodes), env, { name: "nodes" });
    this.#namespaces = new Informer(client.of(namespaces), env, { name: "namespaces" });
    this.#owners = ownerSources(client, env, owners);
    this.#others = new SharedInformers(client, env, undefined);
    this.cache = cacheOf((kind) => this.#others.find({ kind }) ?? undeclared(kind));
  }

  /** Calls back after each change of an object of a kind that a plugin reads, before the handlers. */
  readonly observe = <K extends Kind>(kind: K, see: (object: ObjectOf<K>) => void): void => {
    const known = this.#observers.get(kind) ?? [];
    // Safe: the observers of a kind get objects of this kind alone.
    this.#observers.set(kind, [...known, see as (object: KubeObject) => void]);
  };

  /** Starts all informers, also of the kinds in `reads`. Resolves once they are synced or the signal has fired. */
  async start(handlers: EventHandlers, reads: readonly Kind[], signal: AbortSignal): Promise<void> {
    this.#nodes.addHandler((delta) => handlers.seeNode(delta));
    this.pods.addHandler((delta) => handlers.seePod(delta));
    this.#namespaces.addHandler((delta) => handlers.seeNamespace(delta));
    const sources = [this.#nodes, this.pods, this.#namespaces, this.budgets, ...this.#owners];
    this.#running = sources.map((one) => one.run(signal));
    await allSynced(signal, ...sources, ...reads.map((kind) => this.#follow(kind, handlers, signal)));
  }

  /** Resolves when all informers have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running, this.#others.ended()]);
  }

  /** Starts the informer of a kind that a plugin reads; once for each kind. */
  #follow<K extends Kind>(kind: K, handlers: EventHandlers, signal: AbortSignal): Informer<ObjectOf<K>> {
    const known = this.#others.find({ kind });
    if (known !== undefined) return known;
    const informer = this.#others.start({ kind }, signal);
    informer.addHandler((delta) => {
      for (const see of this.#observers.get(kind) ?? []) see(delta.object);
      handlers.seeObject(kind, delta);
    });
    return informer;
  }
}

function undeclared({ plural }: Kind): never {
  throw new UndeclaredKindError(`Cannot read ${plural} from the cache: the plugin must declare it in reads`);
}
