import type { Readable } from "node:stream";
import type { WatchEvent } from "../meta/exchange.ts";

export interface TransportBody {
  /** `application/json`, or one of the patch types. */
  readonly contentType: string;
  readonly value: object;
}

/** One request, before it takes the form that a transport sends. */
export interface TransportRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query?: URLSearchParams | undefined;
  /** Default `application/json`. */
  readonly accept?: string;
  readonly body?: TransportBody | undefined;
  /** Ends the request, or the watch, from the caller's side. */
  readonly signal?: AbortSignal | undefined;
  /** Lists may be of any size; all other answers are refused when they pass `maxAnswerBytes`. */
  readonly list?: true;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded JSON; text when the answer is no JSON; undefined when it is empty. */
  readonly value: unknown;
}

/**
 * The way to an API server. Every method throws `StatusError` when the server refuses, `ConnectionError`
 * when no complete answer came, and the signal's reason once the caller's signal has fired.
 */
export interface Transport {
  /**
   * Whether values are the server's own: already canonical for their schema, frozen and shared. Otherwise
   * they were parsed from bytes and belong to the caller.
   */
  readonly shared: boolean;
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Batches of what arrived together. Ends when the server ends the watch; never inside an event. */
  watch(request: TransportRequest): AsyncIterable<readonly WatchEvent[]>;
  /** Raw bytes, such as a container's log. Destroy the stream to stop early. */
  stream(request: TransportRequest): Promise<Readable>;
  /** Ends everything that is under way. */
  close(): Promise<void>;
}

/** Objects are at most 3 MiB; this leaves room for what a server adds, and stops an endless answer. */
export const maxAnswerBytes = 16 * 1024 * 1024;
