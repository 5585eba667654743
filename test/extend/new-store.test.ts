import { appendFile, type FileHandle, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { configMaps } from "../../src/api/index.ts";
import { hasReason } from "../../src/meta/status.ts";
import { StoreFailedError } from "../../src/store/errors.ts";
import type { Commit } from "../../src/store/index/history.ts";
import { planCommit } from "../../src/store/index/plan-commit.ts";
import { Retention } from "../../src/store/index/retention.ts";
import { SortedMap } from "../../src/store/index/sorted-map.ts";
import { VersionedIndex } from "../../src/store/index/versioned-index.ts";
import { nextRevision, noRevision } from "../../src/store/revision.ts";
import { GroupCommit } from "../../src/store/sqlite/group-commit.ts";
import type { Row } from "../../src/store/sqlite/rows.ts";
import { storeSuite } from "../../src/store/store.suite.ts";
import {
  type Change,
  changedKey,
  type Entry,
  type Expectation,
  type ListOptions,
  type Revision,
  type Store,
  type StoreOptions,
  type Write,
} from "../../src/store/store.ts";
import { put, remove, take, text } from "../../src/store/suite/values.suite.ts";
import { startWholeCluster } from "./whole-cluster.suite.ts";

/*
 * All of a new store, as docs/checklists/add-a-store.md has it: one class on top of the index, and one option of the
 * cluster. The commits that gather while the disk is busy are a line that is appended to a file. The file only grows.
 */
class LineStore implements Store {
  readonly #options: StoreOptions;
  readonly #index = new VersionedIndex(SortedMap.empty(), noRevision);
  readonly #retention: Retention;
  readonly #file: FileHandle;
  readonly #group: GroupCommit;
  /** The newest change of every key that commits under way change: expectations are checked against it first. */
  readonly #underWay = new Map<string, Change>();
  #assigned = noRevision;
  /** The length of the file's whole lines: a write that failed may have left the beginning of one. */
  #length: number;
  #failed = false;
  /** One write at a time, or one would cut off what another has appended. */
  #turn: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle, length: number, options: StoreOptions) {
    this.#options = options;
    this.#file = file;
    this.#length = length;
    this.#retention = new Retention(options, this.#index.history, (before) => this.compact(before));
    this.#group = new GroupCommit({
      write: async (rows) => (rows.length > 0 ? this.#append(`${format(rows)}\n`) : undefined),
      apply: (commit) => this.#apply(commit),
      abandon: () => this.#underWay.clear(),
    });
  }

  static async open(path: string, options: StoreOptions): Promise<LineStore> {
    const file = await open(path, "a+", 0o600);
    const bytes = await file.readFile();
    const length = bytes.lastIndexOf("\n") + 1;
    // The rest of the file is commits that were never acknowledged.
    await file.truncate(length);
    const store = new LineStore(file, length, options);
    for (const line of bytes.subarray(0, length).toString().split("\n")) store.#replay(line);
    store.#assigned = store.revision;
    store.#retention.notice();
    return store;
  }

  get revision(): Revision {
    return this.#index.revision;
  }

  get compacted(): Revision {
    return this.#index.compacted;
  }

  read(key: string, at?: Revision) {
    return this.#index.read(key, at);
  }

  list(prefix: string, options?: ListOptions) {
    return this.#index.list(prefix, options);
  }

  watch(prefix: string, after: Revision, signal: AbortSignal) {
    return this.#index.watch(prefix, after, signal);
  }

  async commit(writes: readonly Write[], expectations: readonly Expectation[] = []): Promise<Revision> {
    this.#index.checkOpen();
    const revision = nextRevision(this.#assigned);
    const { stamp, clock } = this.#options;
    const { nursery } = this.#index;
    const lookup = (key: string) => this.#newest(key);
    const changes = planCommit({ lookup, revision, stamp, nursery }, writes, expectations);
    if (changes.length > 0) this.#assigned = revision;
    for (const change of changes) this.#underWay.set(changedKey(change), change);
    await this.#group.add({ revision, time: clock.now(), changes });
    return changes.length > 0 ? revision : this.revision;
  }

  async sync(): Promise<Revision> {
    this.#index.checkOpen();
    return this.revision;
  }

  async probe(): Promise<void> {
    this.#index.checkOpen();
    if (!this.#failed) return;
    await this.#append("\n").catch((cause: unknown) => {
      throw new StoreFailedError(cause);
    });
  }

  async compact(before: Revision): Promise<void> {
    this.#index.checkOpen();
    await this.#index.compact(before);
  }

  async close(): Promise<void> {
    this.#index.refuse();
    this.#retention.stop();
    await this.#group.add({ revision: this.revision, time: 0, changes: [] }).catch(() => {});
    this.#index.close();
    await this.#file.close();
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

  #append(line: string): Promise<void> {
    const done = this.#turn.then(() => this.#write(line));
    this.#turn = done.catch(() => {});
    return done;
  }

  async #write(line: string): Promise<void> {
    try {
      if (this.#failed) await this.#file.truncate(this.#length);
      await this.#file.appendFile(line);
      await this.#file.datasync();
    } catch (error) {
      this.#failed = true;
      throw error;
    }
    this.#failed = false;
    this.#length += Buffer.byteLength(line);
  }

  #replay(line: string): void {
    if (line === "") return;
    for (const [revision, rows] of Map.groupBy(JSON.parse(line) as StoredRow[], ([revision]) => revision)) {
      const [[, time] = [revision, 0]] = rows;
      const changes = rows.map(([, , key, value]): Change => {
        const previous = this.#index.get(key);
        if (value === undefined && previous !== undefined) return { type: "delete", revision, previous };
        const created = previous?.created ?? revision;
        const entry = { key, value: Buffer.from(value ?? "", "base64"), revision, created };
        return { type: "put", revision, entry, ...(previous && { previous }) };
      });
      this.#index.apply({ revision, time, changes });
    }
  }
}

