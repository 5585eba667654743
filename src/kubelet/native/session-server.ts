import { rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { readLines } from "./read-lines.ts";

/** A connection of a session's supervisor, and what was read of it. */
export interface SessionConnection {
  readonly socket: Socket;
  readonly start: Buffer;
}

/**
 * The socket at which the supervisors of sessions appear, each with the name that its plan contains. The directory of the
 * socket belongs to Knarr alone.
 */
export class SessionServer {
  readonly path: string;
  readonly #server: Server;
  readonly #expected = new Map<string, (connection: SessionConnection) => void>();

  private constructor(path: string, server: Server) {
    this.path = path;
    this.#server = server;
  }

  static async open(path: string): Promise<SessionServer> {
    await rm(path, { force: true }); // Of an earlier process.
    const server = createServer();
    server.listen(path);
    await once(server, "listening");
    server.unref();
    const sessions = new SessionServer(path, server);
    server.on("connection", (socket) => sessions.#greet(socket));
    return sessions;
  }

  /** Resolves when the session of that name appears; `forget` stops waiting. */
  expect(name: string): Promise<SessionConnection> {
    this.#server.ref(); // The process must not end before the session appears.
    return new Promise((resolve) => this.#expected.set(name, resolve));
  }

  forget(name: string): void {
    this.#expected.delete(name);
    if (this.#expected.size === 0) this.#server.unref();
  }

  close(): void {
    this.#server.close();
  }

  #greet(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    let name = "";
    readLines(
      socket,
      (line) => {
        name = line;
        return true;
      },
      (start) => {
        const take = this.#expected.get(name);
        this.forget(name);
        if (take === undefined) socket.destroy();
        else take({ socket, start });
      },
    );
  }
}
