import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTls, type TLSSocket } from "node:tls";
import type { ApiRequest, Handler, RequestBody } from "../../meta/exchange.ts";
import type { Logger } from "../../util/logger.ts";
import { callerOf } from "./caller.ts";
import { type Output, toResponse, toStream } from "./output.ts";
import { readMessage, readStream } from "./read-body.ts";
import { Gone, WireRequest } from "./wire-request.ts";
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
    options.upgrade(request, socket, head, upgradeExchange(request, socket));
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

async function serve(
  { handler, log }: ListenerOptions,
  output: Output,
  exchange: (gone: Gone) => ApiRequest,
): Promise<void> {
  const gone = new Gone();
  const { writable } = output;
  let answered = false;
  // What goes wrong with a connection is found by those who write to it.
  writable.on("error", () => {});
  writable.once("close", () => {
    // To fire a signal is dear, and after the answer nobody listens.
    if (!answered) gone.set();
  });
  try {
    const request = exchange(gone);
    await writeResponse(output, request, await handler(request), gone);
    answered = true;
  } catch (error) {
    if (!gone.is) log.warn("a response could not be written", { error: String(error) });
    writable.destroy();
  }
}

function messageExchange(message: IncomingMessage): (gone: Gone) => ApiRequest {
  const { method = "GET", url = "/", socket } = message;
  const headers = plainHeaders(message.headers);
  const read = (limit: number) => readMessage(message, limit, headers["content-length"]);
  return (gone) =>
    new WireRequest({ method, url }, headers, bodyOf(method, headers, read), callerOf(socket), gone);
}

function streamExchange(
  stream: ServerHttp2Stream,
  received: IncomingHttpHeaders,
): (gone: Gone) => ApiRequest {
  const { ":method": method = "GET", ":path": url = "/" } = received;
  const headers = plainHeaders(received);
  const read = (limit: number) => {
    if (headers["expect"]?.toLowerCase() === "100-continue") stream.additionalHeaders({ ":status": 100 });
    return readStream(stream, limit, headers["content-length"]);
  };
  const caller = callerOf(stream.session?.socket);
  return (gone) => new WireRequest({ method, url }, headers, bodyOf(method, headers, read), caller, gone);
}

function bodyOf(
  method: string,
  headers: ApiRequest["headers"],
  read: (limit: number) => Promise<Uint8Array>,
): RequestBody {
  const isEmpty = headers["content-length"] === "0" || method === "GET" || method === "HEAD";
  return isEmpty ? { type: "none" } : { type: "bytes", read };
}

/** What follows on the connection is no body. */
function upgradeExchange(message: IncomingMessage, socket: Duplex): ApiRequest {
  const { method = "GET", url = "/" } = message;
  const gone = new Gone();
  socket.once("close", () => gone.set());
  const caller = callerOf(message.socket);
  return new WireRequest({ method, url }, plainHeaders(message.headers), { type: "none" }, caller, gone);
}

/** Node has joined the values of headers that came more than once, except in the one that no client sends. */
function plainHeaders(received: IncomingHttpHeaders): ApiRequest["headers"] {
  return received as Readonly<Record<string, unknown>> as ApiRequest["headers"];
}
