import { readlink } from "node:fs/promises";
import { join } from "node:path";

/** The number of links that Linux follows before it returns ELOOP. */
const maxLinks = 40;

/**
 * Resolves `path` as if `root` were the root directory. Symbolic links are followed inside `root`, and `..`
 * stops there, so that a hostile archive cannot name anything outside. The result need not exist.
 *
 * Safe only while no other process changes the tree; an importer works in a private directory.
 * @throws Error when links loop.
 */
export async function resolveInRoot(root: string, path: string): Promise<string> {
  const pending = path.split("/").reverse();
  const resolved: string[] = [];
  let links = 0;
  while (pending.length > 0) {
    const part = pending.pop();
    if (part === undefined || part === "" || part === ".") continue;
    if (part === "..") {
      resolved.pop();
      continue;
    }
    const target = await linkTarget(join(root, ...resolved, part));
    if (target === undefined) {
      resolved.push(part);
      continue;
    }
    if (++links > maxLinks) throw new Error(`Cannot resolve ${path}: too many symbolic links`);
    if (target.startsWith("/")) resolved.length = 0;
    pending.push(...target.split("/").reverse());
  }
  return join(root, ...resolved);
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined; // Not a link, or missing.
  }
}
