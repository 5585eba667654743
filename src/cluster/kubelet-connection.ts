import { existsSync, readFileSync } from "node:fs";
import { Client } from "../client/client.ts";
import { type Connection, HttpTransport } from "../client/http.ts";
import { loadKubeconfig, resolveContext } from "../client/kubeconfig.ts";
import { UsageError } from "../cli/flags.ts";
import type { Env } from "../util/env.ts";
import { isUsable, requestCertificate } from "./kubelet-certificates.ts";
import { adminKubeconfig, writeKubeconfig } from "./kubeconfig.ts";

export interface KubeletConnectionOptions {
  readonly env: Env;
  readonly nodeName: string;
  readonly kubeconfig: string | undefined;
  readonly bootstrapKubeconfig: string | undefined;
}

/**
 * Returns the connection of `--kubeconfig`. Where this file is missing, or its certificate has expired, a certificate is
 * requested with the credentials of `--bootstrap-kubeconfig`, and the file is written (kubelet
 * `certificate/bootstrap`). @throws UsageError without a usable file
 */
export async function kubeletConnection(
  { env, nodeName, kubeconfig, bootstrapKubeconfig }: KubeletConnectionOptions,
  signal: AbortSignal,
): Promise<Connection> {
  if (kubeconfig === undefined) throw new UsageError("--kubeconfig is required");
  if (bootstrapKubeconfig === undefined) {
    if (!existsSync(kubeconfig))
      throw new UsageError(`Cannot read --kubeconfig ${kubeconfig}: it is missing`);
    return connectionOf(kubeconfig);
  }
  if (existsSync(kubeconfig)) {
    const present = await connectionOf(kubeconfig);
    const { certificate } = present;
    if (certificate === undefined || isUsable(certificate.certificate, nodeName, env.clock.now()))
      return present;
    env.log.warn("the client certificate has expired or is another node's", { kubeconfig });
  }
  const first = await connectionOf(bootstrapKubeconfig);
  const transport = new HttpTransport(first, { clock: env.clock, userAgent: "kubelet" });
  try {
    env.log.info("requests a client certificate", { server: first.server });
    const client = new Client(transport, { fieldManager: "kubelet" });
    const pair = await requestCertificate(client, env.clock, { nodeName, purpose: "client" }, signal);
    const authority = first.ca ?? "";
    writeKubeconfig(kubeconfig, adminKubeconfig(first.server, authority, pair, "default"));
    env.log.info("has a client certificate", { kubeconfig });
  } finally {
    await transport.close();
  }
  return connectionOf(kubeconfig);
}

async function connectionOf(file: string): Promise<Connection> {
  return (await resolveContext(await loadKubeconfig([file]))).connection;
}

/** Reads a file that a flag or the configuration names. @throws UsageError */
export function readNamed(field: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`Cannot read ${field}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
