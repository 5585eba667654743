import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { dirname, join } from "node:path";
import { shellWord, thisCommand } from "../cli/invocation.ts";
import type { KeyPair } from "./key-pair.ts";

/**
 * A key file of the cluster is damaged or missing; only the user can repair it. A new key would lock the
 * cluster's clients out.
 */
export class DamagedKeyError extends Error {
  override readonly name = "DamagedKeyError";

  constructor(path: string, why: string, cause?: unknown) {
    super(
      `Cannot use ${path}: ${why}; restore it from a backup, or remove the cluster with all its data: ${removal(path)}`,
      { cause },
    );
  }
}

/** Returns the command that removes the cluster. Keys are in a folder of the cluster's directory. */
function removal(key: string): string {
  return `${thisCommand()} down --cleanup --data-dir ${shellWord(dirname(dirname(key)))}`;
}

/** Checks that the files `name.crt` and `name.key` are valid and belong together. @throws DamagedKeyError */
export function checkPair(directory: string, name: string, pair: KeyPair): void {
  const key = read(join(directory, `${name}.key`), "key", () => createPrivateKey(pair.key));
  const file = join(directory, `${name}.crt`);
  const certificate = read(file, "certificate", () => new X509Certificate(pair.certificate));
  if (!certificate.checkPrivateKey(key))
    throw new DamagedKeyError(file, `it is not for the key in ${name}.key`);
}

/** Checks that the authority has signed the certificate in `name.crt`. @throws DamagedKeyError */
export function checkCertificate(
  directory: string,
  name: string,
  { certificate }: KeyPair,
  ca: KeyPair,
): void {
  const authority = new X509Certificate(ca.certificate);
  if (new X509Certificate(certificate).verify(authority.publicKey)) return;
  throw new DamagedKeyError(join(directory, `${name}.crt`), "the authority in ca.crt has not signed it");
}

/** Checks that the keys of service-account tokens are valid and belong together. @throws DamagedKeyError */
export function checkTokenKeys(
  directory: string,
  { privateKey, publicKey }: { readonly privateKey: string; readonly publicKey: string },
): void {
  const own = read(join(directory, "sa.key"), "key", () => createPublicKey(createPrivateKey(privateKey)));
  const file = join(directory, "sa.pub");
  const other = read(file, "key", () => createPublicKey(publicKey));
  if (!own.equals(other)) throw new DamagedKeyError(file, "it is not for the key in sa.key");
}

function read<T extends KeyObject | X509Certificate>(path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new DamagedKeyError(path, `it holds no whole ${what}`, cause);
  }
}
