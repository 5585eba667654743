import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, normalize } from "node:path";
import { setImmediate } from "node:timers/promises";
import { ownerFor } from "../../util/own-ids.ts";
import { at, Descriptors, openTrusted } from "../safe-path/descriptors.ts";
import { codeOf, openInside } from "../safe-path/open-inside.ts";
import { removeTree } from "../safe-path/remove-tree.ts";
import { RuntimeError } from "../runtime.ts";

/** One file of a volume that is made from API objects. */
export interface VolumeFile {
  /** Relative to the volume. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly mode: number;
  /** The owner. Default: root. */
  readonly user?: number | undefined;
}

const directoryMode = 0o755;
/** Bytes. */
const large = 64 << 10;
/** Files read or written between two turns of the event loop. */
const filesATurn = 64;

/**
 * Writes a volume's files so that a reader sees either all old or all new ones (kubelet
 * `volume/util/atomic_writer`). Files are in a directory named by a counter, `..data` is a link to that
 * directory, and each file of the volume is a link through `..data`. One rename of `..data` changes them all.
 * Files belong to `group`, if given.
 *
 * No link in the volume is followed, because a privileged container could have written it.
 *
 * Large contents are read and written asynchronously, through open descriptors. Calls for a small file take
 * microseconds, less than a round trip to a thread: they are synchronous, with turns of the event loop in
 * between.
 */
export async function writeAtomically(
  directory: string,
  files: readonly VolumeFile[],
  group?: number,
): Promise<void> {
  for (const { path } of files) checkPath(path);
  const volume = openTrusted(directory);
  try {
    const old = currentName(volume);
    if (old !== undefined && (await isCurrent(volume, old, files))) return;
    const fresh = `..${Number(old?.slice(2) ?? 0) + 1}`;
    await removeTree(volume, fresh);
    await writeFiles(volume, fresh, files, group);
    await removeTree(volume, "..data_tmp");
    await symlink(fresh, at(volume, "..data_tmp"));
    await makeWay(volume, "..data");
    await rename(at(volume, "..data_tmp"), at(volume, "..data"));
    await linkVisible(volume, files);
    if (old !== undefined) await removeTree(volume, old);
  } finally {
    closeSync(volume);
  }
}

function checkPath(path: string): void {
  const clean = normalize(path);
  if (path === "" || clean.startsWith("..") || clean.startsWith("/")) {
    throw new RuntimeError("CreateContainerConfigError", `invalid path in a volume: ${JSON.stringify(path)}`);
  }
}

/** Returns the directory that `..data` points to, if this writer created it. */
function currentName(volume: number): string | undefined {
  const name = linkTarget(volume, "..data");
  return name !== undefined && /^\.\.\d{1,15}$/.test(name) ? name : undefined;
}

function linkTarget(volume: number, name: string): string | undefined {
  try {
    return readlinkSync(at(volume, name));
  } catch (error) {
    if (["ENOENT", "EINVAL"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

async function isCurrent(volume: number, name: string, files: readonly VolumeFile[]): Promise<boolean> {
  const open = new Descriptors();
  try {
    const data = open.add(openInside(volume, name, { scope: "beneath" }));
    const present = await readdir(at(data), { recursive: true, withFileTypes: true });
    if (present.filter((entry) => !entry.isDirectory()).length !== files.length) return false;
    for (const [index, file] of files.entries()) {
      if (!(await isWritten(data, file))) return false;
      if ((index + 1) % filesATurn === 0) await setImmediate();
    }
    return true;
  } catch {
    return false; // A file is missing or has another type: all are written again.
  } finally {
    open.close();
  }
}

async function isWritten(data: number, { path, content, mode }: VolumeFile): Promise<boolean> {
  const file = openInside(data, path, { scope: "beneath" });
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || (stat.mode & 0o7777) !== mode || stat.size !== content.length) return false;
    const present = stat.size < large ? readFileSync(at(file)) : await readFile(at(file));
    return present.equals(content);
  } finally {
    closeSync(file);
  }
}

async function writeFiles(
  volume: number,
  name: string,
  files: readonly VolumeFile[],
  group: number | undefined,
): Promise<void> {
  await mkdir(at(volume, name));
  const root = openInside(volume, name, { scope: "beneath" });
  try {
    await chmod(at(root), directoryMode);
    for (const [index, file] of files.entries()) {
      await writeOne(root, file, group);
      if ((index + 1) % filesATurn === 0) await setImmediate();
    }
  } finally {
    closeSync(root);
  }
}

async function writeOne(
  root: number,
  { path, content, mode, user = 0 }: VolumeFile,
  group: number | undefined,
): Promise<void> {
  const create = { last: "directory", mode: directoryMode } as const;
  const clean = normalize(path);
  const open = new Descriptors();
  try {
    const parent = open.add(openInside(root, dirname(clean), { scope: "beneath", create }));
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const file = open.add(openSync(at(parent, basename(clean)), flags, 0o600));
    if (content.length < large) writeFileSync(file, content);
    else await writeFile(at(file), content);
    // A rootless node refuses containers of users that it does not have.
    if (group !== undefined || user !== 0) fchownSync(file, ...ownerFor(user, group ?? 0));
    fchmodSync(file, mode); // Exact, whatever the umask; after chown, which clears bits.
  } finally {
    open.close();
  }
}

/** Makes the visible links, one for each first path segment. */
async function linkVisible(volume: number, files: readonly VolumeFile[]): Promise<void> {
  const wanted = new Set(files.map(({ path }) => normalize(path).split("/")[0] ?? ""));
  for (const name of await readdir(at(volume))) {
    if (!name.startsWith("..") && !wanted.has(name)) await removeTree(volume, name);
  }
  for (const name of wanted) {
    const target = `..data/${name}`;
    if (linkTarget(volume, name) === target) continue;
    await removeTree(volume, name);
    await symlink(target, at(volume, name));
  }
}

/** Removes a directory, because a link cannot replace it. */
async function makeWay(volume: number, name: string): Promise<void> {
  const stat = lstatSync(at(volume, name), { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) await removeTree(volume, name);
}
