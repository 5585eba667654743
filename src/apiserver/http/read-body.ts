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

/**
 * Reads a request's body over HTTP/1.1. @throws StatusError 413 past the limit, 408 past the time, 400 when
 * it ended early
 */
export function readMessage(message: IncomingMessage, limits: BodyLimits): Promise<Uint8Array> {
  return readAll(message, limits, () => message.complete);
}

/** Reads a request's body over HTTP/2. */
export function readStream(stream: ServerHttp2Stream, limits: BodyLimits): Promise<Uint8Array> {
  return readAll(stream, limits, () => !stream.aborted && stream.readableEnded);
}

/** The greatest size and time for which a body is read after the answer. */
const mostDiscarded = 1024 * 1024;
const lingerMs = 1_000;

/**
 * Reads the rest of a body that was answered already, because Node's client never ends a stream that is reset
 * while it writes. After the limits the stream is closed, so that a client cannot keep it.
 */
export function discardRest(stream: ServerHttp2Stream, clock: Clock): void {
  if (stream.endAfterHeaders || stream.readableEnded) return;
  let left = mostDiscarded;
  const close = () => stream.close(constants.NGHTTP2_NO_ERROR);
  stream.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left > 0) return;
    stream.pause();
    if (stream.writableFinished) close();
    else stream.once("finish", close);
  });
  stream.once("finish", () => {
    if (stream.readableEnded) return;
    const timer = clock.after(lingerMs, close);
    stream.once("close", () => timer.cancel());
  });
  stream.resume();
}

/**
 * Reads a body. An upload that the client broke off may look complete: the length and the stream's own state
 * are checked before the body is parsed.
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
  // An empty body may have ended already, and a client may have disconnected: then no event follows.
  if (!source.readableEnded && !source.destroyed)
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => {
        timer.cancel();
        source.off("data", take);
        source.pause();
        if (error === undefined) resolve();
        else reject(error);
      };
      const timer = clock.after(timeoutMs, () => {
        settle(failure(408, "Timeout", `the request's body did not arrive within ${timeoutMs / 1000}s`));
      });
      const take = (chunk: Buffer) => {
        size += chunk.length;
        if (size <= limit) chunks.push(chunk);
        else settle(tooLarge());
      };
      source.on("data", take);
      for (const event of ["end", "error", "close"]) source.once(event, () => settle());
    });
  if (!isComplete() || (announced !== undefined && announced !== size))
    throw errors.badRequest("the request's body ended early");
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size);
}
