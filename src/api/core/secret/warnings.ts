import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Secret } from "./schema.ts";

/**
 * Warns about a certificate that does not match its key (upstream calls Go's `tls.X509KeyPair`; the message
 * is Go's).
 */
export function keyPairWarnings({ type, data = {} }: Secret): readonly string[] {
  if (type !== "kubernetes.io/tls") return [];
  const text = (key: string) => Buffer.from(data[key] ?? "", "base64").toString("latin1");
  const problem = keyPairProblem(text("tls.crt"), text("tls.key"));
  return problem === undefined ? [] : [`tls: ${problem}`];
}

interface Block {
  readonly type: string;
  readonly pem: string;
}

function blocksOf(text: string): readonly Block[] {
  const pattern = /^-----BEGIN ([^-\n]*)-----\s*\n[^-]*-----END \1-----/gm;
  return [...text.matchAll(pattern)].map(([pem, type = ""]) => ({ type, pem }));
}

const isKey = ({ type }: Block) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY");

function keyPairProblem(certificateText: string, keyText: string): string | undefined {
  const certificates = blocksOf(certificateText);
  const certificate = certificates.find(({ type }) => type === "CERTIFICATE");
  if (certificate === undefined) return withoutCertificate(certificates);
  const keys = blocksOf(keyText);
  const key = keys.find(isKey);
  if (key === undefined) return withoutKey(keys);
  try {
    const parsed = new X509Certificate(certificate.pem);
    const privateKey = createPrivateKey(key.pem);
    if (parsed.publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType)
      return "private key type does not match public key type";
    return parsed.checkPrivateKey(privateKey) ? undefined : "private key does not match public key";
  } catch {
    return "failed to parse private key";
  }
}

function withoutCertificate(blocks: readonly Block[]): string {
  const [first, second] = blocks;
  if (first === undefined) return "failed to find any PEM data in certificate input";
  if (second === undefined && first.type.endsWith("PRIVATE KEY"))
    return "failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  return `failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function withoutKey(blocks: readonly Block[]): string {
  const [first, second] = blocks;
  if (first === undefined) return "failed to find any PEM data in key input";
  if (second === undefined && first.type === "CERTIFICATE")
    return "found a certificate rather than a key in the PEM for the private key";
  return `failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

function typesOf(blocks: readonly Block[]): string {
  return `[${blocks.map(({ type }) => type).join(" ")}]`;
}
