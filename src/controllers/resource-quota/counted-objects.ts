import type { CountedKind } from "../../api/core/resource-quota/evaluators.ts";
import type { Client, UntypedObject } from "../../client/client.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { splitKey } from "../../client/indexer.ts";
import { Reflector } from "../../client/reflector.ts";
import type { WorkQueue } from "../../client/work-queue.ts";
import { groupResource } from "../../meta/kind.ts";
import { hasReason } from "../../meta/status.ts";
import type { Env } from "../../util/env.ts";

/** The time after which a kind that is not served is looked for again. */
export const rediscoverMs = 30_000;
/** The verbs of kinds that quotas can count. */
const verbs = ["create", "delete", "list", "watch"];

/** The tools of a reconciliation. */
interface Tools {
  readonly client: Client;
  readonly env: Env;
  readonly signal: AbortSignal;
}

/** A kind that is watched because quotas count its objects. */
interface Followed {
  readonly stop: AbortController;
  /** The keys of the quotas, by namespace. */
  readonly keys: Map<string, Set<string>>;
}

/**
 * Counts objects, and queues the quotas that count a kind when an object of it is deleted. A kind is watched only
 * while a quota counts it, and none of its objects is kept.
 */
export class CountedObjects {
  /** By `plural.group`. */
  readonly #following = new Map<string, Followed>();
  /** The followed kinds of each quota. */
  readonly #kindsOf = new Map<string, ReadonlySet<string>>();
  readonly #running = new Set<Promise<void>>();
  #queue: WorkQueue | undefined;
  #served = new Map<string, DiscoveredResource>();
  #discoveredAt = Number.NEGATIVE_INFINITY;
  #discovering: Promise<void> | undefined;

  /** Sets the queue for the keys of quotas to recount. */
  attach(queue: WorkQueue): void {
    this.#queue = queue;
  }

  /** Resolves when all watches have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Watches the kinds for a quota, and no others. */
  async follow(key: string, kinds: readonly CountedKind[], tools: Tools): Promise<void> {
    const before = this.#kindsOf.get(key) ?? new Set();
    const wanted = new Set(kinds.map(groupResource));
    this.#kindsOf.set(key, wanted);
    for (const name of before) if (!wanted.has(name)) this.#leave(name, key);
    for (const kind of kinds) {
      const resource = await this.#resourceOf(kind, tools);
      if (resource !== undefined) this.#join(groupResource(kind), key, resource, tools);
    }
    if (wanted.size === 0) this.#kindsOf.delete(key);
  }

  /** Returns the number of objects in a namespace; undefined for a kind that is not served. */
  async count(kind: CountedKind, namespace: string, tools: Tools): Promise<number | undefined> {
    const resource = await this.#resourceOf(kind, tools);
    if (resource === undefined) return undefined;
    try {
      const { items, metadata } = await tools.client.resource(resource, namespace).list({ limit: 1 });
      return items.length + (metadata.remainingItemCount ?? 0);
    } catch (error) {
      if (!hasReason(error, "NotFound", "MethodNotAllowed")) throw error;
      this.#forget(groupResource(kind));
      return undefined;
    }
  }

  async #resourceOf(
    kind: CountedKind,
    { client, env, signal }: Tools,
  ): Promise<DiscoveredResource | undefined> {
    const name = groupResource(kind);
    const age = env.clock.now() - this.#discoveredAt;
    if (!this.#served.has(name) && age >= rediscoverMs) {
      this.#discovering ??= this.#discover(client, env, signal).finally(
        () => (this.#discovering = undefined),
      );
      await this.#discovering;
    }
    return this.#served.get(name);
  }

  async #discover(client: Client, { clock }: Env, signal: AbortSignal): Promise<void> {
    const discovery = await client.discovery({ signal });
    const countable = discovery
      .preferred()
      .filter((one) => one.namespaced && verbs.every((verb) => one.verbs.includes(verb)));
    this.#served = new Map(countable.map((one) => [groupResource(one), one]));
    this.#discoveredAt = clock.now();
  }

  #join(name: string, key: string, resource: DiscoveredResource, { client, env, signal }: Tools): void {
    const { namespace } = splitKey(key);
    const followed = this.#following.get(name) ?? this.#start(name, resource, client, env, signal);
    const keys = followed.keys.get(namespace);
    if (keys === undefined) followed.keys.set(namespace, new Set([key]));
    else keys.add(key);
  }

  #start(
    name: string,
    resource: DiscoveredResource,
    client: Client,
    env: Env,
    signal: AbortSignal,
  ): Followed {
    const followed: Followed = { stop: new AbortController(), keys: new Map() };
    this.#following.set(name, followed);
    const recount = (keys: Iterable<string> = []) => {
      for (const key of keys) this.#queue?.add(key);
    };
    const reflector = new Reflector<UntypedObject>(
      client.resource(resource),
      {
        // Deletions may have been missed.
        replace: () => {
          for (const keys of followed.keys.values()) recount(keys);
        },
        apply: ({ type, object }) => {
          if (type === "DELETED") recount(followed.keys.get(object.metadata.namespace ?? ""));
        },
      },
      env,
      { name },
    );
    const running = reflector.run(AbortSignal.any([signal, followed.stop.signal]));
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
    return followed;
  }

  #leave(name: string, key: string): void {
    const followed = this.#following.get(name);
    const { namespace } = splitKey(key);
    const keys = followed?.keys.get(namespace);
    if (followed === undefined || keys === undefined) return;
    keys.delete(key);
    if (keys.size === 0) followed.keys.delete(namespace);
    if (followed.keys.size === 0) this.#stop(name, followed);
  }

  /** Forgets a kind that is no longer served. */
  #forget(name: string): void {
    this.#served.delete(name);
    this.#discoveredAt = Number.NEGATIVE_INFINITY;
    const followed = this.#following.get(name);
    if (followed !== undefined) this.#stop(name, followed);
  }

  #stop(name: string, { stop }: Followed): void {
    this.#following.delete(name);
    stop.abort();
  }
}
