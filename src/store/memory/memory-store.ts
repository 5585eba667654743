import { planCommit } from "../index/plan-commit.ts";
import { Retention } from "../index/retention.ts";
import type { State } from "../index/history.ts";
import { SortedMap } from "../index/sorted-map.ts";
import { VersionedIndex } from "../index/versioned-index.ts";
import { nextRevision, noRevision } from "../revision.ts";
import type {
  Change,
  Entry,
  Expectation,
  ListOptions,
  Page,
  Revision,
  Store,
  StoreOptions,
  Write,
} from "../store.ts";

/** A store's state at one revision, without its history. Any number of stores can start from it. */
export interface Snapshot {
  readonly revision: Revision;
  /** Never changed, only forked. */
  readonly state: State;
}

export interface MemoryStoreOptions extends StoreOptions {
  /** Starts as a fork of the store that this snapshot was taken from. */
  readonly snapshot?: Snapshot;
}

/** A store for tests and simulations. Every commit is in effect before `commit` returns its promise. */
export class MemoryStore implements Store {
  readonly #clock;
  readonly #stamp;
  readonly #index: VersionedIndex;
  readonly #retention: Retention;

  constructor(options: MemoryStoreOptions) {
    this.#clock = options.clock;
    this.#stamp = options.stamp;
    const state = options.snapshot?.state.fork() ?? SortedMap.empty<Entry>();
    this.#index = new VersionedIndex(state, options.snapshot?.revision ?? noRevision);
    this.#retention = new Retention(options, this.#index.history, (before) => this.compact(before));
  }

  get revision(): Revision {
    return this.#index.revision;
  }

  get compacted(): Revision {
    return this.#index.compacted;
  }

  /** Takes constant time: the snapshot shares everything that later commits do not change. */
  snapshot(): Snapshot {
    return { revision: this.revision, state: this.#index.snapshot() };
  }

  read(key: string, at?: Revision): Entry | undefined {
    return this.#index.read(key, at);
  }

  list(prefix: string, options?: ListOptions): Page {
    return this.#index.list(prefix, options);
  }

  async commit(writes: readonly Write[], expectations: readonly Expectation[] = []): Promise<Revision> {
    this.#index.checkOpen();
    const revision = nextRevision(this.revision);
    const lookup = (key: string) => this.#index.get(key);
    const { nursery } = this.#index;
    const changes = planCommit({ lookup, revision, stamp: this.#stamp, nursery }, writes, expectations);
    if (changes.length === 0) return this.revision;
    this.#index.apply({ revision, time: this.#clock.now(), changes });
    this.#retention.notice();
    return revision;
  }

  watch(prefix: string, after: Revision, signal: AbortSignal): AsyncIterable<readonly Change[]> {
    return this.#index.watch(prefix, after, signal);
  }

  async sync(): Promise<Revision> {
    this.#index.checkOpen();
    return this.revision;
  }

  async probe(): Promise<void> {
    this.#index.checkOpen();
  }

  async compact(before: Revision): Promise<void> {
    this.#index.checkOpen();
    await this.#index.compact(before);
  }

  async close(): Promise<void> {
    this.#retention.stop();
    this.#index.close();
  }
}
