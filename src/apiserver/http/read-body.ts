import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import { errors } from "../../meta/status.ts";

/** A request's body over HTTP/1.1. @throws StatusError 413 past the limit, 400 when it ended early */
export function readMessage(message: IncomingMessage, limit: number, length?: string): Promise<Uint8Array> {
  return readAll(message, limit, length, () => message.complete);
}

/** The same over HTTP/2. */
export function readStream(stream: ServerHttp2Stream, limit: number, length?: string): Promise<Uint8Array> {
  return readAll(stream, limit, length, () => !stream.aborted && stream.readableEnded);
}

/**
 * A client that goes away in mid-upload may look like one that has finished: the length is checked, and the
 * stream's own state, before anybody parses what came.
 */
async function readAll(
  source: Readable,
  limit: number,
  length: string | undefined,
  isComplete: () => boolean,
): Promise<Uint8Array> {
  const tooLarge = () => errors.tooLarge(`Request entity too large: limit is ${limit}`);
  const announced = length === undefined ? undefined : Number(length);
  if (announced !== undefined && announced > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    source.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        source.pause();
        reject(tooLarge());
      }
    });
    for (const end of ["end", "error", "close"]) source.once(end, () => resolve());
  });
  if (!isComplete() || (announced !== undefined && announced !== size))
    throw errors.badRequest("the request's body ended early");
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size);
}
