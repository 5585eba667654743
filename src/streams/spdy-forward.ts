import type { Duplex } from "node:stream";
import { type Clock, sleep } from "../util/clock.ts";
import { type Forward, forwardOne, parsePort } from "./forward.ts";
import { SpdyConnection } from "./spdy/connection.ts";
import type { SpdyStream } from "./spdy/stream.ts";

/** The greatest time until a connection's second stream opens. */
const pairTimeoutMs = 30_000;

interface Pair {
  data?: SpdyStream;
  error?: SpdyStream;
}

/**
 * Serves SPDY's port-forward: each connection is two streams with one `requestid`, for data and for errors.
 */
export async function forwardStreams(transport: Duplex, clock: Clock, forward: Forward): Promise<void> {
  const pairs = new Map<string, Pair>();
  const connection = new SpdyConnection(transport, clock, (stream) => {
    const purpose = stream.headers.get("streamtype");
    const id = requestOf(stream, purpose);
    const pair = pairs.get(id) ?? {};
    if ((purpose !== "data" && purpose !== "error") || pair[purpose] !== undefined) {
      stream.destroy();
      return;
    }
    pair[purpose] = stream;
    const { data, error } = pair;
    if (data !== undefined && error !== undefined) {
      pairs.delete(id);
      void serve(forward, data, error);
    } else {
      pairs.set(id, pair);
      void expire(clock, connection.gone, stream, () => pairs.get(id) === pair && pairs.delete(id));
    }
  });
  await connection.run();
}

/**
 * Returns a stream's request ID. Clients without request IDs open a connection's error stream right before
 * its data stream.
 */
function requestOf({ id, headers }: SpdyStream, purpose: string | undefined): string {
  return headers.get("requestid") ?? `stream ${purpose === "data" ? id - 2 : id}`;
}

async function expire(
  clock: Clock,
  gone: AbortSignal,
  stream: SpdyStream,
  unpaired: () => boolean,
): Promise<void> {
  const closed = new AbortController();
  stream.once("close", () => closed.abort());
  await sleep(clock, pairTimeoutMs, AbortSignal.any([gone, closed.signal]));
  if (unpaired()) stream.destroy();
}

/** Serves one connection. The error stream ends in any case, because the client waits for its end. */
async function serve(forward: Forward, data: SpdyStream, error: SpdyStream): Promise<void> {
  error.resume();
  const port = parsePort(data.headers.get("port") ?? "");
  const problem =
    port === undefined
      ? `invalid port ${JSON.stringify(data.headers.get("port") ?? "")}`
      : await forwardOne(forward, port, data);
  // The text comes before the data's end, which a client may take for the port's own.
  await new Promise<void>((resolve) => error.once("close", resolve).end(problem, () => resolve()));
  if (problem !== undefined) data.destroy();
}
