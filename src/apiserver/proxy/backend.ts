import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { http } from "../../util/node-http.ts";
import { onUpgraded, type Upgraded } from "../nodes/connect.ts";
import type { Kubelet } from "../nodes/spdy.ts";
import { startTls } from "./dial.ts";

/** One request for a backend. */
export interface BackendRequest {
  readonly method: string;
  /** Contains the query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

/** The destination of proxied requests. Rejects with the network's error. */
export interface Backend {
  /** The host and port, as redirects of the backend may have them. */
  readonly host: string;
  send(request: BackendRequest): Promise<IncomingMessage>;
  upgrade(request: BackendRequest): Promise<Upgraded>;
}

/** Connects through a kubelet's own port, with the API server's certificate. */
export function kubeletBackend({ client, location }: Kubelet, host: string, lookup: LookupFunction): Backend {
  return {
    host,
    send: (request) => client.stream({ location, lookup, ...request }),
    upgrade: (request) => client.upgrade({ location, lookup, ...request }),
  };
}

/** Connects through a stream of its own for each request. */
export function streamBackend(host: string, isTls: boolean, dial: () => Promise<Duplex>): Backend {
  const request = async ({ body, ...options }: BackendRequest) => {
    const stream = await dial();
    options.signal.addEventListener("abort", () => stream.destroy(), { once: true });
    if (options.signal.aborted) stream.destroy();
    const secured = isTls ? startTls(stream) : stream;
    return { outgoing: http.request({ ...options, createConnection: () => secured }), body };
  };
  return {
    host,
    async send(options) {
      const { outgoing, body } = await request(options);
      return new Promise((resolve, reject) => {
        outgoing.once("response", resolve).on("error", reject).end(body);
      });
    },
    async upgrade(options) {
      const { outgoing } = await request(options);
      return new Promise((resolve, reject) => {
        onUpgraded(outgoing, resolve);
        outgoing.on("error", reject).end();
      });
    },
  };
}
