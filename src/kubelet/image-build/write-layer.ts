import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type tar from "tar-stream";
import { type Archive, writeArchive } from "../images/build.ts";

/** A file of a layer. */
export interface LayerEntry {
  /** From the root, without a slash at the beginning. */
  readonly path: string;
  readonly type: "file" | "directory" | "symlink" | "link" | "fifo";
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds since the epoch; by default the layer's time. */
  readonly time?: number;
  /** The target of a link; that of a hard link is an earlier path of the layer. */
  readonly linkName?: string;
  readonly size?: number;
  readonly open?: () => Readable;
}

/** Bytes of all files of a layer. */
const maxLayerBytes = 64 * 2 ** 30;

/**
 * Writes a layer's archive. Entries are sorted by path, so that equal files give equal digests; hard links come
 * last, after their targets. @throws Error when a file changes meanwhile
 */
export function writeLayer(entries: readonly LayerEntry[], output: string, time: number): Promise<Archive> {
  return writeArchive(output, async (pack) => {
    let total = 0;
    for (const entry of entries.toSorted(byPath)) {
      total += entry.size ?? 0;
      if (total > maxLayerBytes) throw new Error(`the layer has more than ${maxLayerBytes} bytes`);
      await addEntry(pack, entry, time);
    }
  });
}

async function addEntry(pack: tar.Pack, entry: LayerEntry, time: number): Promise<void> {
  const { path: name, mode, uid, gid, type, linkName, size = 0, open } = entry;
  const header = { name, mode, uid, gid, mtime: new Date((entry.time ?? time) * 1000) };
  if (type !== "file") {
    pack.entry({ ...header, type, ...(linkName !== undefined && { linkname: linkName }) });
    return;
  }
  const target = pack.entry({ ...header, type, size });
  await pipeline(open === undefined || size === 0 ? Readable.from([]) : open(), target);
}

function byPath(a: LayerEntry, b: LayerEntry): number {
  const [first, second] = [a.type === "link" ? 1 : 0, b.type === "link" ? 1 : 0];
  return first - second || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}
