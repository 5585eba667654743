import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { createPrivateKey, webcrypto, X509Certificate } from "node:crypto";
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "../api/certificates/certificate-signing-request/schema.ts";
import type { Client } from "../client/client.ts";
import { type Clock, sleep } from "../util/clock.ts";
import type { KeyPair } from "./key-pair.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
/** The interval at which an answer is looked for. */
const pollMs = 1_000;
/** The time after which a request without an answer is given up (client-go `certificate/csr`). */
const patienceMs = 15 * 60_000;

export interface CertificateRequest {
  readonly nodeName: string;
  /** The kubelet's certificate as a client of the API server, or as a server of these names. */
  readonly purpose: "client" | { readonly names: readonly string[] };
}

/**
 * Requests a certificate of a node from the cluster, and waits for approval and signature. Every signature has a key of
 * its own, which never leaves this process. @throws Error when the request is denied, fails, or stays unanswered
 */
export async function requestCertificate(
  client: Client,
  clock: Clock,
  { nodeName, purpose }: CertificateRequest,
  signal: AbortSignal,
): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `O=system:nodes,CN=system:node:${nodeName}`,
    keys,
    signingAlgorithm: algorithm,
    extensions:
      purpose === "client" ? [] : [new x509.SubjectAlternativeNameExtension(purpose.names.map(nameOf))],
  });
  const signer = purpose === "client" ? "kube-apiserver-client-kubelet" : "kubelet-serving";
  const requests = client.of(certificateSigningRequests);
  const { metadata } = await requests.create({
    metadata: { generateName: "csr-" },
    spec: {
      request: Buffer.from(made.toString("pem")).toString("base64"),
      signerName: `kubernetes.io/${signer}`,
      usages: ["digital signature", purpose === "client" ? "client auth" : "server auth"],
    },
  });
  const { name = "" } = metadata;
  const until = clock.monotonic() + patienceMs;
  while (!signal.aborted && clock.monotonic() < until) {
    const certificate = issuedIn(await requests.get(name));
    if (certificate !== undefined) return { certificate, key: await pemOf(keys.privateKey) };
    await sleep(clock, pollMs, signal);
  }
  signal.throwIfAborted();
  throw new Error(`Cannot get a certificate: nobody approved ${name}: kubectl certificate approve ${name}`);
}

/** Returns the certificate of a request, PEM; undefined until it is signed. @throws Error when it is refused */
function issuedIn({ metadata, status }: CertificateSigningRequest): string | undefined {
  const refused = status.conditions?.find(({ type }) => type === "Denied" || type === "Failed");
  if (refused !== undefined) {
    const { type, reason = "", message = "" } = refused;
    throw new Error(`Cannot get a certificate: ${metadata.name} is ${type}: ${reason} ${message}`.trim());
  }
  const { certificate = "" } = status;
  return certificate === "" ? undefined : Buffer.from(certificate, "base64").toString();
}

function nameOf(value: string): { type: "ip" | "dns"; value: string } {
  return { type: /^[\d.]+$|:/.test(value) ? "ip" : "dns", value };
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key));
  const exported = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  return exported.export({ type: "sec1", format: "pem" }).toString();
}

/** Reports whether a certificate is of the node and valid for longer than a minute. */
export function isUsable(certificate: string, nodeName: string, now: number): boolean {
  try {
    const { subject, validToDate } = new X509Certificate(certificate);
    return subject.split("\n").includes(`CN=system:node:${nodeName}`) && validToDate.getTime() > now + 60_000;
  } catch {
    return false;
  }
}
