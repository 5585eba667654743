import { Kubelet } from "../kubelet/kubelet.ts";
import type { Transport } from "../client/transport.ts";
import type { Env } from "../util/env.ts";
import { errorText } from "../util/error-text.ts";
import type { KeyPair } from "./key-pair.ts";
import { type KubeletConfiguration, shownConfiguration } from "./kubelet-configuration.ts";
import { requestCertificate } from "./kubelet-certificates.ts";
import { readNamed } from "./kubelet-connection.ts";
import { serveKubelet } from "./kubelet-server.ts";
import type { NodeSetup } from "./node-setup.ts";
import { makeServingPair } from "./pki.ts";

export interface RunKubeletOptions {
  readonly env: Env;
  readonly setup: NodeSetup;
  /** Acts with the node's credentials. */
  readonly transport: Transport;
  readonly configuration: KubeletConfiguration;
}

/** Runs a node agent and its server until the signal fires. @throws Error when the server's port is taken */
export async function runKubelet(
  { env, setup, transport, configuration }: RunKubeletOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clusterDNS, clusterDomain } = configuration;
  const dns = { address: clusterDNS[0], domain: clusterDomain };
  const kubelet = new Kubelet({ ...setup, env, transport, dns });
  const stop = new AbortController();
  const ends = AbortSignal.any([signal, stop.signal]);
  const serve = async () => {
    const pair = await servingPair(kubelet, setup, configuration, ends);
    if (ends.aborted) return;
    const { address: host, port, anonymous, webhook, authorization, clientCAFile } = configuration;
    const clientCa =
      clientCAFile === undefined ? undefined : readNamed("authentication.x509.clientCAFile", clientCAFile);
    const access = { anonymous, tokens: webhook, authorization };
    const shown = shownConfiguration(configuration);
    await serveKubelet(
      { env, kubelet, access, host, ports: [port], serving: pair, clientCa, configuration: shown },
      ends,
    );
    env.log.info("serves the kubelet", { address: host, port });
  };
  const running = kubelet.run(ends);
  try {
    await Promise.all([running, serve()]);
  } catch (error) {
    stop.abort();
    await running.catch(() => {});
    if (!signal.aborted) throw new Error(`Cannot serve the kubelet: ${errorText(error)}`, { cause: error });
  }
}

/** Returns the serving certificate: given, requested from the cluster, or signed by itself, which is the default. */
async function servingPair(
  { context: { client, env } }: Kubelet,
  { nodeName, hostIPs }: NodeSetup,
  { tlsCertFile, tlsPrivateKeyFile, serverTLSBootstrap }: KubeletConfiguration,
  signal: AbortSignal,
): Promise<KeyPair> {
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined)
    return {
      certificate: readNamed("tlsCertFile", tlsCertFile),
      key: readNamed("tlsPrivateKeyFile", tlsPrivateKeyFile),
    };
  const names = [nodeName, ...hostIPs];
  if (!serverTLSBootstrap) return makeServingPair(nodeName, names, env.clock.now());
  const request = { nodeName, purpose: { names } };
  return requestCertificate(client, env.clock, request, signal);
}
