import { constants, createWriteStream, openSync, type WriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { Socket } from "node:net";
import { dirname, join } from "node:path";
import type { Clock } from "../../../util/clock.ts";
import { appendToLog } from "../../safe-path/log-file.ts";
import { CriLogFormatter, type StreamName } from "./cri-log.ts";
import { encodeFrame, readFrames, type AttachRequest, type ChannelSpec } from "./protocol.ts";

/** A client with more unsent bytes is disconnected: the container never waits for clients. */
const maxUnsentBytes = 4 << 20;

/**
 * One container's streams. Its supervisor holds the other ends of the FIFOs: while no stdio server runs, the
 * container blocks, rather than breaks.
 */
export class Channel {
  /** Resolves when both streams have ended and all output is in the log. */
  readonly drained: Promise<void>;
  readonly #spec: ChannelSpec;
  readonly #log: WriteStream;
  readonly #viewers = new Set<{ readonly socket: Socket; readonly request: AttachRequest }>();
  #stdin: Socket | undefined;

  private constructor(spec: ChannelSpec, log: WriteStream, clock: Clock) {
    this.#spec = spec;
    this.#log = log;
    log.on("error", () => {}); // A full disk loses log lines, but must not stop the container or the server.
    if (spec.stdin) this.#stdin = openFifo(join(spec.directory, "stdin"), "write");
    const ended = (["stdout", "stderr"] as const).map((stream) => this.#pump(stream, clock));
    this.drained = Promise.all(ended).then(() => this.#finish());
  }

  static async open(spec: ChannelSpec, clock: Clock): Promise<Channel> {
    // The node agent owns the logs' directory.
    await mkdir(dirname(dirname(dirname(spec.logPath))), { recursive: true, mode: 0o755 });
    const log = createWriteStream(spec.logPath, { fd: appendToLog(spec.logPath) });
    return new Channel(spec, log, clock);
  }

  /** Sends a client the output from now on, and reads its input. */
  attach(socket: Socket, request: AttachRequest, start: Buffer): void {
    const viewer = { socket, request };
    this.#viewers.add(viewer);
    const leave = () => {
      if (this.#viewers.delete(viewer) && request.stdin) this.#inputEnded();
    };
    socket.on("close", leave);
    readFrames(socket, start, (stream, data) => {
      if (stream !== 0 || !request.stdin) return;
      if (data.length === 0) this.#inputEnded();
      else this.#stdin?.write(data);
    });
  }

  #inputEnded(): void {
    if (!this.#spec.stdinOnce) return;
    this.#stdin?.end();
    this.#stdin = undefined;
  }

  #pump(stream: StreamName, clock: Clock): Promise<void> {
    const fifo = openFifo(join(this.#spec.directory, stream), "read");
    const formatter = new CriLogFormatter(stream, () => clock.now());
    return new Promise((resolve) => {
      fifo.on("data", (chunk: Buffer) => {
        this.#show(stream, chunk);
        // The container writes at the disk's pace: excess output waits in the FIFO.
        if (this.#log.write(formatter.push(chunk)) || fifo.isPaused()) return;
        fifo.pause();
        this.#log.once("drain", () => fifo.resume());
      });
      fifo.on("close", () => {
        this.#log.write(formatter.end());
        resolve();
      });
    });
  }

  #show(stream: StreamName, chunk: Buffer): void {
    for (const { socket, request } of this.#viewers) {
      if (!request[stream]) continue;
      socket.write(encodeFrame(stream === "stdout" ? 1 : 2, chunk));
      if (socket.writableLength > maxUnsentBytes) socket.destroy();
    }
  }

  async #finish(): Promise<void> {
    this.#stdin?.destroy();
    for (const { socket } of this.#viewers) socket.end();
    await new Promise<void>((resolve) => {
      this.#log.end(() => resolve());
    });
  }
}

/**
 * Opens a FIFO without blocking: for reading before it has a writer, and for writing before it has a reader
 * (`O_RDWR`, which Linux allows on FIFOs). An error (for example, a full log disk) ends the stream as its end
 * does.
 */
function openFifo(path: string, way: "read" | "write"): Socket {
  const access = way === "read" ? constants.O_RDONLY : constants.O_RDWR;
  const fd = openSync(path, access | constants.O_NONBLOCK);
  const socket = new Socket({ fd, readable: way === "read", writable: way === "write" });
  socket.on("error", () => socket.destroy());
  return socket;
}
