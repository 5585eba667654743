import { Agent, request } from "node:https";

/** One HTTPS request as it goes out. */
export interface HttpsRequest {
  /** `https://host:port/path?query`; also what errors say. */
  readonly url: string;
  /** Where the connection goes instead of the URL's host. */
  readonly address?: { readonly host: string; readonly port: number };
  /** Who may vouch for the server, as PEM; otherwise those that the machine trusts. */
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

/** How the server reaches webhooks. Rejects with what the network says. */
export type SendHttps = (request: HttpsRequest) => Promise<HttpsAnswer>;

/** Answers beyond this are not read, in bytes. */
const maxAnswer = 64 * 1024 * 1024;

/** Connections stay open for a while: a webhook that converts is called again and again. */
const agent = new Agent({ keepAlive: true, timeout: 60_000 });

/** A POST over the machine's network. */
export const sendHttps: SendHttps = async (options) => {
  for (;;) {
    const outgoing = post(options);
    try {
      return await outgoing.answer;
    } catch (error) {
      // The other side may close a connection just when it is used again.
      if (!outgoing.wasReused() || (error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
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
