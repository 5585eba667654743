import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import type { StreamingCluster } from "./streaming-cluster.ts";

/** A WebSocket to the cluster that records what it receives. */
export class ChannelClient {
  readonly socket: WebSocket;
  readonly messages: Buffer[] = [];
  readonly isText: boolean[] = [];
  readonly closed: Promise<number>;

  constructor(cluster: StreamingCluster, path: string, protocols: string | readonly string[]) {
    this.socket = new WebSocket(
      `wss://127.0.0.1:${cluster.port}${path}`,
      [protocols].flat(),
      cluster.credentials,
    );
    this.socket.on("message", (data, isBinary) => {
      this.messages.push(data as Buffer);
      this.isText.push(!isBinary);
    });
    this.socket.on("error", () => {});
    this.closed = once(this.socket, "close").then(([code]: unknown[]) => Number(code));
  }

  /** Everything received on a channel so far, one character for each byte. */
  on(channel: number): string {
    return Buffer.concat(
      this.messages.filter(([first]) => first === channel).map((one) => one.subarray(1)),
    ).toString("latin1");
  }

  /** Resolves when the received data satisfies the condition. */
  async until(fits: () => boolean): Promise<void> {
    while (!fits()) await once(this.socket, "message");
  }

  async opened(): Promise<this> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, "open");
    return this;
  }

  send(channel: number, text: string): void {
    this.socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(text)]));
  }
}

/** Returns the answer to a handshake that is refused. */
export async function refusal(
  cluster: StreamingCluster,
  path: string,
  protocols: string | readonly string[],
  options: object = cluster.credentials,
): Promise<{ code: number | undefined; status: { message?: string; reason?: string } }> {
  const socket = new WebSocket(`wss://127.0.0.1:${cluster.port}${path}`, [protocols].flat(), options);
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { code: response.statusCode, status: JSON.parse(text) as { message?: string } };
}
