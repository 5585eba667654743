import { type ClientHttp2Session, constants } from "node:http2";
import type { Json } from "../src/apiserver/server.suite.ts";

export interface HttpAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text parsed as JSON; undefined when the answer is no JSON. */
  readonly json: Json;
}

export interface HttpCall {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends one request and resolves with its whole answer. */
export function send(
  session: ClientHttp2Session,
  method: string,
  path: string,
  { headers = {}, body }: HttpCall = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const options = { endStream: body === undefined };
    const stream = session.request({ ":method": method, ":path": path, ...headers }, options);
    const chunks: Buffer[] = [];
    let found: Readonly<Record<string, string>> = {};
    stream.on("response", (all) => {
      found = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("close", () => {
      const text = Buffer.concat(chunks).toString();
      const isJson = found["content-type"]?.startsWith("application/json") === true && text !== "";
      const code = Number(found[constants.HTTP2_HEADER_STATUS] ?? 0);
      resolve({
        code,
        headers: found,
        text,
        // Parsed at the first access, because the answer of a watch is one document for each line.
        get json(): Json {
          return isJson ? JSON.parse(text) : undefined;
        },
      });
    });
    if (body !== undefined) stream.end(body);
  });
}
