import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { readdir, unlink } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { at, O_PATH } from "./descriptors.ts";
import { codeOf } from "./open-inside.ts";

/** Entries removed between two turns of the event loop. */
const entriesATurn = 256;
/**
 * Bytes. Listing a directory or freeing a file of this size takes milliseconds, so the calls are
 * asynchronous.
 */
const large = 1 << 20;

/**
 * Removes the entry `name` of the directory `parent` (a descriptor), with everything below. Links are removed
 * and never followed, whatever another process does meanwhile. Mounts below are never entered.
 * @throws Error for a mount, which must be unmounted first.
 */
export async function removeTree(parent: number, name: string): Promise<void> {
  const removal = { count: 0, mount: mountOf(parent) };
  await removeEntry(removal, parent, name);
}

interface Removal {
  count: number;
  readonly mount: string;
}

async function removeEntry(removal: Removal, parent: number, name: string): Promise<void> {
  if (++removal.count % entriesATurn === 0) await setImmediate();
  let entry: number;
  try {
    entry = openSync(at(parent, name), O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  try {
    const stat = fstatSync(entry);
    const isLarge = stat.size >= large;
    if (!stat.isDirectory()) return isLarge ? await unlink(at(parent, name)) : unlinkSync(at(parent, name));
    if (mountOf(entry) !== removal.mount) throw new Error(`Cannot remove ${name}: it is a mount point`);
    const children = isLarge ? await readdir(at(entry)) : readdirSync(at(entry));
    for (const child of children) await removeEntry(removal, entry, child);
    rmdirSync(at(parent, name));
  } finally {
    closeSync(entry);
  }
}

/** Returns the mount ID of a descriptor (proc_pid_fdinfo(5)). */
function mountOf(descriptor: number): string {
  const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8");
  return /^mnt_id:\s*(\d+)$/m.exec(info)?.[1] ?? "";
}