/** The value is in base64; a row without one is a delete. */
type StoredRow = readonly [revision: Revision, time: number, key: string, value?: string];

function format(rows: readonly Row[]): string {
  const stored = rows.map(({ revision, time, key, value }) => [
    revision,
    time,
    key,
    ...(value === undefined ? [] : [Buffer.from(value).toString("base64")]),
  ]);
  return JSON.stringify(stored);
}

let folder: string;
let file: string;
let files = 0;
const nextFile = () => join(folder, `${files++}.jsonl`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knarr-lines-"));
});
beforeEach(() => {
  file = nextFile();
});
afterAll(() => rm(folder, { recursive: true }));

storeSuite("line store", (options) => LineStore.open(nextFile(), options));

describe("a reopened line store", () => {
  const clock = { now: () => 0, monotonic: () => 0, after: () => ({ cancel() {} }) };
  const reopen = () => LineStore.open(file, { clock });

  test("shows what was acknowledged, and its watches go on where they were", async () => {
    let store = await reopen();
    const first = await store.commit([put("a", "1"), put("b", "1")]);
    const last = await store.commit([put("a", "2"), remove("b")]);
    const { entries } = store.list("");
    await store.close();
    store = await reopen();
    expect(store.revision).toBe(last);
    expect(store.list("").entries).toEqual(entries);
    const changes = await take(store.watch("", first, new AbortController().signal), 2);
    expect(changes.map((change) => [change.type, changedKey(change)])).toEqual([
      ["put", "a"],
      ["delete", "b"],
    ]);
    await store.close();
  });

  test("forgets a commit that was cut short", async () => {
    let store = await reopen();
    await store.commit([put("a", "1")]);
    await store.close();
    const whole = await readFile(file, "utf8");
    await appendFile(file, whole.slice(0, -1).replace("[[1,", "[[2,"));
    store = await reopen();
    expect(store.revision).toBe(1);
    await store.commit([put("b", "1")]);
    await store.close();
    store = await reopen();
    expect(store.list("").entries.map(({ key }) => key)).toEqual(["a", "b"]);
    await store.close();
  });

  test("has nothing of a commit that the disk refused, and goes on once the disk takes writes", async () => {
    let store = await reopen();
    const handle = await open(file);
    const refuse = vi.spyOn(Object.getPrototypeOf(handle), "datasync");
    await handle.close();
    await store.commit([put("a", "1")]);
    refuse.mockRejectedValueOnce(new Error("ENOSPC: no space left on device"));
    await expect(store.commit([put("a", "2")])).rejects.toThrow(StoreFailedError);
    expect(text(store.read("a"))).toBe("1");
    refuse.mockRejectedValueOnce(new Error("ENOSPC: no space left on device"));
    await expect(store.probe()).rejects.toThrow("no space left on device");
    await store.probe();
    const last = await store.commit([put("b", "1")]);
    await store.close();
    store = await reopen();
    expect([store.revision, text(store.read("a"))]).toEqual([last, "1"]);
    await store.close();
  });
});

describe("a cluster on a new store", () => {
  test("finds everything again after a restart", async () => {
    const openStore = (options: StoreOptions) => LineStore.open(file, options);
    const first = await startWholeCluster({ openStore });
    const made = await first.client
      .of(configMaps, "default")
      .create({ metadata: { name: "a" }, data: { key: "value" } });
    const { metadata } = made;
    const { resourceVersion } = metadata;
    await first.client.of(configMaps, "default").delete("kube-root-ca.crt");
    await first.cluster.stop();

    const second = await startWholeCluster({ openStore });
    const maps = second.client.of(configMaps, "default");
    expect(await maps.get("a")).toEqual(made);
    for await (const [event] of maps.watch({ resourceVersion, signal: new AbortController().signal })) {
      expect(event).toMatchObject({ type: "DELETED", object: { metadata: { name: "kube-root-ca.crt" } } });
      break;
    }
    await expect(maps.update({ ...made, metadata: { ...metadata, resourceVersion: "1" } })).rejects.toSatisfy(
      (error) => hasReason(error, "Conflict"),
    );
    await second.cluster.stop();
  });
});
