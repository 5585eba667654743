import { Duplex } from "node:stream";
import { NodePortError } from "./forward.ts";
import type { SpdyConnection } from "./spdy/connection.ts";
import type { SpdyStream } from "./spdy/stream.ts";

/** The protocol of forwarded ports. */
export const forwardProtocol = "portforward.k8s.io";
/** Far more than an error's text takes. */
const maxErrorBytes = 16 * 1024;

/**
 * Opens a port over a connection of its own, which ends with the stream. The stream fails with a NodePortError when the
 * port does.
 */
export async function openPort(connection: SpdyConnection, port: number): Promise<Duplex> {
  const headers = (purpose: string) =>
    new Map([
      ["streamtype", purpose],
      ["port", String(port)],
      ["requestid", "0"],
    ]);
  const error = await connection.open(headers("error"));
  error.end();
  const data = await connection.open(headers("data"));
  return new PortStream(connection, data, error);
}

/** The data of a port. Its end waits for the end of the errors: containerd ends the data before it sends the error. */
class PortStream extends Duplex {
  readonly #connection: SpdyConnection;
  readonly #data: SpdyStream;

  constructor(connection: SpdyConnection, data: SpdyStream, error: SpdyStream) {
    super({ allowHalfOpen: true });
    this.#connection = connection;
    this.#data = data;
    this.on("error", () => {}); // Readers and writers have listeners of their own.
    data.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) data.pause();
    });
    let text = "";
    error.on("data", (chunk: Buffer) => (text = (text + chunk.toString()).slice(0, maxErrorBytes)));
    void this.#finish(ended(data), ended(error), () => text);
  }

  async #finish(data: Promise<boolean>, error: Promise<unknown>, text: () => string): Promise<void> {
    const isComplete = await data;
    await error;
    if (text() !== "") this.destroy(new NodePortError(text()));
    else if (isComplete) this.push(null);
    else this.destroy();
  }

  override _read(): void {
    this.#data.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#data.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#data.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#data.destroy();
    this.#connection.end();
    done(error);
  }
}

/** Resolves to true at the end of a stream, and to false when it was destroyed before. */
function ended(stream: SpdyStream): Promise<boolean> {
  return new Promise((resolve) => {
    stream.once("end", () => resolve(true)).once("close", () => resolve(false));
  });
}
