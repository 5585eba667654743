import { ConnectionError } from "./errors.ts";

const newline = 0x0a;

/**
 * Cuts chunks of bytes into lines. A chunk may end inside a line or inside a character, so bytes are decoded only when
 * their line is complete.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  /** Limits a line to `maxBytes`: a peer that sends a longer line does not speak the protocol. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that this chunk completes, without empty lines. */
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

  /** Ends the input. @throws ConnectionError when an incomplete line is left over. */
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
