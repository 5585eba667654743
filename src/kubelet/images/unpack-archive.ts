import { createWriteStream } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import tar from "tar-stream";
import { decompressed } from "./decompress.ts";
import { resolveInRoot } from "./resolve-in-root.ts";
import { entryPath } from "./unpack-layer.ts";

/** The parts of an archive: blobs of any number of images. */
const maxEntries = 100_000;

/**
 * Unpacks an image archive (the outer tar, possibly compressed) into the empty `directory`: plain files, and
 * the links by which old versions of `docker save` share layers.
 */
export async function unpackArchive(archive: Readable, directory: string): Promise<void> {
  const extract = tar.extract();
  const done = pipeline(await decompressed(archive), extract);
  done.catch(() => {}); // Thrown below.
  let entries = 0;
  for await (const entry of extract) {
    if (++entries > maxEntries) throw new Error(`Cannot unpack an archive of more than ${maxEntries} files`);
    const { type, name, linkname } = entry.header;
    const path = entryPath(name);
    // The parent is resolved, so that no link of the archive leads out of the directory.
    const parent = await resolveInRoot(directory, dirname(path));
    const target = join(parent, basename(path));
    if (type === "file" || type === "symlink") await mkdir(parent, { recursive: true });
    if (type === "file") {
      await pipeline(entry, createWriteStream(target, { flags: "wx", mode: 0o600 }));
    } else if (type === "symlink") {
      await symlink(linkname, target);
    }
    entry.resume();
  }
  await done;
}
