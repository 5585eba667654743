import type { Duplex, Readable, Writable } from "node:stream";

/** What the API server asks of a node: the streams of its containers. The node agent answers, in-process or over HTTPS. */
export interface NodeEndpoint {
  /** The container's log as the client asked for it, until its end or, when following, until the container's. */
  logs(container: ContainerAddress, options: LogOptions): Promise<Readable>;
  exec(container: ContainerAddress, options: ExecOptions): Promise<ExecSession>;
  attach(container: ContainerAddress, options: AttachOptions): Promise<ExecSession>;
  /** A connection to a port on the Pod's loopback. */
  dial(pod: PodAddress, port: number): Promise<Duplex>;
}

export interface PodAddress {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface ContainerAddress extends PodAddress {
  readonly container: string;
}

/** The query of `pods/log` (core/v1 `PodLogOptions`). */
export interface LogOptions {
  readonly follow: boolean;
  /** The incarnation before the present one. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Only lines since then, in milliseconds since the epoch. */
  readonly since?: number;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly stream: "All" | "Stdout" | "Stderr";
  /** Fires when the client has gone. */
  readonly signal: AbortSignal;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

export interface AttachOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface ExecOptions extends AttachOptions {
  readonly command: readonly string[];
}

/** A running exec or attach. With a terminal, `stderr` is absent: it comes interleaved on `stdout`. */
export interface ExecSession {
  readonly stdin?: Writable;
  readonly stdout?: Readable;
  readonly stderr?: Readable;
  resize(size: TerminalSize): void;
  /** Resolves with the exit code. @throws when the command could not be started. */
  readonly exited: Promise<number>;
  /** Ends the session: an exec's process is killed, an attached container goes on. */
  close(): void;
}
