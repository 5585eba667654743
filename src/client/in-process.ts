import { Readable } from "node:stream";
import type {
  ApiResponse,
  EncodedEvent,
  Handler,
  ResponseBody,
  UserInfo,
  WatchEvent,
} from "../meta/exchange.ts";
import { RequestError, statusError } from "./errors.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

/**
 * Sends requests to an API server in the same process, under one fixed identity. The requests pass the same chain as
 * HTTP; only bytes are skipped. Values pass unchanged, frozen and shared with the watch cache.
 */
export class InProcessTransport implements Transport {
  readonly shared = true;
  readonly #handler: Handler;
  readonly #user: UserInfo;
  readonly #closed = new AbortController();

  constructor(handler: Handler, user: UserInfo) {
    this.#handler = handler;
    this.#user = user;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#send(request, request.signal ?? this.#closed.signal);
    return { status: response.status, headers: response.headers, value: valueOf(response.body) };
  }

  async *watch(request: TransportRequest): AsyncIterable<readonly WatchEvent[]> {
    const { body } = await this.#send(request, this.#untilClosed(request));
    if (body.type !== "events")
      throw new RequestError(`Cannot watch ${request.path}: the answer is no watch`);
    for await (const batch of body.batches) yield batch.map(({ event }) => event);
    request.signal?.throwIfAborted();
  }

  async stream(request: TransportRequest): Promise<Readable> {
    const { body } = await this.#send(request, this.#untilClosed(request));
    switch (body.type) {
      case "stream":
        return body.stream;
      case "events":
        return Readable.from(linesOf(body.batches), { objectMode: false });
      case "list":
        return Readable.from(body.chunks(), { objectMode: false });
      default:
        return Readable.from([bytesOf(body)], { objectMode: false });
    }
  }

  close(): Promise<void> {
    this.#closed.abort();
    return Promise.resolve();
  }

  #untilClosed({ signal }: TransportRequest): AbortSignal {
    return signal === undefined ? this.#closed.signal : AbortSignal.any([signal, this.#closed.signal]);
  }

  async #send(request: TransportRequest, signal: AbortSignal): Promise<ApiResponse> {
    signal.throwIfAborted();
    const { method, path, query, accept, body } = request;
    const response = await this.#handler({
      method,
      path,
      query: query ?? new URLSearchParams(),
      headers: { accept: accept ?? "application/json", "content-type": body?.contentType },
      body: body === undefined ? { type: "none" } : { type: "object", value: body.value },
      caller: { type: "component", user: this.#user },
      signal,
    });
    if (response.status < 400) return response;
    throw statusError(response.status, valueOf(response.body), response.headers["retry-after"]);
  }
}

function valueOf(body: ResponseBody): unknown {
  switch (body.type) {
    case "empty":
      return undefined;
    case "object":
      return body.value;
    case "list":
      return { ...body.head, items: body.items.map(({ object }) => object) };
    case "bytes": {
      const text = Buffer.from(body.bytes).toString();
      return body.contentType.startsWith("application/json") ? JSON.parse(text) : text;
    }
    case "events":
    case "stream":
      throw new RequestError("Cannot read the answer as a value: it is a stream");
  }
}

function bytesOf(body: Extract<ResponseBody, { type: "empty" | "object" | "bytes" }>): Uint8Array {
  switch (body.type) {
    case "empty":
      return new Uint8Array();
    case "object":
      return body.encoded ?? Buffer.from(JSON.stringify(body.value));
    case "bytes":
      return body.bytes;
  }
}

async function* linesOf(batches: AsyncIterable<readonly EncodedEvent[]>): AsyncIterable<Uint8Array> {
  for await (const batch of batches) for (const event of batch) yield event.encoded();
}
