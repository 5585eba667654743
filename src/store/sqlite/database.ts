import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Chunk, Compaction } from "./calls.ts";
import { compactedChecksum, rowChecksum } from "./checksum.ts";
import { packedSize, packRows, type Row, unpackRows } from "./rows.ts";
import { schema, schemaVersion, upgrade } from "./schema.ts";

const maxProbeBytes = 8 * 2 ** 20;
const loadBytes = 4 * 2 ** 20;
/** SQLite's code for a lock that another process holds. */
const sqliteBusy = 5;
/** SQLite's codes for a file whose structure is damaged, and for one that is no database. */
const sqliteDamaged: readonly unknown[] = [11, 26];

/** The share of the file, and at least 2 MiB, that stays free for the next writes. */
const keptFree = { share: 0.25, pages: 256 };
/** About ten milliseconds of work. */
const pagesPerStep = 256;

const restoreIt = "restore the file from a backup";

/** The SQLite file. Every method blocks until the disk has answered, so it is used in a worker thread. */
export class Database {
  readonly compacted: number;
  readonly #db: DatabaseSync;
  readonly #file: string;
  /** The number of rows loaded so far. */
  #loaded = 0;
  readonly #append: StatementSync;
  readonly #load: StatementSync;
  readonly #setCompacted: StatementSync;
  readonly #remove: StatementSync;

  constructor(file: string) {
    createPrivately(file);
    this.#file = file;
    this.#db = new DatabaseSync(file);
    try {
      this.compacted = prepare(this.#db);
      this.#append = this.#db.prepare(
        "INSERT INTO log (revision, created, time, key, value, checksum) VALUES (?, ?, ?, ?, ?, ?)",
      );
      this.#load = this.#db.prepare("SELECT * FROM log WHERE position > ? ORDER BY position");
      this.#setCompacted = this.#db.prepare("UPDATE store SET compacted = ?, checksum = ?");
      this.#remove = this.#db.prepare("DELETE FROM log WHERE revision = ? AND key = ?");
    } catch (error) {
      this.#db.close();
      throw isBusy(error) ? new Error("another process has it open", { cause: error }) : this.#explain(error);
    }
  }

  /** @throws Error that names the first damaged row */
  load(after: number): Chunk {
    try {
      return this.#read(after);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #read(after: number): Chunk {
    const rows: Row[] = [];
    let last = after;
    let size = 0;
    for (const record of this.#load.iterate(after)) {
      const row = toRow(record);
      const position = Number(record["position"]);
      // Damaged pages can also show rows twice.
      if (record["checksum"] !== rowChecksum(row) || position <= last)
        throw new Error(this.#damagedRow(row, position));
      rows.push(row);
      last = position;
      size += packedSize(row);
      if (size > loadBytes) break;
    }
    this.#loaded += rows.length;
    if (rows.length === 0) this.#checkCount();
    return { rows: packRows(rows), last };
  }

  /** Counts the rows in the index, which still has rows that a damaged page hides. */
  #checkCount(): void {
    const count = this.#db.prepare("SELECT count(*) AS rows FROM log INDEXED BY log_revision").get();
    if (Number(count?.["rows"]) === this.#loaded) return;
    throw new Error(`${this.#loaded} of its ${Number(count?.["rows"])} rows can be read; ${restoreIt}`);
  }

  #damagedRow({ key, revision }: Row, position: number): string {
    const remove = `sqlite3 ${this.#file} "DELETE FROM log WHERE position = ${position}"`;
    return `${JSON.stringify(key)} at revision ${revision} is damaged: its checksum is another; ${restoreIt}, or remove this row: ${remove}`;
  }

  #explain(error: unknown): unknown {
    if (!(error instanceof Error && "errcode" in error && sqliteDamaged.includes(error.errcode)))
      return error;
    return new Error(
      `${error.message}; ${restoreIt}, or save what can be read: sqlite3 ${this.#file} .recover`,
      {
        cause: error,
      },
    );
  }

