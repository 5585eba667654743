import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Writable } from "node:stream";
import type { Clock } from "../../util/clock.ts";
import { discardRest } from "./read-body.ts";

/** A header with several values is sent as several lines. */
export type WireHeaders = Readonly<Record<string, string | string[]>>;

/** The destination of an answer, over HTTP/1.1 or HTTP/2. */
export interface Output {
  /** Receives the body. Its end ends the answer. */
  readonly writable: Writable;
  /** Sends the status and headers. With `wait`, they may be sent with the first piece of the body. */
  start(status: number, headers: WireHeaders, wait: boolean): void;
}

export function toResponse(response: ServerResponse): Output {
  return {
    writable: response,
    start(status, headers, wait) {
      response.writeHead(status, headers);
      if (!wait) response.flushHeaders();
    },
  };
}

export function toStream(stream: ServerHttp2Stream, clock: Clock): Output {
  return {
    writable: stream,
    start(status, headers) {
      discardRest(stream, clock);
      stream.respond({ ":status": status, ...headers });
    },
  };
}
