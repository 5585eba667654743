export type StreamName = "stdout" | "stderr";

/** Longer lines are split into partial entries, as containerd splits them. */
export const maxEntryBytes = 16 * 1024;

const newline = 0x0a;

/**
 * Turns the bytes of one stream into CRI log entries: `<time> <stream> <F|P> <content>`, one for each line. A
 * line that is split, or that the stream's end cuts off, is partial (`P`).
 */
export class CriLogFormatter {
  readonly #stream: StreamName;
  readonly #now: () => number;
  #rest = Buffer.alloc(0);

  constructor(stream: StreamName, now: () => number) {
    this.#stream = stream;
    this.#now = now;
  }

  /** Returns the entries that `chunk` completes. */
  push(chunk: Buffer): Buffer {
    let pending = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const entries: Buffer[] = [];
    while (pending.length > 0) {
      const end = pending.subarray(0, maxEntryBytes + 1).indexOf(newline);
      if (end >= 0) {
        entries.push(this.#entry("F", pending.subarray(0, end)));
        pending = pending.subarray(end + 1);
      } else if (pending.length > maxEntryBytes) {
        entries.push(this.#entry("P", pending.subarray(0, maxEntryBytes)));
        pending = pending.subarray(maxEntryBytes);
      } else break;
    }
    this.#rest = Buffer.from(pending); // A copy, so that the chunk's memory can be freed.
    return Buffer.concat(entries);
  }

  /** Returns the rest when the stream has ended. */
  end(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest.length === 0 ? rest : this.#entry("P", rest);
  }

  #entry(tag: "F" | "P", content: Buffer): Buffer {
    const time = new Date(this.#now()).toISOString().replace("Z", "000000Z");
    return Buffer.concat([Buffer.from(`${time} ${this.#stream} ${tag} `), content, Buffer.from("\n")]);
  }
}
