import { constants, createDeflate, createInflate } from "node:zlib";
import { dictionary } from "./dictionary.ts";
import { SpdyError } from "./errors.ts";

export type Headers = ReadonlyMap<string, string>;

/** Uncompressed, in bytes. Real blocks have a few hundred. */
const maxBlockBytes = 64 * 1024;

/**
 * Decompresses one direction's header blocks, which are one continuous zlib stream (SPDY/3 §2.6.10.1): every
 * block must be read in order, including those of refused streams. One call at a time.
 */
export class HeaderReader {
  readonly #inflate = createInflate({ dictionary, finishFlush: constants.Z_SYNC_FLUSH });
  #pieces: Buffer[] = [];
  #size = 0;
  #failed: (error: Error) => void = () => {};

  constructor() {
    this.#inflate.on("error", (error) => this.#failed(error));
    this.#inflate.on("data", (piece: Buffer) => {
      this.#size += piece.length;
      // A few compressed bytes can expand to very many: decompression stops at the limit.
      if (this.#size > maxBlockBytes) this.#inflate.destroy();
      else this.#pieces.push(piece);
    });
  }

  /** @throws SpdyError */
  async read(block: Buffer): Promise<Headers> {
    this.#pieces = [];
    this.#size = 0;
    await new Promise<void>((resolve, reject) => {
      this.#failed = (cause) => reject(new SpdyError("a header block is not compressed", { cause }));
      this.#inflate.write(block, () => resolve());
    });
    if (this.#inflate.destroyed) throw new SpdyError("a header block is too large");
    return parseBlock(Buffer.concat(this.#pieces));
  }

  close(): void {
    this.#failed = () => {};
    this.#inflate.destroy();
  }
}

/** Compresses the other direction's header blocks. */
export class HeaderWriter {
  // Small tables, because our blocks are tiny and every connection has these.
  readonly #deflate = createDeflate({ dictionary, windowBits: 11, memLevel: 1 });
  #pieces: Buffer[] = [];

  constructor() {
    this.#deflate.on("error", () => {});
    this.#deflate.on("data", (piece: Buffer) => this.#pieces.push(piece));
  }

  async write(headers: Headers): Promise<Buffer> {
    this.#pieces = [];
    this.#deflate.write(formatBlock(headers));
    await new Promise<void>((resolve) => {
      this.#deflate.flush(constants.Z_SYNC_FLUSH, () => resolve());
    });
    return Buffer.concat(this.#pieces);
  }

  close(): void {
    this.#deflate.destroy();
  }
}

/** Parses a count, then names and values, each after its length. @throws SpdyError */
function parseBlock(block: Buffer): Headers {
  let at = 0;
  const number = () => {
    if (at + 4 > block.length) throw new SpdyError("a header block ends early");
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = () => {
    const length = number();
    if (length > block.length - at) throw new SpdyError("a header block ends early");
    at += length;
    return block.toString("utf8", at - length, at);
  };
  const headers = new Map<string, string>();
  for (let count = number(); count > 0; count--) {
    const name = text().toLowerCase();
    headers.set(name, text());
  }
  return headers;
}

function formatBlock(headers: Headers): Buffer {
  const text = (value: string) => {
    const bytes = Buffer.from(value);
    return [uint32(bytes.length), bytes];
  };
  return Buffer.concat([uint32(headers.size), ...[...headers].flat().flatMap(text)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
