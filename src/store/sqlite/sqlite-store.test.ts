import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { CompactedError, StoreClosedError, StoreFailedError, StoreOpenError } from "../errors.ts";
import { noRevision, toRevision } from "../revision.ts";
import type { StoreOptions } from "../store.ts";
import { storeSuite } from "../store.suite.ts";
import { collect, put, remove, take, text } from "../suite/values.suite.ts";
import { compactedChecksum } from "./checksum.ts";
import { Database } from "./database.ts";
import { unpackRows } from "./rows.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { WriterThread } from "./writer-thread.ts";

let folder: string;
let file: string;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "knarr-store-"));
});
beforeEach(() => {
  file = nextFile();
});
afterAll(() => rm(folder, { recursive: true }));

const nextFile = () => join(folder, "state", `${files++}.db`);

storeSuite("sqlite store", (options) => SqliteStore.open(nextFile(), options));

const clock = new VirtualClock();
const open = (options: Partial<StoreOptions> = {}) => SqliteStore.open(file, { clock, ...options });

/** Runs a query on the closed file. */
function query(sql: string): unknown[] {
  const db = new DatabaseSync(file);
  const rows = db.prepare(sql).all();
  db.close();
  return rows.map((row) => ({ ...row }));
}

describe("a reopened store", () => {
  test("shows the same entries, and watches resume at their revision", async () => {
    let store = await open();
    const first = await store.commit([put("a", "1"), put("é\u{1f600}", "1"), put("z\0", "")]);
    const second = await store.commit([put("a", "2"), put("b", "2")]);
    const third = await store.commit([remove("b"), put("c", "3")]);
    const entries = store.list("").entries;
    const changes = await take(store.watch("", first, new AbortController().signal), 4);
    await store.close();

    store = await open();
    expect([store.revision, store.compacted]).toEqual([third, 0]);
    expect(store.list("").entries).toEqual(entries);
    expect(text(store.read("b", second))).toBe("2");
    expect(await take(store.watch("", first, new AbortController().signal), 4)).toEqual(changes);
    await store.close();
  });

  test("continues the revisions, even when the last commits were deletes and are compacted away", async () => {
    let store = await open();
    await store.commit([put("a", "1")]);
    const last = await store.commit([remove("a")]);
    await store.close();

    store = await open();
    expect(store.revision).toBe(last);
    await store.compact(last);
    await store.close();
    expect(query("SELECT * FROM log")).toEqual([]);

    store = await open();
    expect([store.revision, store.compacted]).toEqual([last, last]);
    expect(await store.commit([put("a", "2")])).toBe(last + 1);
    await store.close();
  });

  test("returns the space of compacted rows to the file system", async () => {
    const store = await open();
    const keys = Array.from({ length: 1000 }, (_, index) => `key-${index}`);
    await store.commit(keys.map((key) => put(key, "x".repeat(10_000))));
    const last = await store.commit(keys.map((key) => remove(key)));
    const size = async (name: string) => (await stat(name)).size;
    const before = (await size(file)) + (await size(`${file}-wal`));
    expect(before).toBeGreaterThan(8_000_000);
    await store.compact(last);
    expect(await size(file)).toBeLessThan(4_000_000);
    expect(await size(`${file}-wal`)).toBe(0);
    await store.close();
  });

  test("stays compacted, and keeps only the rows that it needs", async () => {
    let store = await open();
    for (let i = 0; i < 2000; i++) void store.commit([put(`k${i % 10}`, `${i}`)]);
    const before = await store.commit([remove("k0")]);
    const last = await store.commit([put("k1", "last")]);
    await store.compact(before);
    await store.close();
    expect(query("SELECT count(*) AS rows FROM log")).toEqual([{ rows: 10 }]);

    store = await open();
    expect([store.compacted, store.revision]).toEqual([before, last]);
    expect(() => store.read("k1", toRevision(before - 1))).toThrow(CompactedError);
    expect(text(store.read("k1", before))).toBe("1991");
    expect(text(store.read("k1"))).toBe("last");
    await store.close();
  });

  test("forgets history that expired while it was closed", async () => {
    let store = await open({ historyMs: 60_000 });
    await store.commit([put("a", "1")]);
    const last = await store.commit([put("a", "2")]);
    await store.close();
    await clock.advance(120_000);
    store = await open({ historyMs: 60_000 });
    await clock.advance(6_000);
    await store.compact(noRevision);
    expect(store.compacted).toBe(last);
    await store.close();
  });

  test("finishes an interrupted compaction", async () => {
    let store = await open();
    for (const value of ["1", "2", "3"]) await store.commit([put("a", value), put("b", value)]);
    await store.commit([remove("b")]);
    await store.close();
    query(`UPDATE store SET compacted = 4, checksum = ${compactedChecksum(4)} RETURNING compacted`);

    store = await open();
    expect(store.list("").entries).toMatchObject([{ key: "a", revision: 3, created: 1 }]);
    expect(() => store.read("a", toRevision(3))).toThrow(CompactedError);
    await store.compact(await store.commit([put("c", "1")]));
    await store.close();
    expect(query("SELECT key, revision FROM log")).toEqual([
      { key: "a", revision: 3 },
      { key: "c", revision: 5 },
    ]);
  });

  test("loads more than one chunk", async () => {
    let store = await open();
    const value = Buffer.alloc(1 << 20, "x");
    for (let i = 0; i < 12; i++) void store.commit([{ type: "put", key: `${i}`, value: Buffer.from(value) }]);
    await store.commit([put("last", "")]);
    await store.close();
    store = await open();
    expect(store.list("").entries).toHaveLength(13);
    expect(store.read("7")?.value.buffer.byteLength).toBe(1 << 20);
    await store.close();
  });
});

