import { connect as connectHttp2, type ClientHttp2Session, constants } from "node:http2";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { afterAll, beforeAll } from "vitest";
import { listen } from "../../src/apiserver/http/listener.ts";
import { type Bed, type BedOptions, type Json, startBedUntil } from "../../src/apiserver/server.suite.ts";
import { upgradeHandler } from "../../src/apiserver/streaming/upgrade.ts";
import { ensurePki, type KeyPair, type Pki } from "../../src/cluster/pki.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { systemRandom } from "../../src/util/random.ts";

export interface HttpAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The text as JSON, where it is. */
  readonly json: Json;
}

export interface HttpCall {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A real server on loopback, spoken to over HTTP/2 and TLS as an administrator. */
export interface HttpsServer {
  readonly bed: Bed;
  readonly pki: Pki;
  readonly port: number;
  readonly session: ClientHttp2Session;
  readonly send: (method: string, path: string, call?: HttpCall) => Promise<HttpAnswer>;
  /** Another connection: with another certificate, or none. */
  readonly open: (identity?: KeyPair) => ClientHttp2Session;
  /** A raw TLS connection that speaks HTTP/1.1. */
  readonly raw: () => ReturnType<typeof connectTls>;
}

/** Starts the server before all tests of the file, and ends it after them. */
export function useHttpsServer(options: BedOptions = {}): () => HttpsServer {
  let server: HttpsServer | undefined;
  const stop = new AbortController();
  const sessions: ClientHttp2Session[] = [];
  beforeAll(async () => {
    const { bed } = await startBedUntil(stop.signal, options);
    const env = { clock: systemClock, random: systemRandom, log: silentLogger };
    const pki = await ensurePki({ env, directory: undefined, serverNames: ["localhost", "127.0.0.1"] });
    const listening = {
      handler: bed.server.handle,
      upgrade: upgradeHandler(bed.server.services),
      log: silentLogger,
      key: pki.server.key,
      certificate: pki.server.certificate,
      clientCa: pki.ca.certificate,
      host: "127.0.0.1",
      port: 0,
    };
    const { port } = await listen(listening, stop.signal);
    const tls = (identity: KeyPair | undefined): ConnectionOptions => ({
      ca: pki.ca.certificate,
      ...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key }),
    });
    const open = (identity?: KeyPair) => {
      const session = connectHttp2(`https://127.0.0.1:${port}`, tls(identity));
      session.on("error", () => {});
      sessions.push(session);
      return session;
    };
    const session = open(pki.admin);
    server = {
      bed,
      pki,
      port,
      session,
      open,
      send: (method, path, call) => send(session, method, path, call),
      raw: () => connectTls({ host: "127.0.0.1", port, ALPNProtocols: ["http/1.1"], ...tls(pki.admin) }),
    };
  });
  afterAll(() => {
    for (const session of sessions) session.destroy();
    stop.abort();
  });
  return () => {
    if (server === undefined) throw new TypeError("Cannot use the server: it has not been started");
    return server;
  };
}

/** One request and its whole answer. */
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
      resolve({ code, headers: found, text, json: isJson ? JSON.parse(text) : undefined });
    });
    if (body !== undefined) stream.end(body);
  });
}
