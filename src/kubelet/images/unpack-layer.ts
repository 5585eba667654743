import { createWriteStream } from "node:fs";
import { chmod, lchown, link, lstat, lutimes, mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import tar, { type Header } from "tar-stream";
import { isInUserNamespace, ownerFor } from "../../util/own-ids.ts";
import { makeNodes, type SpecialFile } from "./make-nodes.ts";
import { resolveInRoot } from "./resolve-in-root.ts";
import { hideLower, lowerDirectory } from "./whiteouts.ts";

/** The files of a layer; each takes an inode and a place in memory. */
const maxEntries = 2_000_000;

type Attributes = Partial<Pick<Header, "mode" | "uid" | "gid" | "mtime">>;

/** The unpacking of a layer into `root`. `lower` are the layers below, topmost first. */
interface Unpacking {
  readonly root: string;
  readonly lower: readonly string[];
  /** Paths from the root that this layer removes, and directories whose lower content it hides. */
  readonly removed: string[];
  readonly opaque: string[];
  nodes: SpecialFile[];
  /** Applied last: a write into a directory changes its time, and its mode may forbid writes. */
  readonly directories: Map<string, Attributes>;
}

/**
 * Unpacks a layer archive into the empty directory `root`, in overlayfs' form. Modes, owners (as root),
 * times, hard links and device nodes are kept; extended attributes are not.
 *
 * Nothing is written outside `root`: `..` in a name is refused, and links in a path are resolved inside.
 * @throws Error when the archive is malformed or hostile.
 */
export async function unpackLayer(archive: Readable, root: string, lower: readonly string[]): Promise<void> {
  const layer: Unpacking = { root, lower, removed: [], opaque: [], nodes: [], directories: new Map() };
  const extract = tar.extract();
  const done = pipeline(archive, extract);
  done.catch(() => {}); // Thrown below; without a handler the rejection could be reported as unhandled first.
  let entries = 0;
  for await (const entry of extract) {
    if (++entries > maxEntries) throw new Error(`Cannot unpack a layer of more than ${maxEntries} files`);
    await unpackEntry(layer, entry.header, entry);
    entry.resume();
  }
  await done;
  await makeNodes(await hideLower(layer.root, layer.lower, layer.removed, layer.opaque));
  await makeNodes(layer.nodes);
  for (const { path } of layer.nodes) await chownIfRoot(path, { uid: 0, gid: 0 });
  for (const [path, header] of [...layer.directories].reverse()) await applyAttributes(path, header);
}

/** Returns the path from the root that an entry names. @throws Error when it contains `..`. */
export function entryPath(name: string): string {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new Error(`Cannot unpack ${name}: it leaves the archive`);
  return parts.join("/");
}

async function unpackEntry(layer: Unpacking, header: Header, content: AsyncIterable<unknown>): Promise<void> {
  const path = entryPath(header.name);
  const base = path.slice(path.lastIndexOf("/") + 1);
  const parent = path.slice(0, Math.max(0, path.length - base.length - 1));
  if (base === ".wh..wh..opq") return void layer.opaque.push(parent);
  if (base.startsWith(".wh..wh.")) return; // aufs bookkeeping
  if (base.startsWith(".wh.")) return void layer.removed.push(join(parent, base.slice(4)));
  if (path === "") return void layer.directories.set(layer.root, header);

  const directory = await ensureDirectory(layer, parent);
  const target = join(directory, base);
  await makeRoom(layer, target, header.type === "directory");
  await writeEntry(layer, target, header, content);
}

async function writeEntry(
  layer: Unpacking,
  target: string,
  header: Header,
  content: AsyncIterable<unknown>,
): Promise<void> {
  switch (header.type) {
    case "directory":
      await mkdir(target, { recursive: true });
      layer.directories.set(target, header);
      return;
    case "symlink":
      await symlink(header.linkname, target);
      await chownIfRoot(target, header);
      return lutimes(target, header.mtime, header.mtime);
    case "link": {
      const source = entryPath(header.linkname);
      const directory = await resolveInRoot(layer.root, dirname(source));
      return link(join(directory, source.slice(source.lastIndexOf("/") + 1)), target);
    }
    case "character-device":
    case "block-device":
    case "fifo":
      // No user namespace may make devices. Containers get theirs from the runtime.
      if (isInUserNamespace && header.type !== "fifo") return;
      layer.nodes.push({
        path: target,
        type: header.type === "fifo" ? "fifo" : header.type === "block-device" ? "block" : "character",
        mode: header.mode & 0o7777,
        major: header.devmajor,
        minor: header.devminor,
      });
      return;
    case "file":
    case "contiguous-file":
      // `wx` follows no link at the target.
      await pipeline(content, createWriteStream(target, { flags: "wx", mode: 0o600 }));
      return applyAttributes(target, header);
    default: // The parser handles pax and GNU headers.
  }
}

/**
 * Creates missing parent directories with their attributes from the layers below, because overlayfs shows
 * only the topmost.
 */
async function ensureDirectory(layer: Unpacking, path: string): Promise<string> {
  const target = await resolveInRoot(layer.root, path);
  const missing: string[] = [];
  for (let at = target; at !== layer.root; at = dirname(at)) {
    const stat = await lstat(at).catch(() => undefined);
    if (stat?.isDirectory()) break;
    if (stat !== undefined) throw new Error(`Cannot unpack into ${path}: not a directory`);
    missing.push(at);
  }
  for (const directory of missing.reverse()) {
    await mkdir(directory, { mode: 0o755 });
    const below = await lowerDirectory(layer.lower, directory.slice(layer.root.length + 1));
    if (below !== undefined) {
      layer.directories.set(directory, await lstat(below));
    }
  }
  return target;
}

/**
 * Removes the target, because a later entry replaces an earlier one of the same name; directories merge.
 * Pending work on paths below the target is dropped: the new entry may be a link, which would lead that work
 * out of the root.
 */
async function makeRoom(layer: Unpacking, target: string, forDirectory: boolean): Promise<void> {
  const stat = await lstat(target).catch(() => undefined);
  if (stat === undefined || (forDirectory && stat.isDirectory())) return;
  await rm(target, { recursive: true });
  const gone = (path: string) => path === target || path.startsWith(`${target}/`);
  layer.nodes = layer.nodes.filter((node) => !gone(node.path));
  for (const path of layer.directories.keys()) if (gone(path)) layer.directories.delete(path);
}

async function applyAttributes(path: string, header: Attributes): Promise<void> {
  await chownIfRoot(path, header);
  await chmod(path, (header.mode ?? 0o644) & 0o7777); // After chown, which clears setuid.
  await lutimes(path, header.mtime ?? 0, header.mtime ?? 0);
}

async function chownIfRoot(path: string, owner: Attributes): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid = 0, gid = 0 } = owner;
  // What belongs to an ID that a rootless node does not have stays root's, as podman's `ignore_chown_errors` does it.
  await lchown(path, ...ownerFor(uid, gid));
}
