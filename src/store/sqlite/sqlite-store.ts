import { FutureRevisionError, StoreClosedError, StoreFailedError, StoreOpenError } from "../errors.ts";
import type { Commit } from "../index/history.ts";
import { planCommit } from "../index/plan-commit.ts";
import { Retention } from "../index/retention.ts";
import type { VersionedIndex } from "../index/versioned-index.ts";
import { nextRevision, toRevision } from "../revision.ts";
import {
  type Change,
  changedKey,
  type Entry,
  type Expectation,
  type ListOptions,
  type Page,
  type Revision,
  type Store,
  type StoreOptions,
  type Write,
} from "../store.ts";
import type { ObsoleteRow } from "./calls.ts";
import { GroupCommit } from "./group-commit.ts";
import { load, type Loaded } from "./load.ts";
import { packRows } from "./rows.ts";
import { WriterThread } from "./writer-thread.ts";

/** A compaction runs in steps of this many rows, so that commits wait for one step and not for the whole. */
const obsoletePerStep = 512;

/**
 * The default store: an index in memory, and one SQLite file that a worker thread writes. Only one process at
 * a time can open the file.
 */
export class SqliteStore implements Store {
  readonly #clock;
  readonly #stamp;
  readonly #thread: WriterThread;
  readonly #index: VersionedIndex;
  readonly #retention: Retention;
  readonly #group: GroupCommit;
  /**
   * The newest change of every key that commits in progress change. Expectations are checked against it
   * first.
   */
  readonly #underWay = new Map<string, Change>();
  /** The newest revision assigned to a commit. A failed commit's revision is not reused. */
  #assigned: Revision;
  #obsolete: ObsoleteRow[];
  #compaction = Promise.resolve();
  /**
   * The size of a failed write, until a write of that size succeeds: a full disk may still accept small ones.
   */
  #failing: number | undefined;
  #probing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  private constructor(thread: WriterThread, { index, obsolete }: Loaded, options: StoreOptions) {
    this.#clock = options.clock;
    this.#stamp = options.stamp;
    this.#thread = thread;
    this.#index = index;
    this.#obsolete = obsolete;
    this.#assigned = index.revision;
    this.#retention = new Retention(options, index.history, (before) => this.compact(before));
    this.#group = new GroupCommit({
      write: async (rows) => {
        const packed = packRows(rows);
        const { byteLength } = packed;
        if (rows.length > 0) await this.#write(byteLength, () => thread.call("write", packed, [packed]));
      },
      apply: (commit) => this.#apply(commit),
      abandon: () => this.#underWay.clear(),
    });
    this.#retention.notice();
    void thread.ended.then(() => this.#onThreadEnd());
  }

  /**
   * Opens a file, or creates it with its folder, readable by this user alone. `thread` may have been started
   * before.
   * @throws StoreOpenError
   */
  static async open(file: string, options: StoreOptions, thread = new WriterThread()): Promise<SqliteStore> {
    try {
      const compacted = toRevision(await thread.call("open", file));
      return new SqliteStore(thread, await load(thread, compacted), options);
    } catch (cause) {
      await thread.terminate();
      throw new StoreOpenError(file, cause);
    }
  }

  get revision(): Revision {
    return this.#index.revision;
  }

  get compacted(): Revision {
    return this.#index.compacted;
  }

  read(key: string, at?: Revision): Entry | undefined {
    return this.#index.read(key, at);
  }

  list(prefix: string, options?: ListOptions): Page {
    return this.#index.list(prefix, options);
  }

  async commit(writes: readonly Write[], expectations: readonly Expectation[] = []): Promise<Revision> {
    this.#index.checkOpen();
    this.#group.checkRoom();
    const revision = nextRevision(this.#assigned);
    const lookup = (key: string) => this.#newest(key);
    const { nursery } = this.#index;
    const changes = planCommit({ lookup, revision, stamp: this.#stamp, nursery }, writes, expectations);
    if (changes.length > 0) this.#assigned = revision;
    // A commit without changes may still depend on commits in progress, and must not be acknowledged before
    // them.
    else if (this.#group.idle) return this.revision;
    for (const change of changes) this.#underWay.set(changedKey(change), change);
    await this.#group.add({ revision, time: this.#clock.now(), changes });
    return changes.length > 0 ? revision : this.revision;
  }

  watch(prefix: string, after: Revision, signal: AbortSignal): AsyncIterable<readonly Change[]> {
    return this.#index.watch(prefix, after, signal);
  }

  /** Returns at once, because no other process can write. */
  async sync(): Promise<Revision> {
    this.#index.checkOpen();
    return this.revision;
  }

  /** One write at a time tests the disk, however many callers probe while the disk refuses. */
  async probe(): Promise<void> {
    this.#index.checkOpen();
    const bytes = this.#failing;
    if (bytes === undefined) return;
    this.#probing ??= this.#write(bytes, () => this.#thread.call("probe", bytes)).finally(
      () => (this.#probing = undefined),
    );
    await this.#probing.catch((cause: unknown) => {
      throw new StoreFailedError(cause);
    });
  }

  async compact(before: Revision): Promise<void> {
    this.#index.checkOpen();
    if (before > this.revision) throw new FutureRevisionError(before, this.revision);
    const turn = this.#compaction.then(() => this.#compactTo(before));
    this.#compaction = turn.catch(() => {});
    await turn;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #write(bytes: number, write: () => Promise<void>): Promise<void> {
    try {
      await write();
      if (bytes >= (this.#failing ?? 0)) this.#failing = undefined;
    } catch (error) {
      this.#failing = bytes;
      throw error;
    }
  }

  #newest(key: string): Entry | undefined {
    const change = this.#underWay.get(key);
    if (change === undefined) return this.#index.get(key);
    return change.type === "put" ? change.entry : undefined;
  }

  #apply(commit: Commit): void {
    this.#index.apply(commit);
    for (const change of commit.changes) {
      const key = changedKey(change);
      if (this.#underWay.get(key) === change) this.#underWay.delete(key);
    }
    this.#retention.notice();
  }

  /**
   * Readers lose the history when its rows are deleted. If the disk fails meanwhile, the next compaction
   * deletes the rest.
   */
  async #compactTo(before: Revision): Promise<void> {
    if (before <= this.compacted) return;
    const commits = this.#index.history.between(this.compacted, before);
    let step: ObsoleteRow[] = [];
    for (const row of obsoleteRows(this.#obsolete, commits)) {
      if (step.push(row) < obsoletePerStep) continue;
      await this.#compactStep(before, step);
      step = [];
    }
    await this.#compactStep(before, step);
    this.#obsolete = [];
    await this.#index.compact(before);
    await this.#tidy();
  }

  /**
   * Runs only without commits in progress, because the next writes reuse free pages. After a refusal of the
   * disk it is retried later.
   */
  async #tidy(): Promise<void> {
    const tidyStep = () => this.#thread.call("tidy", undefined).catch(() => false);
    while (this.#group.idle && this.#closing === undefined && (await tidyStep()));
  }

  async #compactStep(compacted: Revision, obsolete: readonly ObsoleteRow[]): Promise<void> {
    if (this.#closing !== undefined) throw new StoreClosedError();
    try {
      await this.#thread.call("compact", { compacted, obsolete });
    } catch (cause) {
      throw new StoreFailedError(cause);
    }
  }

  async #close(): Promise<void> {
    this.#index.refuse();
    this.#retention.stop();
    await this.#group.add({ revision: this.revision, time: 0, changes: [] }).catch(() => {});
    await this.#compaction;
    this.#index.close();
    // A dead thread has released the file.
    await this.#thread.call("close", undefined).catch(() => {});
    await this.#thread.ended;
  }

  #onThreadEnd(): void {
    this.#closing ??= Promise.resolve();
    this.#retention.stop();
    this.#index.close();
  }
}

/** Returns the rows that no reader needs once the last of these commits is the oldest readable one. */
function* obsoleteRows(left: readonly ObsoleteRow[], commits: readonly Commit[]): Generator<ObsoleteRow> {
  yield* left;
  for (const { revision, changes } of commits) {
    for (const { type, previous } of changes) {
      if (previous !== undefined) yield { revision: previous.revision, key: previous.key };
      if (type === "delete") yield { revision, key: previous.key };
    }
  }
}
