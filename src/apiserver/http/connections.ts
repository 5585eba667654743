import type { Clock } from "../../util/clock.ts";

/** The limits of connections' waiting times, in milliseconds, and of their number. */
export interface ConnectionLimits {
  /**
   * From a TCP connection, including TLS, to its first request; and from a request's first byte to its last.
   */
  readonly requestMs: number;
  /** From the last answer to the next request. */
  readonly keepAliveMs: number;
  readonly maxConnections: number;
}

/** Go clients keep idle connections for 90 s and do not repeat a write on a closed connection. */
export const connectionLimits: ConnectionLimits = {
  requestMs: 20_000,
  keepAliveMs: 180_000,
  maxConnections: 10_000,
};

/** The interval of checks: a limit is exceeded by no more than this. */
export const sweepMs = 5_000;

/** The methods of a socket that its lifetime depends on. */
interface Closable {
  destroy(): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** The state of a connection. */
export interface Connection {
  readonly socket: Closable;
  /** The number of requests in progress, including streams. */
  requests: number;
  served: boolean;
  waitingSince: number;
}

/**
 * The connections of a listener. A connection that waits too long for a request is closed: idle connections
 * must not keep descriptors from other clients.
 */
export class Connections {
  readonly #clock: Clock;
  readonly #limits: ConnectionLimits;
  readonly #all = new Set<Connection>();
  #isSweeping = false;

  constructor(clock: Clock, limits: ConnectionLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  add(socket: Closable): Connection {
    const waitingSince = this.#clock.monotonic();
    const connection: Connection = { socket, requests: 0, served: false, waitingSince };
    this.#all.add(connection);
    socket.once("close", () => this.#all.delete(connection));
    if (!this.#isSweeping) this.#sweepLater();
    return connection;
  }

  begin(connection: Connection): void {
    connection.requests += 1;
    connection.served = true;
  }

  end(connection: Connection): void {
    connection.requests -= 1;
    connection.waitingSince = this.#clock.monotonic();
  }

  /** Closes the connection that has waited longest, preferring those without any request. */
  evictWaiting(): void {
    let longest: Connection | undefined;
    for (const one of this.#all) {
      if (one.requests > 0) continue;
      const goesBefore = (other: Connection) =>
        one.served === other.served ? one.waitingSince < other.waitingSince : other.served;
      if (longest === undefined || goesBefore(longest)) longest = one;
    }
    longest?.socket.destroy();
  }

  closeAll(): void {
    for (const { socket } of this.#all) socket.destroy();
  }

  #sweepLater(): void {
    this.#isSweeping = true;
    this.#clock.after(sweepMs, () => {
      const now = this.#clock.monotonic();
      const { keepAliveMs, requestMs } = this.#limits;
      for (const { socket, requests, served, waitingSince } of this.#all) {
        if (requests === 0 && now - waitingSince > (served ? keepAliveMs : requestMs)) socket.destroy();
      }
      this.#isSweeping = this.#all.size > 0;
      if (this.#isSweeping) this.#sweepLater();
    });
  }
}
