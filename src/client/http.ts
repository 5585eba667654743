import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import { PassThrough, type Readable } from "node:stream";
import type { WatchEvent } from "../meta/exchange.ts";
import type { Clock } from "../util/clock.ts";
import type { Counter } from "../util/metrics/metric.ts";
import type { Metrics } from "../util/metrics/metrics.ts";
import { ConnectionError, statusError } from "./errors.ts";
import { HttpSessions } from "./http-sessions.ts";
import { LineSplitter } from "./lines.ts";
import {
  maxAnswerBytes,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "./transport.ts";

/** The address of an API server, and the credentials for it. PEM everywhere. */
export interface Connection {
  /** `https://host:port`, without a path. */
  readonly server: string;
  /** The certificates to trust. Default: those that Node trusts. */
  readonly ca?: string;
  /** A client certificate with its key. */
  readonly certificate?: { readonly certificate: string; readonly key: string };
  /** Called before each request, because tokens expire. */
  readonly token?: () => string | Promise<string>;
  /** The name that the server's certificate must have, when it is not the host's. */
  readonly serverName?: string;
  /** Trusts any server: for experiments only. */
  readonly insecure?: boolean;
}

export interface HttpTransportOptions {
  readonly clock: Clock;
  /** Default `knarr`. */
  readonly userAgent?: string;
  readonly metrics?: Metrics | undefined;
}

interface Answer {
  readonly content: Readable;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Requests to any Kubernetes API server, in JSON over HTTP/2 and TLS. Call `close` to let the process end. */
export class HttpTransport implements Transport {
  readonly shared = false;
  readonly #connection: Connection;
  readonly #userAgent: string;
  readonly #sessions: HttpSessions;
  readonly #requests: Counter<"code" | "method" | "host"> | undefined;
  /** The server, as metrics name it. */
  readonly #host: string;

  constructor(connection: Connection, { clock, userAgent = "knarr", metrics }: HttpTransportOptions) {
    const { server, ca, certificate, serverName, insecure = false } = connection;
    this.#connection = connection;
    this.#userAgent = userAgent;
    const options = {
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
      ...(serverName === undefined ? {} : { servername: serverName }),
      rejectUnauthorized: !insecure,
    };
    this.#sessions = new HttpSessions(server, options, clock);
    this.#host = server.replace(/^https?:\/\//, "");
    this.#requests = metrics?.counter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, partitioned by status code, method, and host.",
      labels: ["code", "method", "host"],
    });
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { content, status, headers } = await this.#send(request);
    const limit = request.list === true ? Infinity : maxAnswerBytes;
    const text = await readAll(content, headers, limit, request);
    return { status, headers, value: parseBody(text, headers, request) };
  }

  async *watch(request: TransportRequest): AsyncIterable<readonly WatchEvent[]> {
    const { content } = await this.#send(request);
    const lines = new LineSplitter(maxAnswerBytes);
    for await (const chunk of chunks(content, request)) {
      const events = lines.push(chunk).map((line) => parseJson(line, request) as WatchEvent);
      if (events.length > 0) yield events;
    }
    lines.end();
  }

  async stream(request: TransportRequest): Promise<Readable> {
    const { content } = await this.#send(request);
    return content;
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }

  /** Counts a request, by its status or as an error. */
  #count({ method }: TransportRequest, code: string): void {
    this.#requests?.add({ code, method, host: this.#host });
  }

  /** Sends the request and resolves with the head of a successful answer. */
  async #send(request: TransportRequest): Promise<Answer> {
    const { signal, body } = request;
    signal?.throwIfAborted();
    const headers = await this.#headers(request);
    const { session, release } = await this.#sessions.acquire();
    let stream: ClientHttp2Stream;
    try {
      signal?.throwIfAborted();
      const endStream = body === undefined;
      stream = session.request(headers, signal === undefined ? { endStream } : { endStream, signal });
    } catch (error) {
      release();
      signal?.throwIfAborted();
      this.#count(request, "<error>");
      throw new ConnectionError(describe(request), error);
    }
    stream.once("close", release);
    const content = contentOf(stream);
    if (body !== undefined) stream.end(JSON.stringify(body.value));
    const { status, headers: received } = await head(stream, request).catch((error: unknown) => {
      this.#count(request, "<error>");
      throw error;
    });
    this.#count(request, String(status));
    if (status < 400) return { content, status, headers: received };
    const text = await readAll(content, received, maxAnswerBytes, request);
    throw statusError(status, parseBody(text, received, request), received["retry-after"]);
  }

  async #headers({ method, path, query, accept, body }: TransportRequest): Promise<Record<string, string>> {
    const token = await this.#connection.token?.();
    const search = query?.toString() ?? "";
    return {
      [constants.HTTP2_HEADER_METHOD]: method,
      [constants.HTTP2_HEADER_PATH]: search === "" ? path : `${path}?${search}`,
      accept: accept ?? "application/json",
      "user-agent": this.#userAgent,
      ...(body === undefined ? {} : { "content-type": body.contentType }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }
}

