import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Chunk, Compaction } from "./calls.ts";
import { packedSize, packRows, type Row, unpackRows } from "./rows.ts";
import { schema, schemaVersion } from "./schema.ts";

const loadBytes = 4 * 2 ** 20;
/** SQLite's code for a lock that somebody else holds. */
const sqliteBusy = 5;

/** The file. Every method blocks until the disk has answered, so it lives in a worker thread. */
export class Database {
  readonly compacted: number;
  readonly #db: DatabaseSync;
  readonly #append: StatementSync;
  readonly #load: StatementSync;
  readonly #setCompacted: StatementSync;
  readonly #remove: StatementSync;

  constructor(file: string) {
    createPrivately(file);
    this.#db = new DatabaseSync(file);
    try {
      this.compacted = prepare(this.#db);
    } catch (error) {
      this.#db.close();
      throw isBusy(error) ? new Error("another process has it open", { cause: error }) : error;
    }
    this.#append = this.#db.prepare(
      "INSERT INTO log (revision, created, time, key, value) VALUES (?, ?, ?, ?, ?)",
    );
    this.#load = this.#db.prepare("SELECT * FROM log WHERE position > ? ORDER BY position");
    this.#setCompacted = this.#db.prepare("UPDATE store SET compacted = ?");
    this.#remove = this.#db.prepare("DELETE FROM log WHERE revision = ? AND key = ?");
  }

  load(after: number): Chunk {
    const rows: Row[] = [];
    let last = after;
    let size = 0;
    for (const record of this.#load.iterate(after)) {
      const row = toRow(record);
      rows.push(row);
      last = Number(record["position"]);
      size += packedSize(row);
      if (size > loadBytes) break;
    }
    return { rows: packRows(rows), last };
  }

  write(packed: ArrayBuffer): void {
    this.#transact(() => {
      for (const { revision, created, time, key, value } of unpackRows(packed)) {
        this.#append.run(revision, created, time, key, value ?? null);
      }
    });
  }

  compact({ compacted, obsolete }: Compaction): void {
    this.#transact(() => {
      this.#setCompacted.run(compacted);
      for (const { revision, key } of obsolete) this.#remove.run(revision, key);
    });
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
      // SQLite has rolled some failures back by itself.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }
}

/** Objects hold secrets: nobody else may read them. SQLite gives its side files the mode of the main one. */
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

/** Locks the file, makes sure that it is ours, and returns the compacted revision. */
function prepare(db: DatabaseSync): number {
  // The lock lasts until the file is closed, and the kernel drops it when the process dies.
  db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 8192");
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = tables.map((table) => table["name"]);
  if (names.length > 0 && !(names.includes("store") && names.includes("log"))) {
    throw new Error("it is the database of something else");
  }
  if (names.length > 0) checkVersion(db);
  const mode = db.prepare("PRAGMA journal_mode = WAL").get();
  if (mode?.["journal_mode"] !== "wal") throw new Error("its file system cannot hold a write-ahead log");
  db.exec("PRAGMA synchronous = FULL");
  db.exec(`BEGIN IMMEDIATE; ${names.length === 0 ? schema : ""} COMMIT`);
  return Number(db.prepare("SELECT compacted FROM store").get()?.["compacted"]);
}

function checkVersion(db: DatabaseSync): void {
  const version = Number(db.prepare("SELECT schema FROM store").get()?.["schema"]);
  if (version === schemaVersion) return;
  throw new Error(`it has schema version ${version}, and this program knows up to ${schemaVersion}`);
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
