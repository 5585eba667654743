import type { Readable } from "node:stream";

/** A file of a tree, without following a link. */
export interface TreeNode {
  readonly type: "file" | "directory" | "symlink" | "other";
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Bytes. */
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Files that a build copies from: a context, or the layers of an image. Paths are relative to its root, without
 * `.`, `..` and empty parts. No call follows a link, so that nothing leads out of the tree.
 */
export interface Tree {
  lookup(path: string): TreeNode | undefined;
  /** Returns the names in a directory, sorted. */
  list(path: string): readonly string[];
  readLink(path: string): string;
  /** Opens a file. @throws Error if it is not a file any more */
  open(path: string): Readable;
  readText(path: string, maxBytes: number): string | undefined;
}

/** The number of links that Linux follows before it returns ELOOP. */
const maxLinks = 40;

/** Returns the parts of a path as if the root were `/`: `..` stops there. */
export function cleanParts(path: string): readonly string[] {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return parts;
}

/**
 * Returns a path without links, which are followed inside the tree. Parts that do not exist are kept.
 * @throws Error when links loop
 */
export function resolveInTree(tree: Tree, path: string): string {
  const pending = path.split("/").reverse();
  const resolved: string[] = [];
  let links = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      resolved.pop();
      continue;
    }
    const at = [...resolved, part].join("/");
    if (tree.lookup(at)?.type !== "symlink") {
      resolved.push(part);
      continue;
    }
    if (++links > maxLinks) throw new Error(`${path}: too many levels of symbolic links`);
    const target = tree.readLink(at);
    if (target.startsWith("/")) resolved.length = 0;
    pending.push(...target.split("/").reverse());
  }
  return resolved.join("/");
}
