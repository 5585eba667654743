import { chmodSync, closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";
import { at, O_PATH } from "./descriptors.ts";

/** An error of `openInside`, with the kernel's name. `EXDEV`: the path leaves its root, as in openat2(2). */
export class PathError extends Error {
  override readonly name = "PathError";
  readonly code: string;

  constructor(path: string, code: string, why: string, cause?: unknown) {
    super(`Cannot open ${JSON.stringify(path)}: ${why}`, { cause });
    this.code = code;
  }
}

export interface InsideOptions {
  /**
   * `beneath`: a path or link that leaves the root is refused (openat2's `RESOLVE_BENEATH`). `root`: absolute
   * links begin at the root and `..` stops there (`RESOLVE_IN_ROOT`). `plain`: links and `..` above the root
   * are refused (`RESOLVE_BENEATH` with `RESOLVE_NO_SYMLINKS`).
   */
  readonly scope: "beneath" | "root" | "plain";
  /** Creates missing parts: parent directories with exactly `mode`, and `last` at the end. */
  readonly create?: { readonly last: "directory" | "file"; readonly mode: number };
}

/**
 * Linux' limits: PATH_MAX, and the links followed before ELOOP. The latter also limits the retries while
 * another process changes the tree.
 */
const maxPathLength = 4096;
const maxLinks = 40;
/** Each directory of the path is an open descriptor. */
const maxDepth = 256;
const whys = new Map([
  ["EACCES", "permission denied"],
  ["EINVAL", "invalid argument"],
  ["ELOOP", "too many levels of symbolic links"],
  ["ENAMETOOLONG", "file name too long"],
  ["ENOENT", "no such file or directory"],
  ["ENOTDIR", "not a directory"],
  ["EROFS", "read-only file system"],
  ["EXDEV", "path leads out of its root"],
]);

/**
 * Opens `path` below the directory `root` (a descriptor) without ever leaving it, whatever concurrent changes
 * the tree has: the kernel resolves one name at a time, below a descriptor and without following links. Links
 * are read and resolved here; magic links of `/proc` are resolved by their text.
 *
 * Synchronous: a walk is a few calls for each part of the path, which take microseconds and read no contents.
 * An asynchronous walk would wait for a thread at each call.
 *
 * Returns an `O_PATH` descriptor, which the caller closes. A link as the last part is followed, too.
 * @throws PathError
 */
export function openInside(root: number, path: string, options: InsideOptions): number {
  if (path.length > maxPathLength) throw failure(path, "ENAMETOOLONG");
  const walk = new Walk(root, path, options);
  try {
    walk.run();
    return walk.take();
  } finally {
    walk.close();
  }
}

class Walk {
  readonly #root: number;
  readonly #path: string;
  readonly #options: InsideOptions;
  /** The parts still to be resolved, the next part last. */
  readonly #pending: string[];
  /** The descriptors from below the root to the walk's present directory. */
  readonly #chain: number[] = [];
  #links = 0;
  #atDirectory = true;

  constructor(root: number, path: string, options: InsideOptions) {
    this.#root = root;
    this.#path = path;
    this.#options = options;
    this.#pending = path.split("/").reverse();
  }

  run(): void {
    for (let part = this.#pending.pop(); part !== undefined; part = this.#pending.pop()) {
      if (part === "" || part === "." || part === "..") this.#stay(part);
      else this.#step(part);
    }
  }

  /** Returns the descriptor of the walk's end. */
  take(): number {
    return this.#chain.pop() ?? openSync(at(this.#root), O_PATH);
  }

  close(): void {
    for (const descriptor of this.#chain.splice(0)) closeSync(descriptor);
  }

  #stay(part: string): void {
    if (!this.#atDirectory) throw failure(this.#path, "ENOTDIR");
    if (part !== "..") return;
    const descriptor = this.#chain.pop();
    if (descriptor !== undefined) closeSync(descriptor);
    else if (this.#options.scope !== "root") throw failure(this.#path, "EXDEV");
  }

  #step(part: string): void {
    if (this.#chain.length === maxDepth) throw failure(this.#path, "ENAMETOOLONG");
    const parent = this.#chain.at(-1) ?? this.#root;
    const child = this.#open(parent, part);
    if (child === undefined) return this.#again(part);
    const stat = fstatSync(child);
    if (stat.isSymbolicLink()) {
      closeSync(child);
      return this.#follow(parent, part);
    }
    this.#chain.push(child);
    this.#atDirectory = stat.isDirectory();
  }

  /**
   * Returns undefined when the part was just created, by this or another process, and must be opened again.
   */
  #open(parent: number, part: string): number | undefined {
    try {
      return openSync(at(parent, part), O_PATH | constants.O_NOFOLLOW);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || this.#options.create === undefined) throw this.#wrap(error);
      return this.#make(parent, part, this.#options.create);
    }
  }

  #make(parent: number, part: string, create: NonNullable<InsideOptions["create"]>): number | undefined {
    const isLast = this.#pending.every((left) => left === "" || left === ".");
    const makeFile = isLast && create.last === "file";
    try {
      if (makeFile) {
        // O_EXCL also refuses a link that was created meanwhile.
        closeSync(openSync(at(parent, part), "wx", 0o644));
        return undefined;
      }
      mkdirSync(at(parent, part), { mode: create.mode & 0o777 });
      const made = openSync(at(parent, part), O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
      chmodSync(at(made), create.mode & 0o7777); // Exact, whatever the umask.
      return made;
    } catch (error) {
      // Another process has created, removed or replaced it since.
      if (["EEXIST", "ENOENT", "ELOOP", "ENOTDIR"].includes(codeOf(error))) return undefined;
      throw this.#wrap(error);
    }
  }

  #follow(parent: number, part: string): void {
    if (this.#options.scope === "plain") throw failure(this.#path, "ELOOP");
    let target: string;
    try {
      target = readlinkSync(at(parent, part));
    } catch (error) {
      // It is no longer a link.
      if (["EINVAL", "ENOENT"].includes(codeOf(error))) return this.#again(part);
      throw this.#wrap(error);
    }
    this.#count();
    if (target.startsWith("/")) {
      if (this.#options.scope === "beneath") throw failure(this.#path, "EXDEV");
      this.close();
    }
    this.#pending.push(...target.split("/").reverse());
  }

  #again(part: string): void {
    this.#count();
    this.#pending.push(part);
  }

  #count(): void {
    if (++this.#links > maxLinks) throw failure(this.#path, "ELOOP");
  }

  #wrap(error: unknown): PathError {
    return failure(this.#path, codeOf(error) || "EINVAL", error);
  }
}

function failure(path: string, code: string, cause?: unknown): PathError {
  return new PathError(path, code, whys.get(code) ?? code, cause);
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
