import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createServer as createHttp2,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex, Writable } from "node:stream";
import { createServer as createTls } from "node:tls";
import type { ApiRequest, Handler, RequestBody } from "../../meta/exchange.ts";
import type { Clock } from "../../util/clock.ts";
import type { Logger } from "../../util/logger.ts";
import { http } from "../../util/node-http.ts";
import { callerOf } from "./caller.ts";
import {
  type Connection,
  type ConnectionLimits,
  connectionLimits,
  Connections,
  sweepMs,
} from "./connections.ts";
import { type Output, toResponse, toStream } from "./output.ts";
import { type BodyLimits, readMessage, readStream } from "./read-body.ts";
import { Gone, WireRequest } from "./wire-request.ts";
import { writeResponse } from "./write-response.ts";

/**
 * The greatest memory of all streams of a connection, in megabytes, beyond which Node refuses new ones. It
 * holds a piece of a list for each stream: with Node's default, 80 unread answers would block a client's
 * other requests.
 */
const maxSessionMemory = 256;

export interface ListenerOptions {
  readonly handler: Handler;
  /** Takes over connections that request an upgrade to WebSocket or SPDY. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer, exchange: ApiRequest) => void;
  readonly log: Logger;
  readonly clock: Clock;
  /** PEM. */
  readonly key: string;
  readonly certificate: string;
  /** PEM of the authority that signs client certificates. */
  readonly clientCa: string;
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** An inherited socket that listens already, instead of a new one. */
  readonly descriptor?: number | undefined;
  /** Default: `connectionLimits`. */
  readonly limits?: ConnectionLimits;
}

/**
 * Serves HTTP/2 and HTTP/1.1 over TLS on one port until the signal fires. Resolves once it listens. HTTP/2 is
 * served stream by stream, because Node's HTTP/1 compatibility layer takes as long as the rest of the
 * request.
 */
