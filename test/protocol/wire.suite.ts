import { on, once } from "node:events";
import type { ClientHttp2Session } from "node:http2";
import { expect, test } from "vitest";
import type { HttpsServer } from "../apiserver/https-server.suite.ts";
import type { HttpAnswer, HttpCall } from "../http-call.ts";

/** A request, and the expected parts of its answer: members of `json`, exact headers, a text in the message. */
export type Exchange = readonly [
  what: string,
  method: string,
  path: string,
  call: HttpCall,
  expected: {
    readonly code: number;
    readonly json?: unknown;
    readonly headers?: Readonly<Record<string, unknown>>;
    readonly message?: string | RegExp;
  },
];

export const inDefault = (plural: string) => `/api/v1/namespaces/default/${plural}`;
export const configMaps = inDefault("configmaps");

export const protobuf = "application/vnd.kubernetes.protobuf";
export const mergePatch = "application/merge-patch+json";
export const jsonPatch = "application/json-patch+json";
export const applyPatch = "application/apply-patch+yaml";

export const as = (type: string, body: unknown, headers: HttpCall["headers"] = {}): HttpCall => ({
  headers: { "content-type": type, ...headers },
  body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
});
export const json = (body: unknown, headers?: HttpCall["headers"]) => as("application/json", body, headers);
export const merge = (body: unknown) => as(mergePatch, body);
export const accept = (type: string): HttpCall => ({ headers: { accept: type } });

/** Makes one test of each exchange, in order: later ones may build on earlier ones. */
export function testExchanges(server: () => HttpsServer, exchanges: readonly Exchange[]): void {
  test.each(exchanges)("%s", async (_what, method, path, call, expected) => {
    check(await server().send(method, path, call), expected);
  });
}

export function check(answer: HttpAnswer, { code, headers, message, json }: Exchange[4]): void {
  expect({ code: answer.code, text: code === answer.code ? "" : answer.text }).toEqual({ code, text: "" });
  if (headers !== undefined) expect(answer.headers).toMatchObject(headers);
  if (typeof message === "string") expect(answer.json.message).toBe(message);
  else if (message !== undefined) expect(answer.json.message).toMatch(message);
  if (json !== undefined) expect(answer.json).toMatchObject(json as object);
}

/** A request whose answer does not end by itself. */
export interface Stream {
  readonly headers: Readonly<Record<string, string>>;
  /** Reads until there are enough bytes, or until the server ends the stream. */
  readonly upTo: (isEnough: (bytes: Buffer) => boolean) => Promise<Buffer>;
  /** Reads until the server ends the stream. */
  readonly toEnd: () => Promise<Buffer>;
  close(): void;
}

/** Resolves with the answer's headers, before any byte of its body. */
export async function openStream(
  session: ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Stream> {
  const stream = session.request({ ":path": path, ...headers });
  const chunks = on(stream, "data", { close: ["end"] });
  const [all] = (await once(stream, "response")) as [Readonly<Record<string, unknown>>];
  let received = Buffer.alloc(0);
  const upTo = async (isEnough: (bytes: Buffer) => boolean): Promise<Buffer> => {
    while (!isEnough(received)) {
      const { done, value } = await chunks.next();
      if (done === true) break;
      received = Buffer.concat([received, ...(value as readonly Buffer[])]);
    }
    return received;
  };
  return {
    headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)])),
    upTo,
    toEnd: () => upTo(() => false),
    close: () => stream.close(),
  };
}

/** Parses the events of a watch in JSON, one on each line. */
export function lines(bytes: Buffer): ReturnType<typeof JSON.parse>[] {
  return bytes
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