const describe = ({ method, path }: TransportRequest) => `${method} ${path}`;

/**
 * Returns the answer's body, which is read from the start: Node may drop data that arrived on a stream that closes
 * before it is read.
 */
function contentOf(stream: ClientHttp2Stream): Readable {
  const content = new PassThrough();
  // Later readers get the error; without this listener, an error without a reader would end the process.
  content.on("error", () => {});
  let failure: Error | undefined;
  stream.on("error", (error) => (failure = error));
  // Only the close tells an ended body from a lost connection.
  stream.once("close", () => {
    if (stream.readableEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR) content.end();
    else content.destroy(failure ?? new Error("the server broke off"));
  });
  content.once("close", () => {
    if (!stream.closed && !content.readableEnded) stream.close(constants.NGHTTP2_CANCEL);
  });
  return stream.pipe(content, { end: false });
}

function head(
  stream: ClientHttp2Stream,
  request: TransportRequest,
): Promise<Pick<Answer, "status" | "headers">> {
  return new Promise((resolve, reject) => {
    let failure: unknown = "the connection was closed before the answer";
    // The listener stays, because an error after the head belongs to the reader of the body.
    stream.on("error", (error) => (failure = error));
    stream.once("close", () =>
      reject(request.signal?.aborted ? reason(request) : new ConnectionError(describe(request), failure)),
    );
    stream.once("response", (headers) => {
      const status = Number(headers[constants.HTTP2_HEADER_STATUS]);
      resolve({ status, headers: plainHeaders(headers) });
    });
  });
}

function reason({ signal }: TransportRequest): unknown {
  return signal?.reason;
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(":"))
      plain[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return plain;
}

/** Yields the body's chunks. A body that the server broke off ends in an error, never as if it were complete. */
async function* chunks(content: Readable, request: TransportRequest): AsyncIterable<Buffer> {
  try {
    const chunks: AsyncIterable<Buffer> = content;
    yield* chunks;
  } catch (error) {
    request.signal?.throwIfAborted();
    throw new ConnectionError(describe(request), error);
  }
  request.signal?.throwIfAborted();
  // A loop over a destroyed stream may end without an error; only the end of the body emits `end`.
  if (!content.readableEnded) throw new ConnectionError(describe(request), "the server broke off");
}

async function readAll(
  content: Readable,
  headers: Answer["headers"],
  limit: number,
  request: TransportRequest,
): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks(content, request)) {
    bytes += chunk.length;
    if (bytes > limit)
      throw new ConnectionError(describe(request), `the answer has more than ${limit} bytes`);
    parts.push(chunk);
  }
  const announced = headers["content-length"];
  if (announced !== undefined && Number(announced) !== bytes) {
    throw new ConnectionError(describe(request), `${bytes} of ${announced} bytes arrived`);
  }
  return Buffer.concat(parts, bytes).toString("utf8");
}

function parseBody(text: string, headers: Answer["headers"], request: TransportRequest): unknown {
  if (text === "") return undefined;
  return headers["content-type"]?.startsWith("application/json") ? parseJson(text, request) : text;
}

function parseJson(text: string, request: TransportRequest): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConnectionError(describe(request), error);
  }
}
