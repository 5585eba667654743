import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { afterAll, beforeAll } from "vitest";
import { type Bed, type BedOptions, startBedUntil } from "../../src/apiserver/server.suite.ts";
import type { KeyPair } from "../../src/cluster/key-pair.ts";
import { ensurePki, type Pki } from "../../src/cluster/pki.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";
import { systemRandom } from "../../src/util/random.ts";
import { serveHttps } from "./serve-https.suite.ts";
import { type HttpAnswer, type HttpCall, send } from "../http-call.ts";

/** A real server on loopback, called over HTTP/2 and TLS as an administrator. */
export interface HttpsServer {
  readonly bed: Bed;
  readonly pki: Pki;
  readonly port: number;
  readonly session: ClientHttp2Session;
  readonly send: (method: string, path: string, call?: HttpCall) => Promise<HttpAnswer>;
  /** Opens another connection: with another certificate, or none. */
  readonly open: (identity?: KeyPair) => ClientHttp2Session;
  /** Opens a raw TLS connection that speaks HTTP/1.1. */
  readonly raw: () => ReturnType<typeof connectTls>;
}

/** Starts the server before all tests of the file, and stops it after them. */
export function useHttpsServer(options: BedOptions = {}): () => HttpsServer {
  let server: HttpsServer | undefined;
  const stop = new AbortController();
  const sessions: ClientHttp2Session[] = [];
  beforeAll(async () => {
    const { bed } = await startBedUntil(stop.signal, options);
    const env = { clock: systemClock, random: systemRandom, log: silentLogger };
    const pki = await ensurePki({ env, directory: undefined, serverNames: ["localhost", "127.0.0.1"] });
    const port = await serveHttps(bed.server, pki, stop.signal);
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
