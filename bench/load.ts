import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import type { Connection } from "../src/client/http.ts";

/**
 * The flow-control windows: the number of bytes that a server may send ahead, as Go's clients allow it (x/net
 * `http2.transportDefaultStreamFlow` and `…ConnFlow`).
 */
const streamWindow = 4 * 2 ** 20;
const connectionWindow = 2 ** 30;

const json = "application/json";

/**
 * A load generator with little cost of its own: bodies are bytes made beforehand, answers are counted and not parsed.
 * Requests are spread over several HTTP/2 connections.
 */
export class Load {
  readonly #sessions: readonly ClientHttp2Session[];

  constructor({ server, ca, certificate }: Connection, connections: number) {
    const keys = certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key };
    this.#sessions = Array.from({ length: connections }, () => {
      const settings = { initialWindowSize: streamWindow };
      const session = connect(server, { ...keys, ...(ca === undefined ? {} : { ca }), settings });
      session.once("connect", () => session.setLocalWindowSize(connectionWindow));
      return session;
    });
  }

  /** Sends a request over a worker's connection; resolves with the number of bytes in the answer. */
  send(
    worker: number,
    method: string,
    path: string,
    expected: number,
    { body, accept }: { readonly body?: Uint8Array; readonly accept?: string } = {},
  ): Promise<number> {
    const stream = this.#open(worker, method, path, accept);
    return new Promise((resolve, reject) => {
      let status = 0;
      let bytes = 0;
      stream.on("response", (headers) => (status = headers[":status"] ?? 0));
      stream.on("data", (chunk: Buffer) => (bytes += chunk.length));
      stream.on("error", reject);
      stream.on("end", () => {
        if (status === expected) resolve(bytes);
        else reject(new Error(`${method} ${path} was answered with ${status}`));
      });
      stream.end(body);
    });
  }

  /** Watches until closed, and reports the number of events in each chunk. Resolves when the server has answered. */
  async watch(
    worker: number,
    path: string,
    onEvents: (count: number) => void,
    onEnd: (error: Error) => void,
  ): Promise<() => void> {
    const stream = this.#open(worker, "GET", path);
    stream.on("data", (chunk: Buffer) => onEvents(countLines(chunk)));
    stream.on("error", onEnd);
    stream.on("end", () => onEnd(new Error(`the server ended the watch of ${path}`)));
    stream.end();
    await new Promise((resolve) => stream.once("response", resolve));
    return () => {
      stream.removeAllListeners("end");
      stream.close();
    };
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
  }

  #open(worker: number, method: string, path: string, accept = json): ClientHttp2Stream {
    const session = this.#sessions[worker % this.#sessions.length];
    if (session === undefined) throw new TypeError("there is at least one connection");
    return session.request({ ":method": method, ":path": path, accept, "content-type": json });
  }
}

function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count += 1;
  return count;
}
