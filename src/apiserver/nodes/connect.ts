import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Agent, request, type RequestOptions } from "node:https";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../../util/clock.ts";
import { joinHostPort, type KubeletLocation } from "./location.ts";

/** The API server's credentials for kubelets. PEM. */
export interface KubeletCredentials {
  readonly certificate: string;
  readonly key: string;
  /**
   * The authorities of kubelets' serving certificates (`--kubelet-certificate-authority`). Without them, a serving
   * certificate is not verified, as upstream: kubelets sign their own by default.
   */
  readonly authorities?: string | undefined;
}

export interface KubeletClientOptions {
  readonly clock: Clock;
  readonly credentials: KubeletCredentials;
  readonly lookup?: LookupFunction | undefined;
}

/** A request to a kubelet. */
export interface KubeletRequest {
  readonly location: KubeletLocation;
  readonly method: string;
  /** Contains the query. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly signal?: AbortSignal | undefined;
  /** The time until the answer's headers, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
  readonly body?: Uint8Array | undefined;
  /** Default: the client's. */
  readonly lookup?: LookupFunction | undefined;
}

/** A connection that has left HTTP, or the answer that refuses to. */
export type Upgraded =
  | { readonly isUpgraded: true; readonly socket: Duplex; readonly response: IncomingMessage }
  | { readonly isUpgraded: false; readonly response: IncomingMessage };

/** Calls back with the answer to a request for another protocol. */
export function onUpgraded(outgoing: ClientRequest, settle: (upgraded: Upgraded) => void): void {
  outgoing.once("response", (response) => settle({ isUpgraded: false, response }));
  outgoing.once("upgrade", (response, socket, head) => {
    socket.on("error", () => socket.destroy());
    if (head.length > 0) socket.unshift(head);
    settle({ isUpgraded: true, response, socket });
  });
}

/** The greatest time until TLS is established (upstream: 30 s for TCP). */
const connectTimeoutMs = 30_000;
/** Bounds the connections for statistics and proxied requests; others wait. */
const maxSockets = 128;

/**
 * Connects to kubelets, always over TLS and with the API server's client certificate. Redirects are not followed.
 * Rejects with the network's error.
 */
export class KubeletClient {
  readonly #clock: Clock;
  readonly #tls: RequestOptions;
  /** Connects for answers that end by themselves. Streams have connections of their own, so that none waits for another. */
  readonly #agent = new Agent({ maxTotalSockets: maxSockets });
  readonly #streams = new Agent();

  constructor({ clock, credentials, lookup }: KubeletClientOptions) {
    this.#clock = clock;
    const { certificate: cert, key, authorities: ca } = credentials;
    this.#tls = {
      cert,
      key,
      minVersion: "TLSv1.2",
      rejectUnauthorized: ca !== undefined,
      // As Go: any listed certificate is trusted, even one that another signed.
      ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
      ...(lookup !== undefined && { lookup }),
    };
  }

  /** Resolves with the answer's headers. The answer's body must be read or destroyed. */
  send(options: KubeletRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#request(options, this.#agent, reject);
      outgoing.once("response", resolve).end(options.body);
    });
  }

  /** Requests an endless answer, such as a followed log. */
  stream(options: KubeletRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#request(options, this.#streams, reject).once("response", resolve).end(options.body);
    });
  }

  /** Requests another protocol. */
  upgrade(options: KubeletRequest): Promise<Upgraded> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#request(options, this.#streams, reject);
      onUpgraded(outgoing, resolve);
      outgoing.end();
    });
  }

  #request(options: KubeletRequest, agent: Agent, reject: (error: Error) => void) {
    const { location, method, path, headers = {}, signal, timeoutMs, lookup } = options;
    const outgoing = request({
      ...this.#tls,
      agent,
      host: location.host,
      port: location.port,
      method,
      path,
      headers: { host: joinHostPort(location), ...headers },
      ...(signal !== undefined && { signal }),
      ...(lookup !== undefined && { lookup }),
    });
    const fail = (message: string) => outgoing.destroy(new Error(message));
    const connecting = this.#clock.after(connectTimeoutMs, () =>
      fail(`dial tcp ${joinHostPort(location)}: i/o timeout`),
    );
    const waiting =
      timeoutMs === undefined
        ? undefined
        : this.#clock.after(timeoutMs, () => fail("net/http: timeout awaiting response headers"));
    outgoing.once("socket", (socket) => socket.once("secureConnect", () => connecting.cancel()));
    const settle = () => {
      connecting.cancel();
      waiting?.cancel();
    };
    outgoing.once("close", settle).once("response", settle).once("upgrade", settle);
    // An answer that breaks off has an error of its own.
    outgoing.on("error", reject);
    return outgoing;
  }
}
