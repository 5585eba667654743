import { type ClientHttp2Session, connect, constants, type SecureClientSessionOptions } from "node:http2";
import type { Clock, Timer } from "../util/clock.ts";
import { ConnectionError } from "./errors.ts";

/** The interval of pings, and the time after which a connection without an answer is closed (client-go's values). */
const pingEveryMs = 30_000;
const pingTimeoutMs = 15_000;
/** The number of streams of a connection until the server has sent its settings. */
const assumedStreams = 100;

/**
 * The memory of a connection, in megabytes. Beyond it, Node refuses the headers of answers: with Node's default of 10,
 * a few large concurrent writes would end every request of the connection.
 */
const maxSessionMemory = 1024;

interface Connection {
  readonly session: ClientHttp2Session;
  streams: number;
}

/**
 * HTTP/2 connections to one server. A further connection is opened only when the streams of the others are used up,
 * because every watch holds a stream and a server limits streams. After GOAWAY a connection takes no new requests, and
 * the next request replaces it.
 */
export class HttpSessions {
  readonly #url: string;
  readonly #options: SecureClientSessionOptions;
  readonly #clock: Clock;
  readonly #open = new Set<Connection>();
  #connecting: Promise<Connection> | undefined;
  #closed = false;

  constructor(url: string, options: SecureClientSessionOptions, clock: Clock) {
    this.#url = url;
    this.#options = options;
    this.#clock = clock;
  }

  /** Returns a session with room for a stream. Call `release` when the stream has closed. */
  async acquire(): Promise<{ session: ClientHttp2Session; release: () => void }> {
    const connection = this.#withRoom() ?? (await this.#connectOnce());
    connection.streams += 1;
    return { session: connection.session, release: () => (connection.streams -= 1) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting?.catch(() => undefined);
    for (const { session } of this.#open) session.destroy();
  }

  #withRoom(): Connection | undefined {
    for (const connection of this.#open) {
      const { session, streams } = connection;
      if (session.closed || session.destroyed) continue;
      if (streams < (session.remoteSettings.maxConcurrentStreams ?? assumedStreams)) return connection;
    }
    return undefined;
  }

  /** Makes one connection at a time; requests that arrive meanwhile wait for that one. */
  async #connectOnce(): Promise<Connection> {
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  #connect(): Promise<Connection> {
    if (this.#closed)
      return Promise.reject(new ConnectionError(`connect to ${this.#url}`, "the transport is closed"));
    return new Promise((resolve, reject) => {
      const session = connect(this.#url, { ...this.#options, maxSessionMemory });
      const connection: Connection = { session, streams: 0 };
      const heartbeat = this.#heartbeat(session);
      let failure: unknown = "the connection was closed";
      session.once("error", (error) => (failure = error));
      session.once("remoteSettings", () => {
        this.#open.add(connection);
        if (this.#closed) session.destroy();
        resolve(connection);
      });
      session.once("close", () => {
        heartbeat();
        this.#open.delete(connection);
        reject(new ConnectionError(`connect to ${this.#url}`, failure));
      });
    });
  }

  /** Detects connections whose peer vanished without closing. Without it, their watches would stay silent for ever. */
  #heartbeat(session: ClientHttp2Session): () => void {
    let timer: Timer;
    const giveUp = () => session.destroy(new Error("the server does not answer"), constants.NGHTTP2_CANCEL);
    const ping = () => {
      timer = this.#clock.after(pingTimeoutMs, giveUp);
      if (session.connecting || session.destroyed) return;
      session.ping(() => {
        timer.cancel();
        if (!session.destroyed) timer = this.#clock.after(pingEveryMs, ping);
      });
    };
    // The first deadline also limits the time to connect.
    timer = this.#clock.after(pingEveryMs, ping);
    return () => timer.cancel();
  }
}
