import type { Clock } from "../../util/clock.ts";

/** How long connections may wait, in milliseconds, and how many there may be. */
export interface ConnectionLimits {
  /** From a TCP connection, by way of TLS, to its first request; and from a request's first byte to its last. */
  readonly requestMs: number;
  /** From the last answer to the next request. */
  readonly keepAliveMs: number;
  readonly maxConnections: number;
}

/** Go clients keep idle connections for 90 s and do not repeat a write that met a closed one. */
export const connectionLimits: ConnectionLimits = {
  requestMs: 20_000,
  keepAliveMs: 180_000,
  maxConnections: 10_000,
};

/** The time between two looks at the connections: a limit is exceeded by no more than this. */
export const sweepMs = 5_000;

/** As much of a socket as its lifetime takes. */
interface Closable {
  destroy(): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** What is known of a connection. */
export interface Connection {
  readonly socket: Closable;
  /** Under way, streams included. */
  requests: number;
  served: boolean;
  waitingSince: number;
}

/**
 * The connections of a listener. One that waits too long for a request is closed: connections that say nothing must
 * not keep descriptors from other clients.
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

  /** Makes room: closes the connection that has waited for longest, and rather one that has never sent a request. */
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
