import { spawn, type ChildProcess } from "node:child_process";
import { createConnection, type Socket } from "node:net";
import { extname, join } from "node:path";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import type { Clock, Timer } from "../../util/clock.ts";
import { RuntimeError } from "../runtime.ts";
import { toolEnvironment } from "./shell.ts";
import { errorText } from "../../util/error-text.ts";

/**
 * A request for a connection. The reply carries the connected socket, so that its bytes never pass through
 * the dialer.
 */
export interface DialRequest {
  readonly number: number;
  readonly port: number;
}

export interface DialReply {
  readonly number: number;
  readonly error?: string;
}

/** The time that a dialer waits for the next connection. It is a Node process of about 40 MB. */
const idleMs = 10_000;

/** A small Node process inside one sandbox's network namespace, because Node cannot enter one itself. */
class Dialer {
  readonly ended: Promise<unknown>;
  readonly #process: ChildProcess;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, (reply: DialReply, socket: Socket | undefined) => void>();
  #numbers = 0;
  #idle: Timer | undefined;

  constructor(namespace: string, clock: Clock) {
    const main = join(import.meta.dirname, `dial-main${extname(import.meta.filename)}`);
    this.#clock = clock;
    this.#process = spawn("nsenter", [`--net=${namespace}`, "--", process.execPath, main], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: toolEnvironment,
    });
    this.#process.on("message", (reply: DialReply, socket: Socket | undefined) => {
      this.#waiting.get(reply.number)?.(reply, socket);
    });
    this.ended = once(this.#process, "exit").finally(() => {
      for (const [number, settle] of this.#waiting) settle({ number, error: "the dialer ended" }, undefined);
    });
  }

  dial(port: number): Promise<Duplex> {
    this.#idle?.cancel();
    const number = this.#numbers++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, (reply, socket) => {
        this.#waiting.delete(number);
        if (this.#waiting.size === 0) this.#idle = this.#clock.after(idleMs, () => this.stop());
        if (socket !== undefined) resolve(socket);
        else reject(unavailable(port, reply.error ?? "refused"));
      });
      this.#process.send({ number, port } satisfies DialRequest);
    });
  }

  stop(): void {
    this.#idle?.cancel();
    this.#process.kill("SIGKILL");
  }
}

/** Connects to ports on sandboxes' loopback, with one dialer for each sandbox in use. */
export class Dialers {
  readonly #clock: Clock;
  readonly #dialers = new Map<string, Dialer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * `namespace` is absent for the host's network. @throws RuntimeError `Unavailable` when the port is closed.
   */
  async dial(sandbox: string, namespace: string | undefined, port: number): Promise<Duplex> {
    if (namespace === undefined) return dialHere(port);
    let dialer = this.#dialers.get(sandbox);
    if (dialer === undefined) {
      const fresh = new Dialer(namespace, this.#clock);
      dialer = fresh;
      this.#dialers.set(sandbox, fresh);
      void fresh.ended.then(() => this.#dialers.get(sandbox) === fresh && this.#dialers.delete(sandbox));
    }
    return dialer.dial(port);
  }

  /** Ends a sandbox's dialer, so that its namespace can be removed. */
  async stop(sandbox: string): Promise<void> {
    const dialer = this.#dialers.get(sandbox);
    dialer?.stop();
    await dialer?.ended;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dialers.keys()].map((sandbox) => this.stop(sandbox)));
  }
}

async function dialHere(port: number): Promise<Duplex> {
  const socket = createConnection(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return socket;
  } catch (error) {
    throw unavailable(port, errorText(error));
  }
}

function unavailable(port: number, why: string): RuntimeError {
  return new RuntimeError("Unavailable", `Cannot connect to port ${port}: ${why}`);
}
