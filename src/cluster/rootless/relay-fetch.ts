import type { IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type Socket } from "node:net";
import { Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { Fetch } from "../../kubelet/images/registry.ts";
import { http } from "../../util/node-http.ts";
import { connectByRelay } from "./relay.ts";

/** The limit of browsers and of undici. */
const maxRedirects = 20;
/** The longest silence of a server. */
const silenceMs = 60_000;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Returns a `fetch` whose connections are made by the relay at a Unix socket: GET requests with headers, as pulls of images
 * make them. Redirects are followed; an `authorization` goes to the first origin only.
 */
export function relayFetch(relay: string): Fetch {
  return async (input, { headers, method = "GET" } = {}) => {
    if (method !== "GET") throw new TypeError(`Cannot send ${method} by the relay`);
    let url = new URL(input instanceof Request ? input.url : input);
    const { origin } = url;
    const sent = new Headers(headers);
    for (let count = 0; count <= maxRedirects; count++) {
      if (url.origin !== origin) sent.delete("authorization");
      const message = await get(relay, url, sent);
      const { statusCode = 500, headers: received } = message;
      const { location } = received;
      if (!redirects.includes(statusCode) || location === undefined) return responseOf(message);
      message.destroy();
      url = new URL(location, url);
    }
    throw new Error(`${origin} redirects too often`);
  };
}

function responseOf(message: IncomingMessage): Response {
  const headers = new Headers();
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2)
    headers.append(message.rawHeaders[i] ?? "", message.rawHeaders[i + 1] ?? "");
  const { statusCode: status = 500 } = message;
  const isEmpty = [204, 205, 304].includes(status);
  // Safe: Node's stream is the web's, with a type of its own.
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
}

async function get(relay: string, url: URL, headers: Headers): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  if (!isSecure && url.protocol !== "http:") throw new TypeError(`Cannot fetch ${url.protocol}`);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const plain = await connectByRelay(relay, host, Number(url.port || (isSecure ? 443 : 80)));
  const send = isSecure ? requestHttps : http.request;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      headers: Object.fromEntries(headers),
      createConnection: () => (isSecure ? secured(plain, host) : plain),
    });
    request.setTimeout(silenceMs, () => request.destroy(new Error("the server is silent")));
    request.once("error", reject).once("response", resolve).end();
  });
}

function secured(socket: Socket, host: string): Socket {
  return connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }) });
}
