import type { Readable } from "node:stream";
import type { WebSocket } from "ws";
import type { ApiResponse, EncodedEvent } from "../../meta/exchange.ts";
import type { Context } from "../context.ts";
import { negotiate, type Start } from "../../streams/accept.ts";
import { acceptWebSocket } from "../../streams/websocket/accept.ts";

type Encode = (chunk: Buffer) => Buffer | string;

const encodings: ReadonlyMap<string, Encode> = new Map<string, Encode>([
  ["", (chunk) => chunk],
  ["binary.k8s.io", (chunk) => chunk],
  ["base64.binary.k8s.io", (chunk) => chunk.toString("base64")],
]);

/**
 * Sends a log or a watch over WebSocket (apiserver `wsstream.Reader`, `handlers/watch`); undefined for other
 * answers.
 */
export function acceptBody({ request, services }: Context, { body }: ApiResponse): Start | undefined {
  const { clock } = services.env;
  const offered = request.headers["sec-websocket-protocol"];
  if (body.type === "stream") {
    const { stream } = body;
    const [name, encode] = negotiate(offered, encodings);
    return async (connection, headers) => {
      connection.socket.once("close", () => stream.destroy());
      const webSocket = acceptWebSocket(connection, name, headers, clock);
      if (webSocket !== undefined) await sendStream(webSocket, stream, encode);
    };
  }
  if (body.type === "events") {
    const { batches } = body;
    return async (connection, headers) => {
      const webSocket = acceptWebSocket(connection, "", headers, clock);
      if (webSocket !== undefined) await sendEvents(webSocket, batches);
    };
  }
  return undefined;
}

/** Sends an empty message first, which shows the client that the stream exists before it has data. */
async function sendStream(webSocket: WebSocket, stream: Readable, encode: Encode): Promise<void> {
  try {
    await send(webSocket, encode(Buffer.alloc(0)));
    const chunks: AsyncIterable<Buffer> = stream;
    for await (const chunk of chunks) await send(webSocket, encode(chunk));
    webSocket.close(1000);
  } catch {
    webSocket.close(1011);
  }
}

/** Sends events until the caller's signal fires, which it does when the connection closes. */
async function sendEvents(
  webSocket: WebSocket,
  batches: AsyncIterable<readonly EncodedEvent[]>,
): Promise<void> {
  try {
    for await (const batch of batches)
      for (const event of batch) await send(webSocket, Buffer.from(event.encoded()).toString());
    webSocket.close(1000);
  } catch {
    webSocket.close(1011);
  }
}

/** Resolves when the socket has taken the message, or is closed. */
async function send(webSocket: WebSocket, message: Buffer | string): Promise<void> {
  if (webSocket.readyState !== webSocket.OPEN) throw new Error("Cannot send: the client has gone");
  const sent = new Promise<void>((resolve) => {
    webSocket.send(message, () => resolve());
  });
  await sent;
}
