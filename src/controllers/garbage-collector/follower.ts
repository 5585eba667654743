import type { UntypedObject } from "../../client/client.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { type ListerWatcher, Reflector, type ReflectorTarget } from "../../client/reflector.ts";
import { hasReason } from "../../meta/status.ts";
import { type Clock, sleep } from "../../util/clock.ts";
import type { Env } from "../../util/env.ts";
import type { OwnerGraph } from "./graph.ts";

/** Longer than a discovery takes. */
const removedMs = 5000;

/**
 * Keeps the graph up to date with one resource. Only the graph's data is kept: a cache of all objects of all
 * kinds would be most of a cluster's memory.
 */
export class Follower {
  readonly #resource: DiscoveredResource;
  readonly #graph: OwnerGraph;
  readonly #look: (uids: Iterable<string>) => void;
  readonly #reflector: Reflector<UntypedObject>;
  readonly #uids = new Set<string>();
  readonly #synced = Promise.withResolvers<void>();
  readonly #stop = new AbortController();

  /** `look` receives the UIDs that a change makes worth processing. */
  constructor(
    source: ListerWatcher<UntypedObject>,
    resource: DiscoveredResource,
    graph: OwnerGraph,
    look: (uids: Iterable<string>) => void,
    env: Env,
  ) {
    this.#resource = resource;
    this.#graph = graph;
    this.#look = look;
    const target: ReflectorTarget<UntypedObject> = {
      replace: (items) => this.#replace(items),
      apply: ({ type, object }) => {
        if (type === "DELETED") this.#remove(object.metadata.uid ?? "");
        else this.#set(object);
      },
    };
    this.#reflector = new Reflector(patient(source, env.clock), target, env, { name: resource.plural });
  }

  get resource(): DiscoveredResource {
    return this.#resource;
  }

  /** Resolves once the initial state is in the graph. Never rejects. */
  whenSynced(): Promise<void> {
    return this.#synced.promise;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(AbortSignal.any([signal, this.#stop.signal]));
  }

  /** Stops because the resource is no longer served, and removes its objects from the graph. */
  leave(): void {
    this.#stop.abort();
    for (const uid of this.#uids) this.#remove(uid);
  }

  #replace(items: readonly UntypedObject[]): void {
    const present = new Set(items.map(({ metadata }) => metadata.uid ?? ""));
    for (const uid of this.#uids) if (!present.has(uid)) this.#remove(uid);
    for (const item of items) this.#set(item);
    this.#synced.resolve();
  }

  #set(object: UntypedObject): void {
    this.#uids.add(object.metadata.uid ?? "");
    this.#look(this.#graph.set(object, this.#resource));
  }

  #remove(uid: string): void {
    this.#uids.delete(uid);
    this.#look(this.#graph.remove(uid));
  }
}

/** Delays a watch after NotFound: the kind has been removed, and the next discovery stops its follower. */
function patient(source: ListerWatcher<UntypedObject>, clock: Clock): ListerWatcher<UntypedObject> {
  return {
    list: (options) => source.list(options),
    async *watch(options) {
      try {
        yield* source.watch(options);
      } catch (error) {
        if (!hasReason(error, "NotFound")) throw error;
        await sleep(clock, removedMs, options.signal);
      }
    },
  };
}