  write(packed: ArrayBuffer): void {
    this.#transact(() => {
      for (const row of unpackRows(packed)) {
        const { revision, created, time, key, value } = row;
        this.#append.run(revision, created, time, key, value ?? null, rowChecksum(row));
      }
    });
  }

  /**
   * Makes writes durable that change nothing: one to the file, which has space from earlier writes, and this
   * many bytes beside it. @throws Error when the disk refuses
   */
  probe(bytes: number): void {
    const scratch = `${this.#file}-probe`;
    try {
      writeFileSync(scratch, Buffer.alloc(Math.min(bytes, maxProbeBytes)), { mode: 0o600, flush: true });
    } finally {
      rmSync(scratch, { force: true });
    }
    this.#transact(() => this.#db.exec("UPDATE store SET compacted = compacted"));
  }

  compact({ compacted, obsolete }: Compaction): void {
    this.#transact(() => {
      this.#setCompacted.run(compacted, compactedChecksum(compacted));
      for (const { revision, key } of obsolete) this.#remove.run(revision, key);
    });
  }

  tidy(): boolean {
    const [pages, free] = [pragma(this.#db, "page_count"), pragma(this.#db, "freelist_count")];
    if (free > Math.max(keptFree.pages, pages * keptFree.share)) {
      this.#db.exec(`PRAGMA incremental_vacuum(${pagesPerStep})`);
      return true;
    }
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return false;
  }

  close(): void {
    this.#db.close();
  }

  #transact(work: () => void): void {
    this.#db.exec("BEGIN");
    try {
      work();
      this.#db.exec("COMMIT");
    } catch (error) {
      // SQLite rolls back some failures itself.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }
}

/**
 * Creates the file readable only by its owner, because objects hold secrets. SQLite gives its side files the
 * mode of the main one.
 */
function createPrivately(file: string): void {
  const folder = dirname(file);
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(dirname(folder));
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
  syncFolder(folder);
}

/** Makes the names in a folder durable. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Locks the file, checks that it is a store, and returns the compacted revision. */
function prepare(db: DatabaseSync): number {
  // The lock lasts until the file is closed, and the kernel releases it when the process dies.
  db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 8192; PRAGMA cell_size_check = ON");
  // Free pages can be returned to the file system one by one. A file that has tables adopts this when it is
  // rebuilt.
  db.exec("PRAGMA auto_vacuum = INCREMENTAL");
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = tables.map((table) => table["name"]);
  if (names.length > 0 && !(names.includes("store") && names.includes("log"))) {
    throw new Error("it is the database of another program");
  }
  const isOld = names.length > 0 && checkVersion(db) < schemaVersion;
  const mode = db.prepare("PRAGMA journal_mode = WAL").get();
  if (mode?.["journal_mode"] !== "wal") throw new Error("its file system cannot hold a write-ahead log");
  db.exec("PRAGMA synchronous = FULL");
  if (isOld) db.function("compacted_checksum", (compacted) => compactedChecksum(Number(compacted)));
  if (isOld) db.function("row_checksum", { varargs: true }, (...columns) => rowChecksum(toRow(zip(columns))));
  db.exec(`BEGIN IMMEDIATE; ${names.length === 0 ? schema : isOld ? upgrade : ""} COMMIT`);
  if (isOld) db.exec("VACUUM");
  const { compacted, checksum } = db.prepare("SELECT compacted, checksum FROM store").get() ?? {};
  if (checksum !== compactedChecksum(Number(compacted)))
    throw new Error(`its compacted revision is damaged: its checksum is another; ${restoreIt}`);
  return Number(compacted);
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function checkVersion(db: DatabaseSync): number {
  const version = Number(db.prepare("SELECT schema FROM store").get()?.["schema"]);
  if (version === 1 || version === schemaVersion) return version;
  throw new Error(`it has schema version ${version}, and this program knows up to ${schemaVersion}`);
}

function zip([revision, created, time, key, value]: readonly unknown[]): Record<string, unknown> {
  return { revision, created, time, key, value };
}

function toRow(record: Record<string, unknown>): Row {
  const value = record["value"];
  return {
    revision: Number(record["revision"]),
    created: Number(record["created"]),
    time: Number(record["time"]),
    key: String(record["key"]),
    value: value instanceof Uint8Array ? value : undefined,
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
}
