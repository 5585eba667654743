import { createServer, type Server, type Socket } from "node:net";
import type { Clock } from "../../../util/clock.ts";
import { Channel } from "./channel.ts";
import {
  readLines,
  type AttachRequest,
  type ChannelSpec,
  type Hello,
  type Reply,
  type Request,
} from "./protocol.ts";
import { errorText } from "../../../util/error-text.ts";

/**
 * Writes the output of all of a node's containers to their logs, in a separate process that outlives Knarr.
 * It ends when it has no container and no connection from Knarr.
 */
export class StdioServer {
  readonly #clock: Clock;
  readonly #channels = new Map<string, Promise<Channel>>();
  readonly #server: Server;
  #controls = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#server = createServer((socket) => this.#greet(socket));
  }

  /** Resolves when the server listens. */
  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(path, resolve);
    });
  }

  #greet(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    let hello: Hello | undefined;
    readLines(
      socket,
      (line) => {
        if (hello !== undefined) {
          void this.#answer(socket, JSON.parse(line) as Request);
          return false;
        }
        hello = JSON.parse(line) as Hello;
        if (hello.kind === "attach") return true;
        this.#controls++;
        socket.on("close", () => {
          this.#controls--;
          this.#endIfIdle();
        });
        return false;
      },
      (rest) => {
        if (hello?.kind === "attach") void this.#attach(socket, hello, rest);
      },
    );
  }

  async #answer(socket: Socket, request: Request): Promise<void> {
    const { number } = request;
    let reply: Reply = { number };
    try {
      if (request.kind === "open") await this.#open(request.channel);
      else await (await this.#channels.get(request.container))?.drained;
    } catch (error) {
      reply = { number, error: errorText(error) };
    }
    if (!socket.destroyed) socket.write(`${JSON.stringify(reply)}\n`);
  }

  async #open(spec: ChannelSpec): Promise<void> {
    let channel = this.#channels.get(spec.container);
    if (channel === undefined) {
      channel = Channel.open(spec, this.#clock);
      this.#channels.set(spec.container, channel);
      const forget = () => {
        this.#channels.delete(spec.container);
        this.#endIfIdle();
      };
      channel.then(({ drained }) => drained).then(forget, forget);
    }
    await channel;
  }

  async #attach(socket: Socket, request: AttachRequest, rest: Buffer): Promise<void> {
    socket.pause(); // Until the channel listens.
    const channel = await this.#channels.get(request.container)?.catch(() => undefined);
    if (channel === undefined) return void socket.end();
    channel.attach(socket, request, rest);
    socket.resume();
  }

  #endIfIdle(): void {
    if (this.#controls === 0 && this.#channels.size === 0) this.#server.close();
  }
}
