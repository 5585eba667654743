import { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { errors } from "../../meta/status.ts";
import { type Forward, forwardOne, parsePort } from "../forward.ts";
import { type ChannelFormat, ChannelSocket } from "./channels.ts";

/** Channel numbers are one byte (or, in base64, one digit) and each port takes two. */
const maxPorts = 100;

/** @throws StatusError 400. */
export function parsePorts(query: URLSearchParams): readonly number[] {
  const texts = query.getAll("ports").flatMap((list) => list.split(","));
  if (texts.length === 0) throw errors.badRequest('query parameter "ports" is required');
  if (texts.length > maxPorts) throw errors.badRequest(`at most ${maxPorts} ports can be forwarded at once`);
  return texts.map((text) => {
    const port = parsePort(text);
    if (port === undefined) throw errors.badRequest(`invalid port ${JSON.stringify(text)}`);
    return port;
  });
}

/**
 * Forwards one connection to each port: channel 2i for data and 2i+1 for errors, each opened with the port's
 * number (kubelet `cri/streaming/portforward/websocket.go`).
 */
export async function forwardChannels(
  webSocket: WebSocket,
  format: ChannelFormat,
  ports: readonly number[],
  forward: Forward,
): Promise<void> {
  const socket = new ChannelSocket(webSocket, format);
  const connections = ports.map(async (port, index) => {
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    const stream = Duplex.from({
      readable: socket.readable(2 * index),
      writable: socket.writable(2 * index),
    });
    stream.on("error", () => {});
    for (const channel of [2 * index, 2 * index + 1]) await socket.send(channel, number);
    const problem = await forwardOne(forward, port, stream);
    if (problem !== undefined) await socket.send(2 * index + 1, Buffer.from(problem));
  });
  await Promise.all(connections);
  socket.close();
}
