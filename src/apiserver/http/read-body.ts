import type { IncomingMessage } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import type { Readable } from "node:stream";
import { errors, failure } from "../../meta/status.ts";
import type { Clock } from "../../util/clock.ts";

export interface BodyLimits {
  readonly bytes: number;
  readonly clock: Clock;
  /** From the headers to the body's last byte. */
  readonly timeoutMs: number;
  /** The request's `content-length`. */
  readonly announced: string | undefined;
}

/** A request's body over HTTP/1.1. @throws StatusError 413 past the limit, 408 past the time, 400 when it ended early */
export function readMessage(message: IncomingMessage, limits: BodyLimits): Promise<Uint8Array> {
  return readAll(message, limits, () => message.complete);
}

/** The same over HTTP/2. */
export async function readStream(stream: ServerHttp2Stream, limits: BodyLimits): Promise<Uint8Array> {
  try {
    return await readAll(stream, limits, () => !stream.aborted && stream.readableEnded);
  } catch (error) {
    // A client that never ends its body must not keep the stream after the answer.
    stream.once("finish", () => stream.close(constants.NGHTTP2_NO_ERROR));
    throw error;
  }
}

/**
 * A client that goes away in mid-upload may look like one that has finished: the length is checked, and the
 * stream's own state, before anybody parses what came.
 */
async function readAll(
  source: Readable,
  { bytes: limit, clock, timeoutMs, announced: length }: BodyLimits,
  isComplete: () => boolean,
): Promise<Uint8Array> {
  const tooLarge = () => errors.tooLarge(`Request entity too large: limit is ${limit}`);
  const announced = length === undefined ? undefined : Number(length);
  if (announced !== undefined && announced > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => {
      source.pause();
      reject(failure(408, "Timeout", `the request's body did not arrive within ${timeoutMs / 1000}s`));
    });
    source.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        source.pause();
        timer.cancel();
        reject(tooLarge());
      }
    });
    const end = () => {
      timer.cancel();
      resolve();
    };
    for (const event of ["end", "error", "close"]) source.once(event, end);
  });
  if (!isComplete() || (announced !== undefined && announced !== size))
    throw errors.badRequest("the request's body ended early");
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size);
}
