import type { Readable } from "node:stream";
import type { WatchEvent } from "../meta/exchange.ts";

export interface TransportBody {
  /** `application/json`, or one of the patch types. */
  readonly contentType: string;
  readonly value: object;
}

/** One request, independent of the transport. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path, percent-encoded, without the query. */
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  /** Default `application/json`. */
  readonly accept?: string;
  readonly body?: TransportBody | undefined;
  /** Ends the request or the watch. */
  readonly signal?: AbortSignal | undefined;
  /** True for lists, whose size is not limited. All other answers are refused beyond `maxAnswerBytes`. */
  readonly list?: true;
}

export interface TransportResponse {
  readonly status: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded JSON; text when the answer is no JSON; undefined when it is empty. */
  readonly value: unknown;
}

/**
 * A way to an API server. Every method throws `StatusError` when the server refuses, `ConnectionError` when no complete
 * answer came, and the signal's reason once the caller's signal has fired.
 */
export interface Transport {
  /**
   * True when values are the server's own: canonical for their schema, frozen and shared. Otherwise they were parsed
   * from bytes and belong to the caller.
   */
  readonly shared: boolean;
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Yields batches of events that arrived together. Ends when the server ends the watch; never inside an event. */
  watch(request: TransportRequest): AsyncIterable<readonly WatchEvent[]>;
  /** Returns raw bytes, such as a container's log. Destroy the stream to stop early. */
  stream(request: TransportRequest): Promise<Readable>;
  /** Ends all open requests and watches. */
  close(): Promise<void>;
}

/** The largest answer in bytes. Objects are at most 3 MiB; the rest is room for what a server adds. */
export const maxAnswerBytes = 16 * 1024 * 1024;
