import { type FileHandle, stat } from "node:fs/promises";
import type { LogOptions } from "../../meta/node-endpoint.ts";
import { openLog } from "../safe-path/log-file.ts";
import { formatEntry, type LogEntry, parseEntry } from "./log-entry.ts";
import { tailOffset } from "./tail-offset.ts";

/** Reports to a reader at the end of a log whether and when more may come. */
export interface Growth {
  /** Reports whether the log may still grow. */
  live(): boolean;
  /** Resolves when the log may have grown since the call, or is no longer live. */
  changed(): Promise<void>;
}

const blockBytes = 64 * 1024;
/** A longer line is no log entry and is dropped, because entries have 16 KiB at most. */
const maxEntryBytes = 1 << 20;
const newline = 0x0a;

/**
 * Yields the requested part of the log in blocks of whole lines, or of partial lines where the container
 * wrote them.
 */
export async function* readLog(path: string, options: LogOptions, growth: Growth): AsyncGenerator<Buffer> {
  const view = new LogView(options);
  for await (const lines of readLines(path, options, growth)) {
    const shown = view.show(lines);
    if (shown.length > 0) yield shown;
    if (view.full) return;
  }
}

/** Selects and formats entries, and counts those shown. */
class LogView {
  readonly #options: LogOptions;
  readonly #stream: LogEntry["stream"] | undefined;
  #left: number;
  #startsLine = true;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#stream = streams[options.stream];
    this.#left = options.limitBytes ?? Infinity;
  }

  get full(): boolean {
    return this.#left <= 0;
  }

  show(lines: readonly Buffer[]): Buffer {
    const shown: Buffer[] = [];
    for (const line of lines) {
      const entry = parseEntry(line);
      if (entry === undefined || !this.#wants(entry)) continue;
      const text = formatEntry(entry, this.#options.timestamps, this.#startsLine).subarray(0, this.#left);
      this.#startsLine = !entry.partial;
      this.#left -= text.length;
      shown.push(text);
      if (this.full) break;
    }
    return Buffer.concat(shown);
  }

  #wants({ stream, time }: LogEntry): boolean {
    if (this.#stream !== undefined && stream !== this.#stream) return false;
    const { since } = this.#options;
    return since === undefined || !(Date.parse(time) < since);
  }
}

const streams = { All: undefined, Stdout: "stdout", Stderr: "stderr" } as const;

/** Yields the log's lines without their newlines, in blocks. */
async function* readLines(path: string, options: LogOptions, growth: Growth): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const block of readBlocks(path, options, growth)) {
    const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      lines.push(bytes.subarray(from, end));
      from = end + 1;
    }
    rest = bytes.length - from > maxEntryBytes ? Buffer.alloc(0) : bytes.subarray(from);
    if (lines.length > 0) yield lines;
  }
}

/**
 * Yields the log's bytes. Following survives rotation: at the end of the old file, it continues with the new
 * one.
 */
async function* readBlocks(path: string, options: LogOptions, growth: Growth): AsyncGenerator<Buffer> {
  const { follow, tailLines, signal } = options;
  // A container without output may have no log yet, and a rotated log may have been deleted.
  let file = await openLog(path);
  let next: FileHandle | undefined;
  try {
    let at = file === undefined || tailLines === undefined ? 0 : await tailStart(file, tailLines);
    while (!signal.aborted) {
      // Both are read before the block: later writes are read in the next round.
      const live = follow && growth.live();
      const change = growth.changed();
      const block = await readBlock(file, at);
      at += block.length;
      if (block.length > 0) {
        yield block;
      } else if (next !== undefined) {
        await file?.close();
        [file, next, at] = [next, undefined, 0];
      } else if (follow) {
        // Writes to the old file up to this point are read in the next round.
        next = await successor(path, file, at);
        if (next === undefined && !live) return;
        if (next === undefined) await change;
      } else return;
    }
  } finally {
    await file?.close();
    await next?.close();
  }
}

async function readBlock(file: FileHandle | undefined, at: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(file === undefined ? 0 : blockBytes);
  const read = await file?.read(block, 0, block.length, at);
  return block.subarray(0, read?.bytesRead);
}

async function tailStart(file: FileHandle, lines: number): Promise<number> {
  return tailOffset(file, (await file.stat()).size, lines);
}

/** Returns the file that replaced the one being read, or the same file if it was truncated. */
async function successor(
  path: string,
  file: FileHandle | undefined,
  at: number,
): Promise<FileHandle | undefined> {
  const now = await stat(path).catch(() => undefined);
  if (now === undefined) return undefined;
  const then = await file?.stat();
  return now.ino === then?.ino && now.size >= at ? undefined : openLog(path);
}
