import { createReadStream, lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { posix } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Tree, TreeNode } from "./tree/tree.ts";
import { nodeOf } from "./tree/directory-tree.ts";
import type { LayerEntry } from "./write-layer.ts";

export interface LayerDiff {
  /** The files of the ended container, which nothing changes. */
  readonly merged: string;
  /** The directory that overlayfs wrote to. */
  readonly upper: string;
  /** The image's files. */
  readonly lower: Tree;
  /** The latest time of a file in seconds; SOURCE_DATE_EPOCH. */
  readonly latest: number | undefined;
}

/** Paths that the runtime makes or mounts for each container. */
const ownPaths = new Set(["dev", "proc", "sys", "etc/hosts", "etc/hostname", "etc/resolv.conf"]);
const maxEntries = 1_000_000;
const maxDepth = 200;
/** Entries between two turns of the event loop. */
const entriesATurn = 128;

/** Returns the layer of the files that a container has added, changed and removed. @throws Error */
export async function layerDiff(diff: LayerDiff): Promise<readonly LayerEntry[]> {
  const walk = new DiffWalk(diff);
  await walk.directory("", 0);
  return walk.entries;
}

class DiffWalk {
  readonly entries: LayerEntry[] = [];
  readonly #diff: LayerDiff;
  /** The first path of each file with several names. */
  readonly #linked = new Map<number, string>();
  #visited = 0;

  constructor(diff: LayerDiff) {
    this.#diff = diff;
  }

  async directory(path: string, depth: number): Promise<void> {
    if (depth > maxDepth) throw new Error(`/${path}: directories are nested too deeply`);
    const { merged, lower } = this.#diff;
    const names = new Set(readdirSync(posix.join(merged, path)));
    for (const name of names) {
      if (++this.#visited % entriesATurn === 0) await setImmediate();
      const child = posix.join(path, name);
      if (ownPaths.has(child)) continue;
      if (name.startsWith(".wh."))
        throw new Error(`/${child}: a layer cannot contain names that begin with .wh.`);
      await this.#compare(child, depth);
    }
    const before = lower.lookup(path)?.type === "directory" ? lower.list(path) : [];
    for (const name of before) {
      const child = posix.join(path, name);
      if (!names.has(name) && !ownPaths.has(child)) this.#remove(path, name);
    }
  }

  async #compare(path: string, depth: number): Promise<void> {
    const stat = lstatSync(posix.join(this.#diff.merged, path));
    const now = nodeOf(stat);
    const before = this.#diff.lower.lookup(path);
    const written = lstatSync(posix.join(this.#diff.upper, path), { throwIfNoEntry: false });
    if (now.type === "directory") {
      if (before?.type !== "directory" || !sameOwner(now, before)) this.#add(path, stat, now);
      // A directory that was not written to is the image's, unless a renamed directory contains it.
      if (written !== undefined || before === undefined || !sameFile(now, before))
        await this.directory(path, depth + 1);
      return;
    }
    if (written !== undefined || before === undefined || !sameFile(now, before)) this.#add(path, stat, now);
  }

  #add(path: string, stat: Stats, node: TreeNode): void {
    const { merged, latest } = this.#diff;
    const { mode, uid, gid } = node;
    const seconds = Math.floor(stat.mtimeMs / 1000);
    const time = latest === undefined ? seconds : Math.min(seconds, latest);
    const common = { path, mode, uid, gid, time };
    const source = posix.join(merged, path);
    const first = node.type === "file" && stat.nlink > 1 ? this.#linked.get(stat.ino) : undefined;
    if (node.type === "file" && stat.nlink > 1 && first === undefined) this.#linked.set(stat.ino, path);
    if (first !== undefined) this.#push({ ...common, type: "link", linkName: first });
    else if (node.type === "file")
      this.#push({ ...common, type: "file", size: node.size, open: () => createReadStream(source) });
    else if (node.type === "directory") this.#push({ ...common, type: "directory" });
    else if (node.type === "symlink")
      this.#push({ ...common, type: "symlink", linkName: readlinkSync(source) });
    else if (stat.isFIFO()) this.#push({ ...common, type: "fifo" });
    else if (!stat.isSocket()) throw new Error(`/${path}: a layer with a device is not supported`);
  }

  #remove(path: string, name: string): void {
    this.#push({ path: posix.join(path, `.wh.${name}`), type: "file", mode: 0, uid: 0, gid: 0, size: 0 });
  }

  #push(entry: LayerEntry): void {
    this.entries.push(entry);
    if (this.entries.length > maxEntries)
      throw new Error(`the command changed more than ${maxEntries} files`);
  }
}

function sameOwner(a: TreeNode, b: TreeNode): boolean {
  return a.mode === b.mode && a.uid === b.uid && a.gid === b.gid;
}

function sameFile(a: TreeNode, b: TreeNode): boolean {
  return a.type === b.type && a.size === b.size && a.mtimeMs === b.mtimeMs && sameOwner(a, b);
}
