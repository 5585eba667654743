import { ConnectionError } from "./errors.ts";

const newline = 0x0a;

/**
 * Cuts chunks of bytes into lines, wherever the chunks were split: inside a line, or inside a character.
 * Bytes are decoded only once their line is whole.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  /** A line of more than `maxBytes` is an error: the peer does not speak the protocol. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes. Empty lines are left out. */
  push(chunk: Uint8Array): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      if (this.#pendingBytes > 0) lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** @throws ConnectionError when bytes are left over: half a line is never handed out. */
  end(): void {
    if (this.#pendingBytes > 0) {
      throw new ConnectionError(
        "read the watch",
        `it ended inside an event, after ${this.#pendingBytes} bytes`,
      );
    }
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > this.#maxBytes) {
      throw new ConnectionError("read the watch", `an event has more than ${this.#maxBytes} bytes`);
    }
  }

  #take(): string {
    const line = Buffer.concat(this.#pending, this.#pendingBytes).toString("utf8");
    this.#pending = [];
    this.#pendingBytes = 0;
    return line;
  }
}
