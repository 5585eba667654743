import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { ApiRequest, Caller, Handler, RequestBody } from "../../meta/exchange.ts";
import { errors } from "../../meta/status.ts";
import type { Logger } from "../../util/logger.ts";
import { writeResponse } from "./write-response.ts";

export interface ListenerOptions {
  readonly handler: Handler;
  /** Takes over connections that ask to speak WebSocket or SPDY. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, exchange: ApiRequest) => void;
  readonly log: Logger;
  /** PEM. */
  readonly key: string;
  readonly certificate: string;
  /** PEM of the authority that client certificates chain to. */
  readonly clientCa: string;
  readonly host: string;
  /** 0 picks one. */
  readonly port: number;
}

/** Go clients keep idle connections for 90 s and do not repeat a write that met a closed one. */
const keepAliveMs = 180_000;

/** Serves HTTP/2 and HTTP/1.1 over TLS on one port until the signal fires. Resolves once it listens. */
export async function listen(options: ListenerOptions, signal: AbortSignal): Promise<AddressInfo> {
  const server = createSecureServer({
    key: options.key,
    cert: options.certificate,
    ca: options.clientCa,
    requestCert: true,
    // Whoever has no certificate may have a token; the chain decides.
    rejectUnauthorized: false,
    allowHTTP1: true,
    http1Options: { keepAliveTimeout: keepAliveMs },
    settings: { maxConcurrentStreams: 1000 },
    minVersion: "TLSv1.2",
  });
  server.on("request", (request, response) => void serve(options, request, response));
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    options.upgrade(request, socket, head, exchangeOf(request, signalOf(socket)));
  });
  // A connection that breaks off is its client's business.
  server.on("sessionError", () => {});
  server.on("tlsClientError", () => {});
  closeWith(server, signal);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return server.address() as AddressInfo;
}

function closeWith(server: Http2SecureServer, signal: AbortSignal): void {
  const sockets = new Set<Duplex>();
  server.on("secureConnection", (socket: TLSSocket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  signal.addEventListener("abort", () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
}

/** Made once: an error with its stack is the dearest part of a signal. */
const connectionClosed = new Error("The connection was closed");

type AnyRequest = IncomingMessage | Http2ServerRequest;
export type AnyResponse = ServerResponse | Http2ServerResponse;

async function serve(
  { handler, log }: ListenerOptions,
  request: AnyRequest,
  response: AnyResponse,
): Promise<void> {
  const gone = new AbortController();
  let answered = false;
  response.once("close", () => {
    // To fire a signal is dear, and after the answer nobody listens.
    if (!answered) gone.abort(connectionClosed);
  });
  try {
    const exchange = exchangeOf(request, gone.signal);
    await writeResponse(response, exchange, await handler(exchange), gone.signal);
    answered = true;
  } catch (error) {
    if (!gone.signal.aborted) log.warn("a response could not be written", { error: String(error) });
    response.destroy();
  }
}

function exchangeOf(request: AnyRequest, signal: AbortSignal): ApiRequest {
  const url = request.url ?? "/";
  const cut = url.indexOf("?");
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(":"))
      headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return {
    method: request.method ?? "GET",
    path: cut < 0 ? url : url.slice(0, cut),
    query: new URLSearchParams(cut < 0 ? "" : url.slice(cut + 1)),
    headers,
    body: bodyOf(request, headers),
    caller: callerOf(request),
    signal,
  };
}

function bodyOf(request: AnyRequest, headers: Readonly<Record<string, string>>): RequestBody {
  const empty = headers["content-length"] === "0" || request.method === "GET" || request.method === "HEAD";
  if (empty) return { type: "none" };
  return { type: "bytes", read: (limit) => readAll(request, limit, headers["content-length"]) };
}

/**
 * A client that goes away in mid-upload may look like one that has finished: the length is checked, and the
 * stream's own state, before anybody parses what came.
 */
async function readAll(request: AnyRequest, limit: number, length: string | undefined): Promise<Uint8Array> {
  const tooLarge = () => errors.tooLarge(`Request entity too large: limit is ${limit}`);
  const announced = length === undefined ? undefined : Number(length);
  if (announced !== undefined && announced > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        request.pause();
        reject(tooLarge());
      }
    });
    for (const end of ["end", "error", "close"]) request.once(end, () => resolve());
  });
  const cut = request.aborted || !request.complete || (announced !== undefined && announced !== size);
  if (cut) throw errors.badRequest("the request's body ended early");
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size);
}

/** What TLS knows of a connection does not change: it is read once. */
const callers = new WeakMap<object, Caller>();

function callerOf(request: AnyRequest): Caller {
  const { socket } =
    "stream" in request && request.stream.session !== undefined ? request.stream.session : request;
  const known = callers.get(socket);
  if (known !== undefined) return known;
  const caller = describeCaller(socket);
  callers.set(socket, caller);
  return caller;
}

function describeCaller(socket: object): Caller {
  // An HTTP/2 session shows its socket through a proxy that is no TLSSocket but answers like one.
  const tls = socket as TLSSocket;
  const address = tls.remoteAddress ?? "";
  const certificate = tls.getPeerCertificate();
  if (certificate.subject === undefined) return { type: "connection", address };
  if (!tls.authorized) return { type: "connection", address, certificate: "rejected" };
  const { CN, O = [] } = certificate.subject as { CN?: string; O?: string | string[] };
  return {
    type: "connection",
    address,
    certificate: {
      commonName: CN ?? "",
      organizations: Array.isArray(O) ? O : [O],
      fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    },
  };
}

function signalOf(socket: Duplex): AbortSignal {
  const gone = new AbortController();
  socket.once("close", () => gone.abort(connectionClosed));
  return gone.signal;
}
