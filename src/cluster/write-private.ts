import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { randomBytes } from "node:crypto";

/**
 * Writes a file whole or not at all, durably, and never readable by others, not even for a moment. The name of the
 * file on the way cannot be guessed, and is made by this call: nobody can put a link there to have another file
 * written over.
 */
export function writePrivate(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
