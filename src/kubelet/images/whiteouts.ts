import { lstat, mkdir, readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { whiteout, type SpecialFile } from "./make-nodes.ts";
import { resolveInRoot } from "./resolve-in-root.ts";

/**
 * Returns the whiteouts that hide the `removed` paths and all lower content of `opaque` directories.
 *
 * overlayfs has an attribute for opaque directories, but Node cannot set attributes. Hiding every lower name
 * has the same effect, and is correct because a layer directory belongs to one chain of layers (its chain
 * ID).
 */
export async function hideLower(
  root: string,
  lower: readonly string[],
  removed: readonly string[],
  opaque: readonly string[],
): Promise<readonly SpecialFile[]> {
  const marks: SpecialFile[] = [];
  const cleared = await Promise.all(opaque.map((path) => resolveInRoot(root, path)));
  /** Paths whose lower content is hidden as a whole: further removals below them are redundant. */
  const hidden = new Set(cleared);
  for (const path of removed.toSorted((a, b) => a.length - b.length)) {
    const parent = await resolveInRoot(root, dirname(path));
    const target = join(parent, basename(path));
    if (isWithin(parent, hidden, root)) continue;
    hidden.add(target);
    const own = await lstat(target).catch(() => undefined);
    if (own === undefined) {
      await mkdir(parent, { recursive: true });
      marks.push(whiteout(target));
    } else if (own.isDirectory()) {
      await hideContent(root, lower, relative(root, target), marks); // Removed and created again in one layer.
    }
  }
  for (const path of cleared) await hideContent(root, lower, relative(root, path), marks);
  return [...new Map(marks.map((mark) => [mark.path, mark])).values()];
}

/** Reports if a path, or a directory on the way to it from the root, is one of these. */
function isWithin(path: string, these: ReadonlySet<string>, root: string): boolean {
  for (let at = path; at.length >= root.length; at = dirname(at)) if (these.has(at)) return true;
  return false;
}

async function hideContent(
  root: string,
  lower: readonly string[],
  path: string,
  marks: SpecialFile[],
): Promise<void> {
  const names = new Set<string>();
  for (const layer of lower) {
    const below = await lowerDirectory([layer], path);
    if (below !== undefined) for (const name of await readdir(below)) names.add(name);
  }
  for (const name of names) {
    const own = await lstat(join(root, path, name)).catch(() => undefined);
    if (own === undefined) marks.push(whiteout(join(root, path, name)));
    else if (own.isDirectory()) await hideContent(root, lower, join(path, name), marks);
  }
}

/** Returns the topmost directory at `path`. Links are not followed, as in overlayfs. */
export async function lowerDirectory(layers: readonly string[], path: string): Promise<string | undefined> {
  for (const layer of layers) {
    if (await isRealDirectory(layer, path)) return join(layer, path);
  }
  return undefined;
}

async function isRealDirectory(root: string, path: string): Promise<boolean> {
  let at = root;
  for (const part of path.split("/")) {
    at = join(at, part);
    const stat = await lstat(at).catch(() => undefined);
    if (!stat?.isDirectory()) return false;
  }
  return true;
}
