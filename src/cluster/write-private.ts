import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Owner } from "./invoking-user.ts";

export interface WriteOptions {
  /** Default 0600. */
  readonly mode?: number;
  /** Default: the account of this process. */
  readonly owner?: Owner | undefined;
}

/**
 * Writes a file atomically and durably, readable by nobody else at any time. The temporary file has an
 * unpredictable name, is created by this call, and is changed through its descriptor: no other user can plant
 * a link there to have another file overwritten or given away.
 */
export function writePrivate(path: string, text: string, { mode = 0o600, owner }: WriteOptions = {}): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeSync(descriptor, text);
      if (owner !== undefined) fchownSync(descriptor, owner.uid, owner.gid);
      if (mode !== 0o600) fchmodSync(descriptor, mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates a directory and its missing parents. Only created directories get the owner. */
export function makePrivateDirectory(path: string, owner: Owner | undefined): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined || owner === undefined) return;
  let folder = dirname(first);
  for (const name of relative(folder, path).split(sep)) {
    folder = join(folder, name);
    const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    fchownSync(descriptor, owner.uid, owner.gid);
    closeSync(descriptor);
  }
}
