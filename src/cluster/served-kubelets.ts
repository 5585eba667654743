import type { Kubelet } from "../kubelet/kubelet.ts";
import type { Env } from "../util/env.ts";
import { errorText } from "../util/error-text.ts";
import type { KeyPair } from "./key-pair.ts";
import { defaultAccess } from "./kubelet-access.ts";
import { configurationInUse } from "./kubelet-configuration.ts";
import { kubeletPort, serveKubelet } from "./kubelet-server.ts";
import type { NodeSetup } from "./node-setup.ts";
import { makeServingPair } from "./pki.ts";

export interface ServedKubeletsOptions {
  readonly env: Env;
  /** PEM of the authority of clients' certificates. */
  readonly clientCa: string;
  readonly dnsAddress: string | undefined;
  readonly clusterDomain: string;
}

const host = "127.0.0.1";

/** The HTTPS servers of the real nodes of this process, on loopback. */
export class ServedKubelets {
  readonly #options: ServedKubeletsOptions;
  readonly #pairs = new Map<string, Promise<KeyPair>>();

  constructor(options: ServedKubeletsOptions) {
    this.#options = options;
  }

  /** Makes the certificates while other parts start: a node registers once it is served. */
  prepare(nodes: readonly NodeSetup[]): void {
    for (const { nodeName: name, runtime } of nodes) {
      if (runtime.check !== undefined) continue; // A simulated node is not served.
      const pair = makeServingPair(name, [name, "localhost", host], this.#options.env.clock.now());
      pair.catch(() => {}); // `serve` reports the error.
      this.#pairs.set(name, pair);
    }
  }

  /** Serves a prepared node. Resolves to the port; to 0 when it cannot be served. */
  async serve(kubelet: Kubelet, signal: AbortSignal): Promise<number> {
    const { env, clientCa, dnsAddress, clusterDomain } = this.#options;
    const { name } = kubelet.context;
    try {
      const serving = await this.#pairs.get(name);
      if (serving === undefined) throw new Error("it has no certificate");
      const configuration = configurationInUse(kubelet, { address: host, dnsAddress, clusterDomain });
      const ports = [kubeletPort, 0];
      const server = { env, kubelet, access: defaultAccess, host, ports, serving, clientCa, configuration };
      return await serveKubelet(server, signal);
    } catch (error) {
      env.log.warn("the kubelet is not served", { node: name, error: errorText(error) });
      return 0;
    }
  }
}
