import type { FileHandle } from "node:fs/promises";

const blockBytes = 64 * 1024;
const newline = 0x0a;

/** Where the last `lines` entries of a log begin. Reads backwards, no more than those entries and a block. */
export async function tailOffset(file: FileHandle, size: number, lines: number): Promise<number> {
  if (lines === 0) return size;
  const block = Buffer.allocUnsafe(Math.min(blockBytes, size));
  let missing = lines;
  // The last entry's own newline ends it: it does not begin another. An entry that is being written counts.
  let isEnd = true;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - block.length);
    const { bytesRead } = await file.read(block, 0, end - start, start);
    for (let at = bytesRead - 1; at >= 0; at--) {
      const first = isEnd;
      isEnd = false;
      if (block[at] !== newline || first) continue;
      missing--;
      if (missing === 0) return start + at + 1;
    }
    end = start;
  }
  return 0;
}
