import { createReadStream, createWriteStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import tar, { type Pack } from "tar-stream";
import { DigestMeter } from "./digest.ts";
import type { ImageConfig } from "./image.ts";

export interface BuildOptions {
  /** The folder's content becomes the image's root, or a layer on top of `base`. */
  readonly folder: string;
  /** The new image's name, e.g. `knarr.local/app:v1`. */
  readonly tag: string;
  /** An image on this node. */
  readonly base?: string;
  /** Overrides the base's configuration field by field. */
  readonly config?: Partial<ImageConfig>;
  /** Variables that are added to those of the base, or replace them: `NAME=value` each. */
  readonly env?: readonly string[];
}

/**
 * Writes a folder as a layer archive. Owners become root and times the epoch, so that equal folders give equal
 * digests. Sockets and devices are left out.
 */
export function packFolder(folder: string, output: string): Promise<Archive> {
  return writeArchive(output, (pack) => addEntries(pack, folder, ""));
}

export interface Archive {
  readonly digest: string;
  readonly size: number;
}

/** Writes an archive of the entries that `fill` adds. @throws its error */
export async function writeArchive(output: string, fill: (pack: Pack) => Promise<void>): Promise<Archive> {
  const pack = tar.pack();
  const meter = new DigestMeter();
  const written = pipeline(pack, meter, createWriteStream(output, { mode: 0o600 }));
  written.catch(() => {}); // Thrown below.
  try {
    await fill(pack);
    pack.finalize();
  } catch (error) {
    pack.destroy(error instanceof Error ? error : undefined);
    throw error;
  }
  await written;
  return { digest: meter.digest, size: meter.bytes };
}

async function addEntries(pack: Pack, folder: string, prefix: string): Promise<void> {
  for (const child of (await readdir(join(folder, prefix))).sort()) {
    const name = join(prefix, child);
    const path = join(folder, name);
    const stat = await lstat(path);
    const header = { name, mode: stat.mode & 0o7777, mtime: new Date(0), uid: 0, gid: 0 };
    if (stat.isDirectory()) {
      pack.entry({ ...header, type: "directory" });
      await addEntries(pack, folder, name);
    } else if (stat.isSymbolicLink()) {
      pack.entry({ ...header, type: "symlink", linkname: await readlink(path) });
    } else if (stat.isFile()) {
      await pipeline(createReadStream(path), pack.entry({ ...header, size: stat.size }));
    }
  }
}

/** Returns the base's variables with others added or replaced. */
export function withVariables(base: readonly string[], added: readonly string[]): readonly string[] {
  const byName = new Map([...base, ...added].map((entry) => [entry.split("=", 1)[0], entry]));
  return [...byName.values()];
}
