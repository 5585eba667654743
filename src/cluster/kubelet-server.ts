import { listen } from "../apiserver/http/listener.ts";
import { kubeletEndpoint } from "../kubelet/endpoint/endpoint.ts";
import type { Kubelet } from "../kubelet/kubelet.ts";
import { kubeletHost } from "../kubelet/server/kubelet-host.ts";
import { KubeletServer } from "../kubelet/server/server.ts";
import type { Env } from "../util/env.ts";
import type { KeyPair } from "./key-pair.ts";
import { type KubeletAccessOptions, kubeletAccess } from "./kubelet-access.ts";

/** Upstream's port of the kubelet. */
export const kubeletPort = 10_250;

/** Far more than API servers, metrics-server and Prometheus open. */
const limits = { requestMs: 20_000, keepAliveMs: 90_000, maxConnections: 1_000 };

export interface KubeletServerOptions {
  readonly env: Env;
  readonly kubelet: Kubelet;
  readonly access: KubeletAccessOptions;
  readonly host: string;
  /** The ports in order of preference: the next one is tried when one is taken. 0 is any free port. */
  readonly ports: readonly number[];
  readonly serving: KeyPair;
  /** PEM of the authority of clients' certificates. Without one, clients need tokens. */
  readonly clientCa: string | undefined;
  /** The KubeletConfiguration in use, for `/configz`. */
  readonly configuration: object;
}

/** Serves a kubelet over HTTPS until the signal fires. Resolves to the port once it listens. @throws the listener's error */
export async function serveKubelet(options: KubeletServerOptions, signal: AbortSignal): Promise<number> {
  const { env, kubelet, access, host, ports, serving, configuration } = options;
  const { client } = kubelet.context;
  const endpoint = kubeletEndpoint(kubelet);
  const server = new KubeletServer(
    kubeletHost({ env, kubelet, endpoint, configuration }),
    kubeletAccess(client, env.clock, access),
  );
  // Without an authority, Node would trust those of the Web. Nobody can have a certificate of this one.
  const clientCa = options.clientCa ?? serving.certificate;
  const { handle: handler, upgrade } = server;
  const { log, clock } = env;
  for (const [index, port] of ports.entries()) {
    try {
      const where = { host, port, handler, upgrade, log, clock, ...serving, clientCa, limits };
      return (await listen(where, signal)).port;
    } catch (error) {
      if (index === ports.length - 1 || !isTaken(error)) throw error;
    }
  }
  throw new Error("Cannot serve the kubelet: no port is given");
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}