describe("the file", () => {
  test("and its folder are readable by the owner alone", async () => {
    const store = await open();
    await store.commit([put("a", "secret")]);
    for (const suffix of ["", "-wal"]) expect((await stat(file + suffix)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "state"))).mode & 0o777).toBe(0o700);
    await store.close();
  });

  test("cannot be opened twice", async () => {
    const store = await open();
    const message = `Cannot open the store ${file}: another process has it open`;
    await expect(open()).rejects.toThrow(message);
    await store.close();
    await (await open()).close();
  });

  test("of a newer schema is refused", async () => {
    await (await open()).close();
    query("UPDATE store SET schema = 3 RETURNING schema");
    await expect(open()).rejects.toThrow("it has schema version 3, and this program knows up to 2");
  });

  test("of the version without checksums is upgraded", async () => {
    let store = await open();
    await store.commit([put("a", "1"), put("b", "1")]);
    await store.commit([remove("b")]);
    await store.close();
    for (const table of ["store", "log"]) query(`ALTER TABLE ${table} DROP COLUMN checksum`);
    query("UPDATE store SET schema = 1 RETURNING schema");
    for (let opening = 0; opening < 2; opening++) {
      store = await open();
      expect([store.revision, text(store.read("a"))]).toEqual([2, "1"]);
      await store.close();
    }
    expect(query("SELECT count(checksum) AS checksums FROM log")).toEqual([{ checksums: 3 }]);
  });

  test("with a flipped byte is refused, and the error names the object", async () => {
    const store = await open();
    await store.commit([put("a", "1"), put("b", "the treasure")]);
    await store.close();
    const bytes = await readFile(file);
    bytes.write("d", bytes.lastIndexOf("treasure") + "treasu".length);
    await writeFile(file, bytes);
    const remove = `sqlite3 ${file} "DELETE FROM log WHERE position = 2"`;
    await expect(open()).rejects.toThrow(
      `Cannot open the store ${file}: "b" at revision 1 is damaged: its checksum is another; ` +
        `restore the file from a backup, or remove this row: ${remove}`,
    );
    query("DELETE FROM log WHERE position = 2 RETURNING key");
    await (await open()).close();
  });

  test("that is damaged never opens with other content", async () => {
    const store = await open();
    for (let i = 0; i < 10; i++) await store.commit([put(`key-${i}`, `value-${i}`)]);
    await store.close();
    const whole = await readFile(file);
    let refused = 0;
    for (let offset = 0; offset < whole.length; offset += 149) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << (offset % 8)), offset);
      await writeFile(file, bytes);
      try {
        const database = new Database(file);
        const keys = [...unpackRows(database.load(0).rows)].map(
          ({ key, value }) => `${key} ${String(value)}`,
        );
        database.close();
        expect(keys).toEqual(
          Array.from(
            { length: 10 },
            (_, i) => `key-${i} ${String(new Uint8Array(Buffer.from(`value-${i}`)))}`,
          ),
        );
      } catch (error) {
        if (error instanceof Error && error.name === "AssertionError") throw error;
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(5);
  });

  test("of another program is refused and not changed", async () => {
    await (await open()).close();
    file = join(folder, "state", "foreign.db");
    query("CREATE TABLE bookmarks (url TEXT)");
    await expect(open()).rejects.toThrow("it is the database of another program");
    expect(query("PRAGMA journal_mode")).toEqual([{ journal_mode: "delete" }]);
  });

  test("that cannot be created is reported with its cause", async () => {
    await expect(SqliteStore.open("/dev/null/store.db", { clock })).rejects.toThrow(StoreOpenError);
  });

  test("is readable in an SQLite shell", async () => {
    const store = await open();
    await store.commit([put("a", "old"), put("b", "1")]);
    await store.commit([put("a", "new"), remove("b")]);
    await store.close();
    expect(query("SELECT key, value, revision, created FROM entries")).toEqual([
      { key: "a", value: "new", revision: 2, created: 1 },
    ]);
  });
});

describe("the writer thread", () => {
  test("that dies fails the commits in progress and closes the store", async () => {
    const thread = new WriterThread();
    const store = await SqliteStore.open(file, { clock }, thread);
    await store.commit([put("a", "1")]);
    const changes = collect(store.watch("", noRevision, new AbortController().signal));
    const pending = store.commit([put("b", "1")]);
    const failure = expect(pending).rejects.toThrow(StoreFailedError);
    await thread.terminate();
    await failure;
    await thread.ended;
    expect((await changes).flat()).toHaveLength(1);
    await expect(store.commit([put("c", "1")])).rejects.toThrow(StoreClosedError);
    await store.close();
    await (await open()).close();
  });
});

test("commits that arrive while the disk is busy share a transaction", async () => {
  const thread = new WriterThread();
  let writes = 0;
  const call = thread.call.bind(thread);
  thread.call = (name, argument, transfer) => {
    if (name === "write") writes++;
    return call(name, argument, transfer);
  };
  const store = await SqliteStore.open(file, { clock }, thread);
  const writer = async (id: number) => {
    for (let i = 0; i < 10; i++) await store.commit([put(`${id}/${i}`, "")]);
  };
  await Promise.all(Array.from({ length: 100 }, (_, id) => writer(id)));
  expect(writes).toBeLessThan(100);
  await store.close();
});
