import { accessSync, constants, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errorCode } from "../util/error-code.ts";

/** SQLite's code for a lock that another connection holds. */
const sqliteBusy = 5;

/**
 * Locks a data directory for this process, by SQLite's lock of an empty database: the kernel drops it when the
 * process ends, however it ends. Answers with how to give it back; undefined when another process has it.
 */
export function lockDirectory(directory: string): (() => void) | undefined {
  const file = join(directory, "lock");
  // Never opened when it is there: to close any descriptor of it would drop the lock of this process.
  try {
    writeFileSync(file, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  // SQLite would only say that it is unable to open it.
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
