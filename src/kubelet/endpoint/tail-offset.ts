import type { FileHandle } from "node:fs/promises";

const blockBytes = 64 * 1024;
const newline = 0x0a;

/**
 * Returns the offset of the last `lines` entries of a log. Reads backwards, at most those entries and one
 * block.
 */
export async function tailOffset(file: FileHandle, size: number, lines: number): Promise<number> {
  if (lines === 0) return size;
  const block = Buffer.allocUnsafe(Math.min(blockBytes, size));
  let missing = lines;
  // The last newline ends the last entry and begins no other. An incomplete entry counts.
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
