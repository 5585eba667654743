import type { ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { forwardProtocol, openPort } from "../../streams/client-port.ts";
import { openSession, sessionProtocol } from "../../streams/client-session.ts";
import type { Clock } from "../../util/clock.ts";
import { http } from "../../util/node-http.ts";
import { SpdyConnection } from "../../streams/spdy/connection.ts";
import { type AttachOptions, type ExecSession, RuntimeError } from "../runtime.ts";

/** The greatest time until the runtime has agreed to SPDY. */
const upgradeMs = 60_000;
/** The greatest refusal that is read, in bytes. */
const maxRefusal = 16 * 1024;
const peer = "the container runtime";

/** Opens the session of an exec or attach at the runtime's URL. @throws RuntimeError Unavailable */
export async function session(clock: Clock, url: string, options: AttachOptions): Promise<ExecSession> {
  return openSession(await connect(clock, url, sessionProtocol), options, peer);
}

/**
 * Connects to a port at the runtime's URL. The protocol does not report success: when nothing listens, the stream fails
 * with a NodePortError. @throws RuntimeError Unavailable
 */
export async function port(clock: Clock, url: string, number: number): Promise<Duplex> {
  return openPort(await connect(clock, url, forwardProtocol), number);
}

/** Runtimes choose their own address, and serve streams without TLS on this machine. */
async function connect(clock: Clock, url: string, protocol: string): Promise<SpdyConnection> {
  const { protocol: scheme, hostname, port, pathname, search } = parse(url);
  if (scheme !== "http:") throw refuse(`its URL for streams has an unknown scheme: ${scheme}`);
  const request = http.request({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? 80 : Number(port),
    path: `${pathname}${search}`,
    method: "POST",
    agent: false,
    headers: { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocol },
  });
  const { response, socket } = await upgraded(clock, request);
  const chosen = response.headers["x-stream-protocol-version"] ?? protocol;
  if (response.headers.upgrade?.toLowerCase() !== "spdy/3.1" || chosen !== protocol) {
    socket.destroy();
    throw refuse(`it answered with ${response.headers.upgrade ?? "no protocol"} ${String(chosen)}`);
  }
  const connection = new SpdyConnection(socket, clock);
  // A violation of the protocol closes the connection, which ends its streams.
  connection.run().catch(() => {});
  return connection;
}

function parse(url: string): URL {
  if (!URL.canParse(url)) throw refuse(`its URL for streams is invalid: ${JSON.stringify(url)}`);
  return new URL(url);
}

function refuse(why: string, cause?: unknown): RuntimeError {
  return new RuntimeError("Unavailable", `cannot open a stream at ${peer}: ${why}`, cause);
}

function upgraded(
  clock: Clock,
  request: ClientRequest,
): Promise<{ response: IncomingMessage; socket: Duplex }> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(upgradeMs, () => request.destroy(new Error("it does not answer")));
    request.once("close", () => timer.cancel());
    request.on("error", (error) => reject(refuse(error.message, error)));
    request.once("response", (response) => {
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxRefusal) response.destroy();
      });
      const refused = (why: string) => reject(refuse(`${response.statusCode ?? 0}: ${why}`));
      text(response).then(refused, () => refused("the answer is too long"));
    });
    request.once("upgrade", (response, socket, head) => {
      socket.on("error", () => socket.destroy());
      if (head.length > 0) socket.unshift(head);
      resolve({ response, socket });
    });
    request.end();
  });
}
