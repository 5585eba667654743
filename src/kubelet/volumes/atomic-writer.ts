import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";
import { RuntimeError } from "../runtime.ts";

/** One file of a volume made from objects. */
export interface VolumeFile {
  /** Relative, below the volume. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly mode: number;
}

/**
 * Writes a volume's files so that a reader sees all old or all new ones (kubelet `volume/util/atomic_writer`):
 * files lie in a directory named by a counter, `..data` points there, and each file of the volume points
 * through `..data`. One rename of `..data` changes them all.
 */
export function writeAtomically(directory: string, files: readonly VolumeFile[]): void {
  for (const { path } of files) checkPath(path);
  if (isCurrent(directory, files)) return;
  const data = join(directory, "..data");
  const old = existsSync(data) ? readlinkSync(data) : undefined;
  const fresh = `..${Number(old?.slice(2) ?? 0) + 1}`;
  const target = join(directory, fresh);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true, mode: 0o755 });
  for (const { path, content, mode } of files) {
    const file = join(target, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    writeFileSync(file, content);
    // The mode is exact, whatever the umask.
    chmodSync(file, mode);
  }
  const next = join(directory, "..data_tmp");
  rmSync(next, { force: true });
  symlinkSync(fresh, next);
  renameSync(next, data);
  linkVisible(directory, files);
  if (old !== undefined && old !== fresh) rmSync(join(directory, old), { recursive: true, force: true });
}

function checkPath(path: string): void {
  const clean = normalize(path);
  if (path === "" || clean.startsWith("..") || clean.startsWith("/")) {
    throw new RuntimeError("CreateContainerConfigError", `invalid path in a volume: ${JSON.stringify(path)}`);
  }
}

function isCurrent(directory: string, files: readonly VolumeFile[]): boolean {
  const data = join(directory, "..data");
  if (!existsSync(data)) return false;
  const present = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return (
    present.length === files.length &&
    files.every(({ path, content, mode }) => {
      const file = join(data, path);
      return (
        existsSync(file) && (lstatSync(file).mode & 0o7777) === mode && readFileSync(file).equals(content)
      );
    })
  );
}

/** What users see: one link for each first path segment. */
function linkVisible(directory: string, files: readonly VolumeFile[]): void {
  const wanted = new Set(files.map(({ path }) => normalize(path).split("/")[0] ?? ""));
  for (const name of readdirSync(directory)) {
    if (!name.startsWith("..") && !wanted.has(name)) rmSync(join(directory, name), { force: true });
  }
  for (const name of wanted) {
    const link = join(directory, name);
    if (!existsSync(link)) symlinkSync(join("..data", name), link);
  }
}