export async function listen(options: ListenerOptions, signal: AbortSignal): Promise<AddressInfo> {
  const {
    key,
    certificate: cert,
    clientCa: ca,
    host,
    port,
    descriptor,
    clock,
    limits = connectionLimits,
  } = options;
  const connections = new Connections(clock, limits);
  const http2 = http2Server(options, connections);
  const http1 = http1Server(options, limits, connections);
  const server = createTls({
    key,
    cert,
    ca,
    requestCert: true,
    // A client without a certificate may have a token; the chain decides.
    rejectUnauthorized: false,
    ALPNProtocols: ["h2", "http/1.1"],
    minVersion: "TLSv1.2",
  });
  server.maxConnections = limits.maxConnections;
  server.on("drop", () => connections.evictWaiting());
  // Connections are counted before TLS starts, and TLS exposes only its own socket: the peer's address
  // matches the two.
  const byPeer = new Map<string, Connection>();
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    byPeer.set(peer, connections.add(socket));
    socket.once("close", () => byPeer.delete(peer));
  });
  server.on("secureConnection", (socket) => {
    const connection = byPeer.get(peerOf(socket));
    if (connection === undefined) return void socket.destroy();
    const isHttp2 = socket.alpnProtocol === "h2";
    if (!isHttp2) http1.connections.set(socket, connection);
    else http2.server.once("session", (session) => http2.connections.set(session, connection));
    (isHttp2 ? http2.server : http1.server).emit("connection", socket);
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  signal.addEventListener("abort", () => {
    server.close();
    http1.server.close();
    connections.closeAll();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (descriptor === undefined) server.listen(port, host, resolve);
    else server.listen({ fd: descriptor }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("Cannot listen: no address");
  return address;
}

function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

function http2Server(options: ListenerOptions, all: Connections) {
  const connections = new WeakMap<Http2Session, Connection>();
  const server = createHttp2({ settings: { maxConcurrentStreams: 1000 }, maxSessionMemory });
  server.on("stream", (stream, headers) => {
    const connection = stream.session === undefined ? undefined : connections.get(stream.session);
    if (connection !== undefined) count(all, connection, stream);
    void serve(options, toStream(stream, options.clock), streamExchange(options, stream, headers));
  });
  // A broken connection is no error of the server.
  server.on("sessionError", () => {});
  return { server, connections };
}

function http1Server(
  options: ListenerOptions,
  { requestMs, keepAliveMs }: ConnectionLimits,
  all: Connections,
) {
  const connections = new WeakMap<object, Connection>();
  const server = http.createServer({
    keepAliveTimeout: keepAliveMs,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: sweepMs,
  });
  const countFor = (socket: object, until: Writable) => {
    const connection = connections.get(socket);
    if (connection !== undefined) count(all, connection, until);
  };
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    countFor(request.socket, response);
    void serve(options, toResponse(response), messageExchange(options, request));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    countFor(socket, socket);
    options.upgrade(request, socket, head, upgradeExchange(request, socket));
  });
  // It gets its connections from the TLS server, and starts timing them at its `listening` event.
  server.emit("listening");
  return { server, connections };
}

function count(all: Connections, connection: Connection, until: Writable): void {
  all.begin(connection);
  until.once("close", () => all.end(connection));
}

async function serve(
  { handler, log }: ListenerOptions,
  output: Output,
  exchange: (gone: Gone) => ApiRequest,
): Promise<void> {
  const gone = new Gone();
  const { writable } = output;
  let answered = false;
  // The writers handle a connection's errors.
  writable.on("error", () => {});
  writable.once("close", () => {
    // Aborting a signal is expensive, and after the answer nothing listens to it.
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

function messageExchange(options: ListenerOptions, message: IncomingMessage): (gone: Gone) => ApiRequest {
  const { method = "GET", url = "/", socket } = message;
  const headers = plainHeaders(message.headers);
  const read = (limit: number) => readMessage(message, bodyLimits(options, headers, limit));
  return (gone) =>
    new WireRequest({ method, url }, headers, bodyOf(method, headers, read), callerOf(socket), gone);
}

function streamExchange(
  options: ListenerOptions,
  stream: ServerHttp2Stream,
  received: IncomingHttpHeaders,
): (gone: Gone) => ApiRequest {
  const { ":method": method = "GET", ":path": url = "/" } = received;
  const headers = plainHeaders(received);
  const read = (limit: number) => {
    if (headers["expect"]?.toLowerCase() === "100-continue") stream.additionalHeaders({ ":status": 100 });
    return readStream(stream, bodyLimits(options, headers, limit));
  };
  const caller = callerOf(stream.session?.socket);
  return (gone) => new WireRequest({ method, url }, headers, bodyOf(method, headers, read), caller, gone);
}

function bodyLimits(
  { clock, limits = connectionLimits }: ListenerOptions,
  headers: ApiRequest["headers"],
  bytes: number,
): BodyLimits {
  return { bytes, clock, timeoutMs: limits.requestMs, announced: headers["content-length"] };
}

function bodyOf(
  method: string,
  headers: ApiRequest["headers"],
  read: (limit: number) => Promise<Uint8Array>,
): RequestBody {
  const isEmpty = headers["content-length"] === "0" || method === "GET" || method === "HEAD";
  return isEmpty ? { type: "none" } : { type: "bytes", read };
}

/** Data after the request is not a body. */
function upgradeExchange(message: IncomingMessage, socket: Duplex): ApiRequest {
  const { method = "GET", url = "/" } = message;
  const gone = new Gone();
  socket.once("close", () => gone.set());
  const caller = callerOf(message.socket);
  return new WireRequest({ method, url }, plainHeaders(message.headers), { type: "none" }, caller, gone);
}

/** Node joins repeated headers, except one that clients do not send. */
function plainHeaders(received: IncomingHttpHeaders): ApiRequest["headers"] {
  return received as Readonly<Record<string, unknown>> as ApiRequest["headers"];
}
