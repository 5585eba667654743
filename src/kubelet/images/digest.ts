import { createHash } from "node:crypto";
import { Transform } from "node:stream";

/** Returns `sha256:…` of the data. */
export function sha256(data: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(data).digest("hex")}`;
}

/** Passes bytes through while hashing and counting them. The digest is valid once the stream has ended. */
export class DigestMeter extends Transform {
  readonly #hash = createHash("sha256");
  #bytes = 0;
  #digest: string | undefined;

  override _transform(chunk: Buffer, _encoding: string, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    done(null, chunk);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get digest(): string {
    return (this.#digest ??= `sha256:${this.#hash.digest("hex")}`);
  }
}
