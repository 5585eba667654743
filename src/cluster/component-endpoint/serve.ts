import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { configMaps } from "../../api/core/config-map/schema.ts";
import { listen } from "../../apiserver/http/listener.ts";
import { listOf, UsageError } from "../../cli/flags.ts";
import type { Client } from "../../client/client.ts";
import type { Env } from "../../util/env.ts";
import { errorText } from "../../util/error-text.ts";
import type { Metrics } from "../../util/metrics/metrics.ts";
import { makeServingPair } from "../pki.ts";
import { Delegation } from "./delegation.ts";
import { componentHandler } from "./handler.ts";

/** The flags of a component's own endpoints, with upstream's names. */
export const endpointFlags = {
  "bind-address": {
    type: "string",
    value: "ADDRESS",
    default: "0.0.0.0",
    help: "The address at which health and metrics are served.",
  },
  "tls-cert-file": {
    type: "string",
    value: "FILE",
    help: "The certificate to serve with (default: one that is made at the start).",
  },
  "tls-private-key-file": { type: "string", value: "FILE", help: "The certificate's key." },
  "client-ca-file": {
    type: "string",
    value: "FILE",
    help: "The authority of clients' certificates (default: that of the API server).",
  },
  "authorization-always-allow-paths": {
    type: "string",
    value: "LIST",
    default: "/healthz,/readyz,/livez",
    help: "Paths that everybody may get; a * at the end stands for anything.",
  },
} as const;

export interface EndpointFlags {
  /** The port; 0 serves nothing. */
  readonly "secure-port": number;
  readonly "bind-address": string;
  readonly "tls-cert-file": string | undefined;
  readonly "tls-private-key-file": string | undefined;
  readonly "client-ca-file": string | undefined;
  readonly "authorization-always-allow-paths": string;
}

/** Describes `--secure-port`, whose default each component has of its own. */
export const securePort = (port: number) =>
  ({
    type: "int",
    value: "PORT",
    default: port,
    help: "The port of health and metrics, over HTTPS; 0 serves nothing.",
  }) as const;

export interface EndpointOptions {
  readonly env: Env;
  readonly metrics: Metrics;
  readonly client: Client;
  /** The component's name. */
  readonly name: string;
}

/**
 * Serves a component's health and metrics until the signal fires. Resolves once it listens.
 * @throws UsageError for flags that do not fit, and the error of a port that cannot be listened on
 */
export async function serveEndpoint(
  flags: EndpointFlags,
  { env, metrics, client, name }: EndpointOptions,
  signal: AbortSignal,
): Promise<void> {
  const port = flags["secure-port"];
  if (port === 0) return;
  const host = flags["bind-address"];
  const made = await makeServingPair(name, [hostname(), "localhost", "127.0.0.1"], env.clock.now());
  const alwaysAllowed = listOf(flags["authorization-always-allow-paths"]);
  const delegation = new Delegation({ client, clock: env.clock, alwaysAllowed });
  const address = await listen(
    {
      host,
      port,
      handler: componentHandler({ env, metrics, delegation }),
      upgrade: (_request, socket) => void socket.destroy(),
      log: env.log,
      clock: env.clock,
      ...(givenPair(flags) ?? made),
      // Without an authority, Node would trust those of the Web. Nobody can have a certificate of this one.
      clientCa: (await clientAuthority(flags["client-ca-file"], client, env)) ?? made.certificate,
    },
    signal,
  ).catch((cause: unknown) => {
    const why = `${errorText(cause)}; choose another port with --secure-port`;
    throw new Error(`Cannot serve health and metrics: ${why}`, { cause });
  });
  env.log.info("serves health and metrics", { address: address.address, port: address.port });
}

function givenPair(flags: EndpointFlags): { certificate: string; key: string } | undefined {
  const { "tls-cert-file": certificate, "tls-private-key-file": key } = flags;
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new UsageError("--tls-cert-file and --tls-private-key-file require each other");
  return { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") };
}

/** The authority that signs clients' certificates. Without one, clients need tokens. */
async function clientAuthority(
  file: string | undefined,
  client: Client,
  { log }: Env,
): Promise<string | undefined> {
  if (file !== undefined) return readFileSync(file, "utf8");
  try {
    const published = await client.of(configMaps, "kube-system").get("extension-apiserver-authentication");
    const authority = published.data?.["client-ca-file"];
    return authority === "" ? undefined : authority;
  } catch (error) {
    log.warn("cannot read the authority of clients' certificates", { error: errorText(error) });
    return undefined;
  }
}
