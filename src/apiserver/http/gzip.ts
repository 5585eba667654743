import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { ApiRequest } from "../../meta/exchange.ts";
import type { WireHeaders } from "./output.ts";

/**
 * Answers up to this size in bytes are not compressed (apiserver `responsewriters`,
 * `APIResponseCompression`).
 */
export const gzipThreshold = 128 * 1024;

/** The fastest level, because networks are fast too. */
const options = { level: 1 };

/** Reports whether the client accepts gzip. As upstream, only the bare word counts, without a quality. */
export function takesGzip({ headers }: ApiRequest): boolean {
  const accepted = headers["accept-encoding"];
  return accepted !== undefined && accepted.split(",").some((coding) => coding.trim() === "gzip");
}

export function gzipHeaders(headers: WireHeaders): WireHeaders {
  const vary = headers["vary"] === undefined ? "" : `${String(headers["vary"])}, `;
  return { ...headers, "content-encoding": "gzip", vary: `${vary}Accept-Encoding` };
}

/** Compresses in another thread. */
export function compress(bytes: Uint8Array): Promise<Uint8Array> {
  return promisify(gzip)(bytes, options);
}

export function writeCompressed(pieces: Iterable<Uint8Array>, writable: Writable): Promise<void> {
  return pipeline(Readable.from(pieces), createGzip(options), writable);
}
