import type { Duplex, Readable, Writable } from "node:stream";

/**
 * The requests of the API server to a node about the streams and the usage of its containers. The kubelet serves them
 * in-process or over HTTPS.
 */
export interface NodeEndpoint {
  /**
   * The container's log with the client's options. The stream ends with the log or, when following, with the
   * container.
   */
  logs(container: ContainerAddress, options: LogOptions): Promise<Readable>;
  exec(container: ContainerAddress, options: ExecOptions): Promise<ExecSession>;
  attach(container: ContainerAddress, options: AttachOptions): Promise<ExecSession>;
  /** Opens a connection to a port on the Pod's loopback interface. */
  dial(pod: PodAddress, port: number): Promise<Duplex>;
  /** Returns the usage of the node and of its Pods, as measured last. */
  stats(): Promise<NodeStats>;
}

/** The usage of CPU and memory by a node or a container. */
export interface UsageStats {
  /** The end of the window, in milliseconds since the epoch. */
  readonly at: number;
  readonly windowMs: number;
  /** The CPU used within the window: billionths of a core. A whole number, as is the memory. */
  readonly cpuNanoCores: number;
  /** The memory that cannot be reclaimed without effort: the working set. */
  readonly memoryBytes: number;
}

export interface ContainerStats extends UsageStats {
  readonly name: string;
}

export interface NodeStats {
  /** Undefined before the second measurement. */
  readonly node: UsageStats | undefined;
  /** The running containers by the UID of their Pod, for Pods whose containers have all been measured. */
  readonly pods: ReadonlyMap<string, readonly ContainerStats[]>;
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
  /** Selects the previous instance of the container. */
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Selects lines since this time, in milliseconds since the epoch. */
  readonly since?: number;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly stream: "All" | "Stdout" | "Stderr";
  /** Aborted when the client disconnects. */
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

/**
 * A running exec or attach session. With a terminal, `stderr` is absent, because `stdout` contains both
 * streams.
 */
export interface ExecSession {
  readonly stdin?: Writable;
  readonly stdout?: Readable;
  readonly stderr?: Readable;
  resize(size: TerminalSize): void;
  /** Resolves with the exit code. @throws when the command could not be started. */
  readonly exited: Promise<number>;
  /** Ends the session. The process of an exec is killed, an attached container continues. */
  close(): void;
}
