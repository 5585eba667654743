import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, closeSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { extname, join } from "node:path";
import { RuntimeError } from "../../runtime.ts";
import { toolEnvironment } from "../shell.ts";
import {
  readLines,
  type AttachRequest,
  type ChannelSpec,
  type Hello,
  type Reply,
  type Request,
} from "./protocol.ts";
import { pipeSocket } from "../pipe-socket.ts";

export interface StdioClientOptions {
  readonly socketPath: string;
  /** The file for the server's own errors. */
  readonly logPath: string;
  /** Called with a new server's PID, before it serves. */
  readonly started: (pid: number) => Promise<void>;
}

/** Small heaps, because the server keeps only data in transit. */
const nodeFlags = ["--max-old-space-size=64", "--max-semi-space-size=1"];

type Unnumbered<T> = T extends unknown ? Omit<T, "number"> : never;

/**
 * The client of the stdio server. It starts the server when none runs, and after the server's death starts
 * another one with the same open channels.
 */
export class StdioClient {
  readonly #options: StdioClientOptions;
  readonly #channels = new Map<string, ChannelSpec>();
  readonly #waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  #control: Promise<Socket> | undefined;
  #numbers = 0;
  #closed = false;

  constructor(options: StdioClientOptions) {
    this.#options = options;
  }

  /** Connects, so that the first container does not wait for the server's start. */
  async connect(): Promise<void> {
    await this.#connected();
  }

  /** Resolves when no later output of the container can be lost. */
  async open(channel: ChannelSpec): Promise<void> {
    await this.#ask({ kind: "open", channel });
    this.#channels.set(channel.container, channel);
  }

  /** Resolves when all of the container's output is in its log. */
  async drained(container: string): Promise<void> {
    await this.#ask({ kind: "drained", container });
    this.#channels.delete(container);
  }

  /** Opens a connection that carries frames. */
  async attach(request: AttachRequest): Promise<Socket> {
    await this.connect();
    const socket = await dial(this.#options.socketPath);
    socket.write(`${JSON.stringify({ kind: "attach", ...request } satisfies Hello)}\n`);
    return socket;
  }

  /** Disconnects; the server keeps serving the containers that still run. */
  async close(): Promise<void> {
    this.#closed = true;
    const socket = await this.#control?.catch(() => undefined);
    if (socket === undefined || socket.destroyed) return;
    socket.end();
    await once(socket, "close");
  }

  async #ask(request: Unnumbered<Request>): Promise<void> {
    const socket = await this.#connected();
    const number = this.#numbers++;
    const answered = new Promise<void>((resolve, reject) => this.#waiting.set(number, { resolve, reject }));
    socket.write(`${JSON.stringify({ ...request, number })}\n`);
    return answered;
  }

  /** Returns the control connection. A failed one is not kept, so that the next call retries. */
  async #connected(): Promise<Socket> {
    const control = (this.#control ??= this.#connect());
    control.catch(() => {
      if (this.#control === control) this.#control = undefined;
    });
    return control;
  }

  async #connect(): Promise<Socket> {
    const { socketPath } = this.#options;
    const socket = await dial(socketPath).catch(async () => {
      await this.#startServer();
      return dial(socketPath);
    });
    socket.write(`${JSON.stringify({ kind: "control" } satisfies Hello)}\n`);
    readLines(socket, (line) => {
      const reply = JSON.parse(line) as Reply;
      const waiter = this.#waiting.get(reply.number);
      this.#waiting.delete(reply.number);
      if (reply.error === undefined) waiter?.resolve();
      else waiter?.reject(new Error(reply.error));
      return false;
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#lost());
    return socket;
  }

  /** Reconnects: the FIFOs kept the output, and a new server continues where the old one stopped reading. */
  #lost(): void {
    this.#control = undefined;
    for (const { reject } of this.#waiting.values()) reject(new Error("the stdio server ended"));
    this.#waiting.clear();
    if (this.#closed) return;
    for (const channel of this.#channels.values()) this.open(channel).catch(() => {});
  }

  async #startServer(): Promise<void> {
    const main = join(import.meta.dirname, `stdio-main${extname(import.meta.filename)}`);
    const log = openSync(this.#options.logPath, "a", 0o600);
    try {
      const server = spawn(process.execPath, [...nodeFlags, main, this.#options.socketPath], {
        detached: true,
        stdio: ["ignore", log, log, "pipe"],
        env: toolEnvironment,
      });
      if (server.pid === undefined) throw new Error("no process");
      const ready: AsyncIterable<Buffer> = pipeSocket(server.stdio[3]);
      await this.#options.started(server.pid);
      const said: Buffer[] = [];
      for await (const chunk of ready) said.push(chunk);
      if (Buffer.concat(said).toString() !== "ready") throw new Error(`see ${this.#options.logPath}`);
      server.unref();
    } catch (error) {
      throw new RuntimeError("Unavailable", "Cannot start the stdio server", error);
    } finally {
      closeSync(log);
    }
  }
}

async function dial(path: string): Promise<Socket> {
  const socket = createConnection(path);
  await once(socket, "connect");
  return socket;
}
