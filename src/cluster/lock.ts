import { accessSync, constants, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errorCode } from "../util/error-code.ts";

/** SQLite's code for a lock that another connection holds. */
const sqliteBusy = 5;

/**
 * Locks a data directory for this process, by SQLite's lock of an empty database: the kernel releases it when
 * the process ends, even after a crash. Returns a function that unlocks; undefined when another process holds
 * the lock.
 */
export function lockDirectory(directory: string): (() => void) | undefined {
  const file = join(directory, "lock");
  // An existing file is never opened: closing any descriptor of it would release this process's lock.
  try {
    writeFileSync(file, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  // SQLite's own error would not say why.
  accessSync(file, constants.R_OK | constants.W_OK);
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy) return undefined;
    throw error;
  }
  return () => database.close();
}
