import { posix } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isPattern, matchesName } from "./tree/glob.ts";
import type { Ignore } from "./tree/ignore.ts";
import { cleanParts, resolveInTree, type Tree, type TreeNode } from "./tree/tree.ts";
import type { LayerEntry } from "./write-layer.ts";

/** A COPY or ADD whose words are expanded. */
export interface Copy {
  readonly from: Tree;
  /** Files of the context that are not seen. */
  readonly ignore: Ignore | undefined;
  readonly sources: readonly string[];
  readonly destination: string;
  /** The stage's files so far. */
  readonly into: Tree;
  readonly workingDir: string;
  readonly owner: { readonly uid: number; readonly gid: number };
  /** Overrides the modes of the files. */
  readonly mode: number | undefined;
}

/** Files of one COPY; more would be a mistake, or an attack. */
const maxEntries = 1_000_000;
/** Entries between two turns of the event loop. */
const entriesATurn = 128;
const maxDepth = 200;

/** Returns the layer's entries of a COPY, by upstream's rules for directories, patterns and links. @throws Error */
export async function copyFiles(copy: Copy): Promise<readonly LayerEntry[]> {
  const sources = copy.sources.flatMap((source) => found(copy, source));
  const [only] = sources;
  const wanted = posix.resolve(copy.workingDir || "/", copy.destination);
  const target = resolveInTree(copy.into, wanted);
  const present = copy.into.lookup(target);
  const isFolder = /(^|\/)\.{0,2}$/.test(copy.destination) || present?.type === "directory";
  const takesMany = sources.length > 1 || copy.sources.length > 1 || copy.sources.some(isPattern);
  if (takesMany && sources.length > 1 && !/(^|\/)\.{0,2}$/.test(copy.destination))
    throw new Error(
      "When using COPY with more than one source file, the destination must be a directory and end with a /",
    );
  const entries = new Entries(copy);
  const intoFolder = isFolder || only?.node.type === "directory";
  entries.addMissing(intoFolder ? target : posix.dirname(target));
  for (const { path, node } of sources) {
    if (node.type === "directory") await entries.addContent(path, target, 0);
    else entries.add(path, node, intoFolder ? posix.join(target, posix.basename(path)) : target);
  }
  return entries.values();
}

interface Source {
  readonly path: string;
  readonly node: TreeNode;
}

function found(copy: Copy, source: string): readonly Source[] {
  const parts = cleanParts(source);
  const paths = isPattern(source) ? expandPattern(copy.from, parts) : [parts.join("/")];
  const sources = paths.flatMap((path) => {
    // Links of the source itself are followed, those in a directory are copied.
    const resolved = resolveInTree(copy.from, path);
    const node = copy.from.lookup(resolved);
    const isHidden = resolved !== "" && copy.ignore?.ignores(resolved) === true;
    // Files below an ignored directory may be exceptions.
    const isOut = isHidden && !(node?.type === "directory" && copy.ignore?.hasExceptions === true);
    return node === undefined || isOut ? [] : [{ path: resolved, node }];
  });
  if (sources.length === 0) throw new Error(`${JSON.stringify(`/${parts.join("/")}`)}: not found`);
  return sources;
}

function expandPattern(tree: Tree, parts: readonly string[]): readonly string[] {
  let paths = [""];
  for (const part of parts) {
    paths = paths.flatMap((path) => {
      const directory = resolveInTree(tree, path);
      if (tree.lookup(directory)?.type !== "directory") return [];
      return tree
        .list(directory)
        .filter((name) => matchesName(part, name))
        .map((name) => posix.join(directory, name));
    });
  }
  return paths;
}

class Entries {
  readonly #copy: Copy;
  readonly #entries = new Map<string, LayerEntry>();

  constructor(copy: Copy) {
    this.#copy = copy;
  }

  values(): readonly LayerEntry[] {
    return [...this.#entries.values()];
  }

  /** Adds the directories on the way to `path` that the stage does not have. @throws Error where one is a file */
  addMissing(path: string): void {
    const parts = cleanParts(path);
    for (const index of parts.keys()) {
      const directory = parts.slice(0, index + 1).join("/");
      const present = this.#copy.into.lookup(directory);
      if (present === undefined)
        this.#put({ path: directory, type: "directory", mode: 0o755, ...this.#copy.owner });
      else if (present.type !== "directory")
        throw new Error(`cannot copy to /${directory}: it is not a directory`);
    }
  }

  add(path: string, node: TreeNode, target: string): void {
    const { from, into, owner, mode } = this.#copy;
    const to = cleanParts(target).join("/");
    const present = into.lookup(to);
    if (to === "" || present?.type === "directory")
      throw new Error(`cannot copy to /${to}: it is a directory, and the source is not`);
    if (node.type === "symlink")
      this.#put({ path: to, type: "symlink", mode: 0o777, ...owner, linkName: from.readLink(path) });
    else if (node.type === "file")
      this.#put({
        path: to,
        type: "file",
        mode: mode ?? node.mode,
        ...owner,
        size: node.size,
        open: () => from.open(path),
      });
    // Sockets, pipes and devices are left out, as in contexts that are sent to a daemon.
  }

  async addContent(path: string, target: string, depth: number): Promise<void> {
    if (depth > maxDepth) throw new Error(`/${path}: directories are nested too deeply`);
    const { from, ignore, into, owner, mode } = this.#copy;
    for (const name of from.list(path)) {
      if (this.#entries.size % entriesATurn === 0) await setImmediate();
      const child = posix.join(path, name);
      const node = from.lookup(child);
      const isHidden = ignore?.ignores(child) === true;
      if (node === undefined || (isHidden && !(node.type === "directory" && ignore?.hasExceptions))) continue;
      const to = cleanParts(posix.join(target, name)).join("/");
      if (node.type !== "directory") {
        this.add(child, node, to);
        continue;
      }
      // A link of the stage at this path is followed, as its daemon would.
      const resolved = resolveInTree(into, to);
      const present = into.lookup(resolved);
      if (present !== undefined && present.type !== "directory")
        throw new Error(`cannot copy to /${resolved}: it is not a directory`);
      if (!isHidden) this.#put({ path: resolved, type: "directory", mode: mode ?? node.mode, ...owner });
      await this.addContent(child, resolved, depth + 1);
    }
  }

  #put(entry: LayerEntry): void {
    this.#entries.set(entry.path, entry);
    if (this.#entries.size > maxEntries) throw new Error(`more than ${maxEntries} files`);
  }
}
