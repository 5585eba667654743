import type { AttachOptions } from "../../meta/node-endpoint.ts";
import type { Outcome } from "../outcome.ts";
import type { ClientStreams } from "../session.ts";
import { type ChannelFormat, ChannelSocket } from "./channels.ts";
import type { WebSocket } from "ws";

/** One version of the channel protocol. */
export interface ChannelProtocol extends ChannelFormat {
  readonly version: number;
}

const binary = (version: number): ChannelProtocol => ({ version, base64: false, closeSignal: version >= 5 });
const base64 = (version: number): ChannelProtocol => ({ ...binary(version), base64: true });

/** By subprotocol; a client may also offer none. */
export const channelProtocols: ReadonlyMap<string, ChannelProtocol> = new Map([
  ["v5.channel.k8s.io", binary(5)],
  ["v4.channel.k8s.io", binary(4)],
  ["v3.channel.k8s.io", binary(3)],
  ["v2.channel.k8s.io", binary(2)],
  ["channel.k8s.io", binary(1)],
  ["v4.base64.channel.k8s.io", base64(4)],
  ["base64.channel.k8s.io", base64(1)],
  ["", binary(1)],
]);

const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4 } as const;

/** Returns the streams of an exec or attach as channels of a WebSocket. */
export function channelStreams(
  webSocket: WebSocket,
  protocol: ChannelProtocol,
  { stdin, stdout, stderr, tty }: AttachOptions,
): ClientStreams {
  const socket = new ChannelSocket(webSocket, protocol);
  const first = stdout ? channels.stdout : stderr ? channels.stderr : channels.status;
  // An empty message shows the client that the session exists.
  void socket.send(first, new Uint8Array());
  return {
    ...(stdin && { stdin: socket.readable(channels.stdin) }),
    ...(stdout && { stdout: socket.writable(channels.stdout) }),
    ...(stderr && { stderr: socket.writable(channels.stderr) }),
    ...(tty && { resize: socket.readable(channels.resize) }),
    gone: socket.gone,
    async finish(outcome) {
      const message = encodeOutcome(outcome, protocol.version);
      if (message.length > 0) await socket.send(channels.status, message);
      socket.close();
    },
  };
}

/**
 * Encodes the outcome. Before version 4 there were no exit codes: success is empty, and failure is a text.
 */
export function encodeOutcome({ status, text }: Outcome, version: number): Buffer {
  return Buffer.from(version >= 4 ? JSON.stringify(status) : text);
}
