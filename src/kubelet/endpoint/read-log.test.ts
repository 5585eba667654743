import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LogOptions } from "../../meta/node-endpoint.ts";
import { type Growth, readLog } from "./read-log.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knarr-log-"));
  path = join(directory, "0.log");
});
afterEach(() => rmSync(directory, { recursive: true }));

const all: LogOptions = {
  follow: false,
  previous: false,
  timestamps: false,
  stream: "All",
  signal: new AbortController().signal,
};
const still: Growth = { live: () => false, changed: () => Promise.resolve() };

async function read(options: Partial<LogOptions> = {}, growth = still): Promise<string> {
  let text = "";
  for await (const block of readLog(path, { ...all, ...options }, growth)) text += String(block);
  return text;
}

/** Entry number `n` is dated `n` seconds past noon. */
function entry(n: number, content: string, stream = "stdout", tag = "F"): string {
  return `2026-01-01T12:00:${String(n).padStart(2, "0")}.5Z ${stream} ${tag} ${content}\n`;
}

function write(...entries: readonly string[]): void {
  writeFileSync(path, entries.join(""));
}

describe("a log", () => {
  test("is its entries' contents, with partial ones joined", async () => {
    write(entry(1, "whole"), entry(2, "first ", "stdout", "P"), entry(3, "second"), entry(4, ""));
    expect(await read()).toBe("whole\nfirst second\n\n");
  });

  test("that was never written is empty", async () => {
    expect(await read()).toBe("");
    expect(await read({ tailLines: 5 })).toBe("");
  });

  test("shows times with nine digits, once for each line", async () => {
    write(entry(1, "a ", "stdout", "P"), entry(2, "b"), entry(3, "c"));
    expect(await read({ timestamps: true })).toBe(
      "2026-01-01T12:00:01.500000000Z a b\n2026-01-01T12:00:03.500000000Z c\n",
    );
  });

  test("can be limited to one stream, to new entries, and to a number of bytes", async () => {
    write(entry(1, "one"), entry(2, "two", "stderr"), entry(3, "three"));
    expect(await read({ stream: "Stdout" })).toBe("one\nthree\n");
    expect(await read({ stream: "Stderr" })).toBe("two\n");
    expect(await read({ since: Date.parse("2026-01-01T12:00:02.5Z") })).toBe("two\nthree\n");
    expect(await read({ limitBytes: 6 })).toBe("one\ntw");
    expect(await read({ limitBytes: 6, stream: "Stdout" })).toBe("one\nth");
  });

  test("skips lines that are no log entries", async () => {
    write(entry(1, "good"), "garbage\n", "\0\0\0\n", entry(2, "also good").slice(0, -1));
    expect(await read()).toBe("good\n");
  });

  test("drops a line that is too long, and continues after it", async () => {
    write(entry(1, "before"), "x".repeat(5 << 20), "\n", entry(2, "after"));
    expect(await read()).toBe("before\nafter\n");
  });

  test("keeps bytes that are not valid text", async () => {
    writeFileSync(
      path,
      Buffer.concat([Buffer.from(entry(1, "").slice(0, -1)), Buffer.from([0xff, 0, 0xfe, 10])]),
    );
    const blocks: Buffer[] = [];
    for await (const block of readLog(path, all, still)) blocks.push(block);
    expect(Buffer.concat(blocks)).toEqual(Buffer.from([0xff, 0, 0xfe, 10]));
  });
});

describe("the tail", () => {
  test("has the last entries, wherever the blocks of the file end", async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `line ${n} ${"x".repeat(n % 97)}`);
    write(...lines.map((line) => entry(1, line)));
    for (const count of [1, 2, 7, 900, 2999, 3000, 4000])
      expect(await read({ tailLines: count })).toBe(`${lines.slice(-count).join("\n")}\n`);
    expect(await read({ tailLines: 0 })).toBe("");
  });

  test("of a big file is found from its end", async () => {
    write(entry(1, "last"));
    // Sparse: a reader from the start would meet a gigabyte of zeros, which is no log entry.
    truncateSync(path, 1 << 30);
    appendFileSync(path, `\n${entry(2, "at the end")}`);
    expect(await read({ tailLines: 1 })).toBe("at the end\n");
  });
});

/** Follows a log and collects its blocks. */
class Follower {
  #live = true;
  #changed = Promise.withResolvers<void>();
  readonly #blocks: AsyncGenerator<Buffer>;

  constructor(options: Partial<LogOptions> = {}) {
    const growth = { live: () => this.#live, changed: () => this.#changed.promise };
    this.#blocks = readLog(path, { ...all, ...options, follow: true }, growth);
  }

  /** Requests the next block before `change` grows the log. */
  async after(change: () => void): Promise<string | undefined> {
    const next = this.#blocks.next();
    change();
    this.wake();
    const { value, done } = await next;
    return done === true ? undefined : String(value);
  }

  wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  end(): void {
    this.#live = false;
  }
}

describe("following", () => {
  test("continues as the log grows, and ends when the container has ended and all is read", async () => {
    write(entry(1, "old"));
    const log = new Follower();
    expect(await log.after(() => {})).toBe("old\n");
    expect(await log.after(() => appendFileSync(path, entry(2, "new")))).toBe("new\n");
    const last = log.after(() => {
      appendFileSync(path, entry(3, "last words"));
      log.end();
    });
    expect(await last).toBe("last words\n");
    expect(await log.after(() => {})).toBeUndefined();
  });

  test("waits for a log that does not exist yet", async () => {
    const log = new Follower({ tailLines: 3 });
    expect(await log.after(() => write(entry(1, "a"), entry(2, "b")))).toBe("a\nb\n");
  });

  test("joins an entry that was written in two halves", async () => {
    const text = entry(1, "in halves");
    write(text.slice(0, 20));
    const log = new Follower();
    expect(await log.after(() => appendFileSync(path, text.slice(20)))).toBe("in halves\n");
  });

  test("reads a rotated log to its end, and then the new one from its start", async () => {
    write(entry(1, "one"));
    const log = new Follower();
    expect(await log.after(() => {})).toBe("one\n");
    const rotated = log.after(() => {
      appendFileSync(path, entry(2, "two"));
      renameSync(path, `${path}.1`);
      write(entry(3, "three"));
    });
    expect(await rotated).toBe("two\n");
    expect(await log.after(() => {})).toBe("three\n");
  });

  test("restarts at the beginning of a truncated log", async () => {
    write(entry(1, "a long line that goes away"));
    const log = new Follower();
    await log.after(() => {});
    expect(await log.after(() => write(entry(2, "anew")))).toBe("anew\n");
  });

  test("ends with its signal", async () => {
    const gone = new AbortController();
    const log = new Follower({ signal: gone.signal });
    expect(await log.after(() => gone.abort())).toBeUndefined();
  });
});
