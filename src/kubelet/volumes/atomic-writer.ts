import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, normalize } from "node:path";
import { at, openTrusted, withDescriptors } from "../safe-path/descriptors.ts";
import { codeOf, openInside } from "../safe-path/open-inside.ts";
import { removeTree } from "../safe-path/remove-tree.ts";
import { RuntimeError } from "../runtime.ts";

/** One file of a volume made from objects. */
export interface VolumeFile {
  /** Relative, below the volume. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly mode: number;
}

const directoryMode = 0o755;

/**
 * Writes a volume's files so that a reader sees all old or all new ones (kubelet `volume/util/atomic_writer`):
 * files lie in a directory named by a counter, `..data` points there, and each file of the volume points
 * through `..data`. One rename of `..data` changes them all. Files belong to `group`, if given.
 *
 * Whatever stands in the volume is followed nowhere: a privileged container could have written it.
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
    if (old !== undefined && isCurrent(volume, old, files)) return;
    const fresh = `..${Number(old?.slice(2) ?? 0) + 1}`;
    await removeTree(volume, fresh);
    writeFiles(volume, fresh, files, group);
    await removeTree(volume, "..data_tmp");
    symlinkSync(fresh, at(volume, "..data_tmp"));
    await makeWay(volume, "..data");
    renameSync(at(volume, "..data_tmp"), at(volume, "..data"));
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

/** The directory that `..data` points to, if it is one of ours. */
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

function isCurrent(volume: number, name: string, files: readonly VolumeFile[]): boolean {
  return withDescriptors((open) => {
    try {
      const data = open.add(openInside(volume, name, { scope: "beneath" }));
      const present = readdirSync(at(data), { recursive: true, withFileTypes: true });
      return (
        present.filter((entry) => !entry.isDirectory()).length === files.length &&
        files.every(({ path, content, mode }) => {
          const file = open.add(openInside(data, path, { scope: "beneath" }));
          const stat = fstatSync(file);
          return stat.isFile() && (stat.mode & 0o7777) === mode && readFileSync(at(file)).equals(content);
        })
      );
    } catch {
      return false; // Something is missing or of another kind: written anew.
    }
  });
}

function writeFiles(
  volume: number,
  name: string,
  files: readonly VolumeFile[],
  group: number | undefined,
): void {
  mkdirSync(at(volume, name));
  withDescriptors((open) => {
    const create = { last: "directory", mode: directoryMode } as const;
    const root = open.add(openInside(volume, name, { scope: "beneath" }));
    chmodSync(at(root), directoryMode);
    for (const { path, content, mode } of files) {
      const clean = normalize(path);
      const parent = open.add(openInside(root, dirname(clean), { scope: "beneath", create }));
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const file = open.add(openSync(at(parent, basename(clean)), flags, 0o600));
      writeFileSync(file, content);
      if (group !== undefined) fchownSync(file, 0, group);
      fchmodSync(file, mode); // Exact, whatever the umask; after the owner, whose change clears bits.
    }
  });
}

/** What users see: one link for each first path segment. */
async function linkVisible(volume: number, files: readonly VolumeFile[]): Promise<void> {
  const wanted = new Set(files.map(({ path }) => normalize(path).split("/")[0] ?? ""));
  for (const name of readdirSync(at(volume))) {
    if (!name.startsWith("..") && !wanted.has(name)) await removeTree(volume, name);
  }
  for (const name of wanted) {
    const target = `..data/${name}`;
    if (linkTarget(volume, name) === target) continue;
    await removeTree(volume, name);
    symlinkSync(target, at(volume, name));
  }
}

/** A directory cannot be replaced by a link. */
async function makeWay(volume: number, name: string): Promise<void> {
  const stat = lstatSync(at(volume, name), { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) await removeTree(volume, name);
}
