import { closeSync, constants, openSync } from "node:fs";
import { type FileHandle, lstat, open, readdir, rename, rm } from "node:fs/promises";
import { createGzip } from "node:zlib";
import { basename, dirname, relative } from "node:path";
import { at, O_PATH } from "./descriptors.ts";
import { codeOf, openInside } from "./open-inside.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/**
 * The directory of a container's log, `<root>/<pod>/<container>`, held open. A container that can write there through a host path
 * may replace any name: every name is resolved below the descriptor, and never followed.
 */
export class LogDirectory {
  readonly #descriptor: number;

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Opens the directory of a log; undefined when it does not exist. */
  static open(log: string): LogDirectory | undefined {
    const directory = dirname(log);
    try {
      // The administrator owns the root and may have made it a link.
      const root = openSync(dirname(dirname(directory)), O_PATH | O_DIRECTORY);
      try {
        const options = { scope: "plain" } as const;
        return new LogDirectory(openInside(root, relative(dirname(dirname(directory)), directory), options));
      } finally {
        closeSync(root);
      }
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Returns the size of a regular file; undefined when there is none of that name. */
  async size(name: string): Promise<number | undefined> {
    const found = await lstat(this.#at(name)).catch(() => undefined);
    return found?.isFile() === true ? found.size : undefined;
  }

  /** Reports whether there is anything of that name. */
  async has(name: string): Promise<boolean> {
    return (await lstat(this.#at(name)).catch(() => undefined)) !== undefined;
  }

  names(): Promise<readonly string[]> {
    return readdir(at(this.#descriptor, "."));
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(this.#at(from), this.#at(to));
  }

  async remove(name: string): Promise<void> {
    await rm(this.#at(name), { force: true });
  }

  /** Replaces a file by a compressed one, `<name>.gz`, which appears when it is whole. */
  async compress(name: string): Promise<void> {
    const temporary = `${name}.tmp`;
    const from = await open(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    let to: FileHandle | undefined;
    try {
      if (!(await from.stat()).isFile()) throw new Error(`${name} is not a regular file`);
      to = await open(this.#at(temporary), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o640);
      const packed = from.createReadStream({ autoClose: false }).pipe(createGzip());
      for await (const part of packed) await to.writeFile(part as Buffer); // Safe: gzip yields bytes.
    } finally {
      await from.close();
      await to?.close();
    }
    await this.rename(temporary, `${name}.gz`);
    await this.remove(name);
  }

  #at(name: string): string {
    return at(this.#descriptor, basename(name));
  }
}
