import { Agent, request } from "node:https";
import { errorCode } from "../../util/error-code.ts";

/** One outgoing HTTPS request. */
export interface HttpsRequest {
  /** `https://host:port/path?query`; also shown in errors. */
  readonly url: string;
  /** The address to connect to instead of the URL's host. */
  readonly address?: { readonly host: string; readonly port: number };
  /** The trusted authorities as PEM; by default those of the machine. */
  readonly authorities?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Sends a request to a webhook. Rejects with the network's error. */
export type SendHttps = (request: HttpsRequest) => Promise<HttpsAnswer>;

/** The greatest size of an answer in bytes. */
const maxAnswer = 64 * 1024 * 1024;

/** Connections stay open for a while, because conversion webhooks are called repeatedly. */
const agent = new Agent({ keepAlive: true, timeout: 60_000 });

/** Sends a POST over the machine's network. */
export const sendHttps: SendHttps = async (options) => {
  for (;;) {
    const outgoing = post(options);
    try {
      return await outgoing.answer;
    } catch (error) {
      // The other side may close a connection just when it is reused.
      if (!outgoing.wasReused() || errorCode(error) !== "ECONNRESET") throw error;
    }
  }
};

function post({ url, address, authorities, headers, body, signal }: HttpsRequest) {
  const { hostname, host, port, pathname, search } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<HttpsAnswer>();
  const outgoing = request(
    {
      agent,
      method: "POST",
      host: address?.host ?? hostname.replace(/^\[|\]$/g, ""),
      port: address?.port ?? Number(port || 443),
      path: pathname + search,
      headers: { ...headers, host, "content-length": String(Buffer.byteLength(body)) },
      signal,
      ...(address === undefined ? {} : { servername: hostname }),
      ...(authorities === undefined ? {} : { ca: authorities }),
    },
    (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswer) incoming.destroy(new Error("the answer is too large"));
        else chunks.push(chunk);
      });
      incoming.on("error", reject);
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          contentType: incoming.headers["content-type"] ?? "",
          body: Buffer.concat(chunks).toString(),
        }),
      );
    },
  );
  outgoing.on("error", reject);
  outgoing.end(body);
  return { answer: promise, wasReused: () => outgoing.reusedSocket };
}
