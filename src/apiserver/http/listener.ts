import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTls, type TLSSocket } from "node:tls";
import type { ApiRequest, Caller, Handler, RequestBody } from "../../meta/exchange.ts";
import type { Logger } from "../../util/logger.ts";
import { callerOf } from "./caller.ts";
import { type Output, toResponse, toStream } from "./output.ts";
import { readMessage, readStream } from "./read-body.ts";
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

/**
 * Serves HTTP/2 and HTTP/1.1 over TLS on one port until the signal fires. Resolves once it listens. HTTP/2 is served
 * stream by stream: Node's layer that makes it look like HTTP/1 takes as long as the rest of the way in and out.
 */
export async function listen(options: ListenerOptions, signal: AbortSignal): Promise<AddressInfo> {
  const { key, certificate: cert, clientCa: ca, host, port } = options;
  const http2 = createHttp2({ settings: { maxConcurrentStreams: 1000 } });
  http2.on(
    "stream",
    (stream, headers) => void serve(options, toStream(stream), streamExchange(stream, headers)),
  );
  // A connection that breaks off is its client's business.
  http2.on("sessionError", () => {});
  const http1 = createHttp1({ keepAliveTimeout: keepAliveMs });
  http1.on("request", (request: IncomingMessage, response: ServerResponse) => {
    void serve(options, toResponse(response), messageExchange(request));
  });
  http1.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    options.upgrade(request, socket, head, messageExchange(request)(signalOf(socket)));
  });
  const server = createTls({
    key,
    cert,
    ca,
    requestCert: true,
    // Whoever has no certificate may have a token; the chain decides.
    rejectUnauthorized: false,
    ALPNProtocols: ["h2", "http/1.1"],
    minVersion: "TLSv1.2",
  });
  const sockets = new Set<TLSSocket>();
  server.on("secureConnection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    (socket.alpnProtocol === "h2" ? http2 : http1).emit("connection", socket);
  });
  server.on("tlsClientError", () => {});
  signal.addEventListener("abort", () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return server.address() as AddressInfo;
}

/** Made once: an error with its stack is the dearest part of a signal. */
const connectionClosed = new Error("The connection was closed");

async function serve(
  { handler, log }: ListenerOptions,
  output: Output,
  exchange: (gone: AbortSignal) => ApiRequest,
): Promise<void> {
  const gone = new AbortController();
  const { writable } = output;
  let answered = false;
  // What goes wrong with a connection is found by those who write to it.
  writable.on("error", () => {});
  writable.once("close", () => {
    // To fire a signal is dear, and after the answer nobody listens.
    if (!answered) gone.abort(connectionClosed);
  });
  try {
    const request = exchange(gone.signal);
    await writeResponse(output, request, await handler(request), gone.signal);
    answered = true;
  } catch (error) {
    if (!gone.signal.aborted) log.warn("a response could not be written", { error: String(error) });
    writable.destroy();
  }
}

function messageExchange(message: IncomingMessage): (signal: AbortSignal) => ApiRequest {
  const { method = "GET", url = "/", socket } = message;
  const headers = plainHeaders(message.headers);
  const read = (limit: number) => readMessage(message, limit, headers["content-length"]);
  return exchangeOf(method, url, headers, read, callerOf(socket));
}

function streamExchange(
  stream: ServerHttp2Stream,
  received: IncomingHttpHeaders,
): (signal: AbortSignal) => ApiRequest {
  const { ":method": method = "GET", ":path": path = "/" } = received;
  const headers = plainHeaders(received);
  const read = (limit: number) => {
    if (headers["expect"]?.toLowerCase() === "100-continue") stream.additionalHeaders({ ":status": 100 });
    return readStream(stream, limit, headers["content-length"]);
  };
  return exchangeOf(method, path, headers, read, callerOf(stream.session?.socket));
}

function exchangeOf(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  read: (limit: number) => Promise<Uint8Array>,
  caller: Caller,
): (signal: AbortSignal) => ApiRequest {
  const cut = url.indexOf("?");
  const isEmpty = headers["content-length"] === "0" || method === "GET" || method === "HEAD";
  const body: RequestBody = isEmpty ? { type: "none" } : { type: "bytes", read };
  return (signal) => ({
    method,
    path: cut < 0 ? url : url.slice(0, cut),
    query: new URLSearchParams(cut < 0 ? "" : url.slice(cut + 1)),
    headers,
    body,
    caller,
    signal,
  });
}

/** Without HTTP/2's own. */
function plainHeaders(received: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in received) {
    const value = received[name];
    if (value !== undefined && !name.startsWith(":"))
      headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

function signalOf(socket: Duplex): AbortSignal {
  const gone = new AbortController();
  socket.once("close", () => gone.abort(connectionClosed));
  return gone.signal;
}
