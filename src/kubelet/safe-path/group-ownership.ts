import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  openSync,
  readdirSync,
  type Stats,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { at, O_PATH } from "./descriptors.ts";
import { codeOf } from "./open-inside.ts";

/** The permissions that the group gets (upstream `volume/volume_linux.go`). */
const readWrite = 0o660;
const readOnlyBits = 0o440;
const traverse = 0o110;
const setGroupId = 0o2000;

/** Entries changed between two turns of the event loop. */
const entriesATurn = 256;
/** Bytes. Listing a directory of this size takes milliseconds, so the call is asynchronous. */
const large = 1 << 20;

export interface GroupOwnership {
  readonly group: number;
  readonly readOnly: boolean;
  /** True to change nothing when the volume's root fits already (`fsGroupChangePolicy: OnRootMismatch`). */
  readonly onRootMismatch: boolean;
  /** Ends a change in progress, because a volume may hold millions of files. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gives a volume and everything below to a group. Links change themselves and are never followed, whatever
 * another process does meanwhile. The root changes last, so that an interrupted change is repeated.
 * `root` is a descriptor.
 */
export async function giveToGroup(root: number, ownership: GroupOwnership): Promise<void> {
  if (ownership.onRootMismatch && fits(fstatSync(root), ownership)) return;
  await changeBelow(root, { ...ownership, count: 0 });
  change(at(root), at(root), fstatSync(root), ownership);
}

interface Change extends GroupOwnership {
  count: number;
}

async function changeBelow(directory: number, state: Change): Promise<void> {
  const stat = fstatSync(directory);
  if (!stat.isDirectory()) return;
  const names = stat.size >= large ? await readdir(at(directory)) : readdirSync(at(directory));
  for (const name of names) await changeEntry(directory, name, state);
}

async function changeEntry(parent: number, name: string, state: Change): Promise<void> {
  if (++state.count % entriesATurn === 0) {
    await setImmediate();
    state.signal?.throwIfAborted();
  }
  let entry: number;
  try {
    entry = openSync(at(parent, name), O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return; // Removed meanwhile.
    throw error;
  }
  try {
    await changeBelow(entry, state);
    const stat = fstatSync(entry);
    change(at(parent, name), at(entry), stat, state);
  } finally {
    closeSync(entry);
  }
}

/** `link` is the name in its directory, `path` the open descriptor, which no rename can replace. */
function change(link: string, path: string, stat: Stats, { group, readOnly }: GroupOwnership): void {
  if (stat.isSymbolicLink()) return tolerateGone(() => lchownSync(link, stat.uid, group));
  chownSync(path, stat.uid, group);
  const bits = (readOnly ? readOnlyBits : readWrite) | (stat.isDirectory() ? setGroupId | traverse : 0);
  chmodSync(path, (stat.mode & 0o7777) | bits);
}

function tolerateGone(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

/** Reports whether the root has the group and the permissions already (upstream `requiresPermissionChange`). */
function fits(stat: Stats, { group, readOnly }: GroupOwnership): boolean {
  const needed = (readOnly ? readOnlyBits : readWrite) | traverse | setGroupId;
  return stat.isDirectory() && stat.gid === group && (stat.mode & needed) === needed;
}
