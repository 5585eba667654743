import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { posix } from "node:path";
import type { Readable } from "node:stream";
import { at, O_PATH, withDescriptors } from "../../safe-path/descriptors.ts";
import { codeOf, openInside } from "../../safe-path/open-inside.ts";
import type { Tree, TreeNode } from "./tree.ts";

/**
 * A directory whose content is not trusted and may change meanwhile: every path is opened below the directory's
 * descriptor, without following links.
 */
export class DirectoryTree implements Tree {
  readonly #root: number;

  constructor(directory: string) {
    this.#root = openSync(directory, O_PATH | constants.O_DIRECTORY);
  }

  close(): void {
    closeSync(this.#root);
  }

  lookup(path: string): TreeNode | undefined {
    try {
      return this.#within(path, (descriptor) => nodeOf(fstatSync(descriptor)));
    } catch (error) {
      if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error))) return undefined;
      throw error;
    }
  }

  list(path: string): readonly string[] {
    return this.#within(path, (descriptor) => readdirSync(at(descriptor)).sort());
  }

  readLink(path: string): string {
    const { dir, base } = posix.parse(path);
    return withDescriptors((descriptors) => {
      const parent = descriptors.add(openInside(this.#root, dir, { scope: "plain" }));
      return readlinkSync(at(parent, base));
    });
  }

  open(path: string): Readable {
    return createReadStream("", { fd: this.#openFile(path) });
  }

  readText(path: string, maxBytes: number): string | undefined {
    if (this.lookup(path)?.type !== "file") return undefined;
    const file = this.#openFile(path);
    try {
      const { size } = fstatSync(file);
      if (size > maxBytes) throw new Error(`${path} has more than ${maxBytes} bytes`);
      const content = Buffer.alloc(size);
      return content.toString("utf8", 0, readSync(file, content, 0, size, 0));
    } finally {
      closeSync(file);
    }
  }

  #openFile(path: string): number {
    return this.#within(path, (descriptor) => {
      if (!fstatSync(descriptor).isFile()) throw new Error(`${path} is not a file`);
      return openSync(at(descriptor), constants.O_RDONLY | constants.O_NONBLOCK);
    });
  }

  /** Calls `work` with an `O_PATH` descriptor of the path itself, even if it is a link. */
  #within<T>(path: string, work: (descriptor: number) => T): T {
    const { dir, base } = posix.parse(path);
    return withDescriptors((descriptors) => {
      const parent = descriptors.add(openInside(this.#root, dir, { scope: "plain" }));
      if (base === "") return work(parent);
      return work(descriptors.add(openSync(at(parent, base), O_PATH | constants.O_NOFOLLOW)));
    });
  }
}

export function nodeOf(stat: Stats): TreeNode {
  const { mode, uid, gid, size, mtimeMs } = stat;
  const type = stat.isFile()
    ? "file"
    : stat.isDirectory()
      ? "directory"
      : stat.isSymbolicLink()
        ? "symlink"
        : "other";
  return { type, mode: mode & 0o7777, uid, gid, size, mtimeMs };
}
