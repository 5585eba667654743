import "reflect-metadata";
import { createPrivateKey, webcrypto } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";
import type { Env } from "../util/env.ts";
import { kubeletClientName } from "../apiserver/authn/caller.ts";
import type { KeyPair } from "./key-pair.ts";
import { checkCertificate, checkPair, checkTokenKeys, DamagedKeyError } from "./check-keys.ts";
import { writePrivate } from "./write-private.ts";

/** All keys of one cluster. */
export interface Pki {
  readonly ca: KeyPair;
  /** The API server's serving certificate. */
  readonly server: KeyPair;
  /** The API server's client certificate for kubelets; a new one at each start. */
  readonly kubeletClient: KeyPair;
  /** A member of `system:masters`. */
  readonly admin: KeyPair;
  /**
   * Signs and verifies service-account tokens (PKCS #8 and SPKI, PEM). Keys that users add to `sa.pub` verify
   * them too.
   */
  readonly serviceAccount: { readonly privateKey: string; readonly publicKey: string };
}

export interface PkiOptions {
  readonly env: Env;
  /** The directory of the keys; undefined keeps them only in memory. */
  readonly directory: string | undefined;
  /** True if the cluster has run before, so that its authority must exist. */
  readonly isKnown?: boolean;
  /** The names and addresses at which clients reach the server. */
  readonly serverNames: readonly string[];
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const yearMs = 365 * 24 * 3_600_000;
/** Allows for clocks that differ between machines. */
const backdateMs = 5 * 60_000;

/**
 * Reads the cluster's keys, or makes them in about 20 ms. Only the user who runs the cluster may read the
 * files.
 * @throws DamagedKeyError when a file is damaged or missing
 */
export async function ensurePki({ env, directory, isKnown, serverNames }: PkiOptions): Promise<Pki> {
  const keep = new Keeper(directory, isKnown);
  const now = env.clock.now();
  const ca = await keep.pair("ca", () => makeAuthority(now));
  const issue = (subject: string, extensions: readonly x509.Extension[]) =>
    issueCertificate(ca, subject, extensions, now);
  // The names may change with each start (for example, with the bind address), and a new certificate is
  // cheap.
  const server = await issue("CN=kube-apiserver", [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(serverNames.map(alternativeName)),
  ]);
  const admin = await keep.pair("admin", () =>
    issue("CN=kubernetes-admin, O=system:masters", [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
    ]),
  );
  const kubeletClient = await issue(`CN=${kubeletClientName}, O=system:masters`, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  ]);
  if (directory !== undefined) checkCertificate(directory, "admin", admin, ca);
  const serviceAccount = await keep.serviceAccount();
  return { ca, server, kubeletClient, admin, serviceAccount };
}

/** Makes a serving certificate that an authority of its own signs, for a program that was given none. */
export async function makeServingPair(
  commonName: string,
  names: readonly string[],
  now: number,
): Promise<KeyPair> {
  return issueCertificate(
    await makeAuthority(now),
    `CN=${commonName}`,
    [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map(alternativeName)),
    ],
    now,
  );
}

function alternativeName(name: string): { type: "ip" | "dns"; value: string } {
  return { type: /^[\d.]+$|:/.test(name) ? "ip" : "dns", value: name };
}

async function makeAuthority(now: number): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=knarr-ca",
    serialNumber: serial(),
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + 10 * yearMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), key: toSec1(await exportKey(keys.privateKey)) };
}

async function issueCertificate(
  ca: KeyPair,
  subject: string,
  extensions: readonly x509.Extension[],
  now: number,
): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const issuer = new x509.X509Certificate(ca.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer.subject,
    serialNumber: serial(),
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + yearMs),
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.key),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment,
        true,
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...extensions,
    ],
  });
  return { certificate: certificate.toString("pem"), key: toSec1(await exportKey(keys.privateKey)) };
}

/** Converts a key in any form to `BEGIN EC PRIVATE KEY`. */
function toSec1(key: string): string {
  return createPrivateKey(key).export({ type: "sec1", format: "pem" }).toString();
}

/** Returns a serial number: 16 random bytes of the operating system, positive. */
export function serial(): string {
  const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)));
  bytes.writeUInt8(bytes.readUInt8(0) & 0x7f, 0);
  return bytes.toString("hex");
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const pkcs8 = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  return webcrypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
}

/** Keeps keys in files, or in memory without a directory. */
class Keeper {
  readonly #directory: string | undefined;
  /** True if the cluster has keys already: a new authority would lock its clients out. */
  readonly #isKnown: boolean;

  constructor(directory: string | undefined, isKnown = false) {
    this.#directory = directory;
    if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
    const isKey = (name: string) => /\.(crt|key|pub)$/.test(name);
    this.#isKnown = isKnown || (directory !== undefined && readdirSync(directory).some(isKey));
  }

  async pair(name: string, make: () => Promise<KeyPair>): Promise<KeyPair> {
    const [certificate, key] = await this.#pair(`${name}.crt`, `${name}.key`, async () => {
      const made = await make();
      return [made.certificate, made.key];
    });
    if (this.#directory !== undefined) checkPair(this.#directory, name, { certificate, key });
    return { certificate, key: toSec1(key) };
  }

  async serviceAccount(): Promise<Pki["serviceAccount"]> {
    const [publicKey, privateKey] = await this.#pair("sa.pub", "sa.key", async () => {
      const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
      const spki = await webcrypto.subtle.exportKey("spki", keys.publicKey);
      return [x509.PemConverter.encode(spki, "PUBLIC KEY"), await exportKey(keys.privateKey)];
    });
    if (this.#directory !== undefined) checkTokenKeys(this.#directory, { publicKey, privateKey });
    return { publicKey, privateKey };
  }

  async #pair(
    first: string,
    second: string,
    make: () => Promise<[string, string]>,
  ): Promise<[string, string]> {
    if (this.#directory === undefined) return make();
    const paths = [join(this.#directory, first), join(this.#directory, second)] as const;
    const missing = paths.filter((path) => !existsSync(path));
    if (missing.length === 0) return [readFileSync(paths[0], "utf8"), readFileSync(paths[1], "utf8")];
    const [path] = missing;
    if (path !== undefined && (missing.length === 1 || (this.#isKnown && first === "ca.crt")))
      throw new DamagedKeyError(path, "it is missing");
    const made = await make();
    for (const [index, text] of made.entries()) writePrivate(paths[index] ?? "", text);
    return made;
  }
}
