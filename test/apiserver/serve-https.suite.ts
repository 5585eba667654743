import { listen, type ListenerOptions } from "../../src/apiserver/http/listener.ts";
import type { ApiServer } from "../../src/apiserver/server.ts";
import { upgradeHandler } from "../../src/apiserver/streaming/upgrade.ts";
import type { Pki } from "../../src/cluster/pki.ts";
import { systemClock } from "../../src/util/clock.ts";
import { silentLogger } from "../../src/util/logger.ts";

/** Serves HTTPS on a free port of loopback, in real time, until the signal fires. Resolves with the port. */
export async function serveHttps(
  server: ApiServer,
  pki: Pki,
  signal: AbortSignal,
  upgrade: ListenerOptions["upgrade"] = upgradeHandler(server),
): Promise<number> {
  const options = {
    handler: server.handle,
    upgrade,
    log: silentLogger,
    clock: systemClock,
    key: pki.server.key,
    certificate: pki.server.certificate,
    clientCa: pki.ca.certificate,
    host: "127.0.0.1",
    port: 0,
  };
  const { port } = await listen(options, signal);
  return port;
}
