import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { constants } from "node:os";
import { PassThrough, Readable } from "node:stream";
import type {
  ExecOptions,
  ExecSession,
  LogOptions,
  NodeEndpoint,
  NodeStats,
} from "../../src/meta/node-endpoint.ts";

/** A node whose only container is the machine that runs the test: commands run here, and ports are this machine's. */
export class LocalNode implements NodeEndpoint {
  /** The content of `logs`; with `follow`, lines that are pushed later are sent too. */
  readonly log: string[] = [];
  /** The terminal sizes that clients sent. */
  readonly sizes: string[] = [];
  /** The result of the next exec, instead of running a command. */
  nextSession: ExecSession | undefined;
  readonly #followers = new Set<PassThrough>();
  readonly #running = new Map<number, Promise<number>>();

  push(line: string): void {
    this.log.push(line);
    for (const one of this.#followers) one.write(line);
  }

  endLog(): void {
    for (const one of this.#followers) one.end();
  }

  /** Resolves when the logs that are followed now are closed. */
  async unfollowed(): Promise<void> {
    await Promise.all([...this.#followers].map((one) => once(one, "close")));
  }

  get followers(): number {
    return this.#followers.size;
  }

  async logs(_: unknown, { follow, tailLines }: LogOptions): Promise<Readable> {
    const past = tailLines === undefined ? this.log : this.log.slice(this.log.length - tailLines);
    if (!follow) return Readable.from(past, { objectMode: false });
    const stream = new PassThrough();
    for (const line of past) stream.write(line);
    this.#followers.add(stream);
    return stream.once("close", () => this.#followers.delete(stream));
  }

  async stats(): Promise<NodeStats> {
    return { node: undefined, pods: new Map() };
  }

  /** Resolves when a command has ended. */
  ended(pid: number): Promise<number | undefined> {
    return this.#running.get(pid) ?? Promise.resolve(undefined);
  }

  async exec(_: unknown, { command, stdin, stdout, stderr, tty }: ExecOptions): Promise<ExecSession> {
    const { nextSession } = this;
    this.nextSession = undefined;
    if (nextSession !== undefined) return nextSession;
    const [program = "", ...args] = command;
    const words = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
    const child = tty
      ? spawn("script", ["-q", "-e", "--echo", "always", "-c", words, "/dev/null"])
      : spawn(program, args);
    const ended = new Promise<number>((resolve) => {
      child.once("close", (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
    await once(child, "spawn");
    this.#running.set(child.pid ?? 0, ended);
    child.stdin.on("error", () => {});
    if (!stdin) child.stdin.end();
    return {
      ...(stdin && { stdin: child.stdin }),
      ...(stdout && { stdout: child.stdout }),
      ...(stderr && { stderr: child.stderr }),
      resize: ({ width, height }) => this.sizes.push(`${width}x${height}`),
      exited: ended,
      close: () => void child.kill("SIGKILL"),
    };
  }

  attach(_: unknown, options: Omit<ExecOptions, "command">): Promise<ExecSession> {
    return this.exec(_, { ...options, command: ["cat"] });
  }

  async dial(_: unknown, port: number) {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  }
}
