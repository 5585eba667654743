import { createPrivateKey, X509Certificate } from "node:crypto";
import { type PemBlock, pemBlocks } from "../../../util/pem.ts";
import type { Secret } from "./schema.ts";

/**
 * Warns about a certificate that does not match its key (upstream calls Go's `tls.X509KeyPair`; the message
 * is Go's).
 */
export function keyPairWarnings({ type, data = {} }: Secret): readonly string[] {
  if (type !== "kubernetes.io/tls") return [];
  const problem = keyPairProblem(pemBlocks(data["tls.crt"] ?? ""), pemBlocks(data["tls.key"] ?? ""));
  return problem === undefined ? [] : [`tls: ${problem}`];
}

const isKey = ({ type }: PemBlock) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY");

function keyPairProblem(certificates: readonly PemBlock[], keys: readonly PemBlock[]): string | undefined {
  const certificate = certificates.find(({ type }) => type === "CERTIFICATE");
  if (certificate === undefined) return withoutCertificate(certificates);
  const key = keys.find(isKey);
  if (key === undefined) return withoutKey(keys);
  try {
    const parsed = new X509Certificate(certificate.bytes);
    const privateKey = createPrivateKey(pemOf(key));
    if (parsed.publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType)
      return "private key type does not match public key type";
    return parsed.checkPrivateKey(privateKey) ? undefined : "private key does not match public key";
  } catch {
    return "failed to parse private key";
  }
}

const pemOf = ({ type, bytes }: PemBlock) =>
  `-----BEGIN ${type}-----\n${Buffer.from(bytes).toString("base64")}\n-----END ${type}-----\n`;

function withoutCertificate(blocks: readonly PemBlock[]): string {
  const [first, second] = blocks;
  if (first === undefined) return "failed to find any PEM data in certificate input";
  if (second === undefined && first.type.endsWith("PRIVATE KEY"))
    return "failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  return `failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function withoutKey(blocks: readonly PemBlock[]): string {
  const [first, second] = blocks;
  if (first === undefined) return "failed to find any PEM data in key input";
  if (second === undefined && first.type === "CERTIFICATE")
    return "found a certificate rather than a key in the PEM for the private key";
  return `failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function typesOf(blocks: readonly PemBlock[]): string {
  return `[${blocks.map(({ type }) => type).join(" ")}]`;
}
