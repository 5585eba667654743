import "reflect-metadata";
import { createPrivateKey, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { AlternativeNames } from "../api/certificates/alternative-names.ts";
import type { CertificateTemplate } from "../controllers/certificates/plan.ts";
import type { KeyPair } from "./key-pair.ts";
import { serial } from "./pki.ts";

/** The attributes of a subject that certificates keep, by object identifier, in Go's order (`crypto/x509/pkix`). */
const subjectTypes = [
  "2.5.4.6", // country
  "2.5.4.10", // organization
  "2.5.4.11", // organizational unit
  "2.5.4.7", // locality
  "2.5.4.8", // province
  "2.5.4.9", // street address
  "2.5.4.17", // postal code
] as const;
const commonName = "2.5.4.3";
const serialNumber = "2.5.4.5";

/** An authority's key that cannot sign certificates; another kind of key is needed. */
export class UnusableKeyError extends Error {
  override readonly name = "UnusableKeyError";
}

/**
 * Signs a certificate with an authority (upstream `authority/authority.go`). Returns PEM.
 * @throws UnusableKeyError
 */
export async function signCertificate(ca: KeyPair, template: CertificateTemplate): Promise<string> {
  const issuer = new x509.X509Certificate(ca.certificate);
  const subject = subjectName(template.subject);
  const { key, algorithm } = await signingKeyOf(ca.key);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: issuer.subjectName,
    serialNumber: serial(),
    notBefore: new Date(template.notBefore),
    notAfter: new Date(template.notAfter),
    publicKey: new x509.PublicKey(template.publicKey),
    signingKey: key,
    signingAlgorithm: algorithm,
    extensions: [
      ...usageExtensions(template.usages),
      new x509.BasicConstraintsExtension(false, undefined, true),
      ...authorityKey(issuer),
      ...alternativeNames(template.alternativeNames, subject.toJSON().length === 0),
    ],
  });
  return `${certificate.toString("pem")}\n`;
}

const curves = new Map([
  ["prime256v1", { namedCurve: "P-256", hash: "SHA-256" }],
  ["secp384r1", { namedCurve: "P-384", hash: "SHA-384" }],
  ["secp521r1", { namedCurve: "P-521", hash: "SHA-512" }],
]);

async function signingKeyOf(pem: string) {
  const key = createPrivateKey(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const curve = curves.get(details?.namedCurve ?? "");
  const algorithm =
    type === "rsa"
      ? { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
      : curve === undefined
        ? undefined
        : { name: "ECDSA", ...curve };
  if (algorithm === undefined)
    throw new UnusableKeyError(`Cannot sign certificates with a key of type ${type}: use RSA or ECDSA`);
  const pkcs8 = key.export({ type: "pkcs8", format: "der" });
  return { key: await webcrypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]), algorithm };
}

/** Rebuilds the name from what was checked: other encodings could mean another user to another reader. */
function subjectName(given: CertificateTemplate["subject"]): x509.Name {
  const texts = (wanted: string) => given.filter(({ type }) => type === wanted).map(({ text }) => text);
  const last = (wanted: string) => texts(wanted).slice(-1);
  const parts = [
    ...subjectTypes.map((type) => ({ type, values: texts(type).toSorted(byEncoding) })),
    { type: commonName, values: last(commonName) },
    { type: serialNumber, values: last(serialNumber) },
  ];
  const present = parts.filter(({ values }) => values.length > 0);
  // Plain texts would be parsed: `#` would begin a text in hexadecimal.
  return new x509.Name(
    present.map(({ type, values }) => ({ [type]: values.map((utf8String) => ({ utf8String })) })),
  );
}

/** DER orders the members of a set by their bytes, which begin with the length. */
function byEncoding(a: string, b: string): number {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length - right.length || Buffer.compare(left, right);
}

function usageExtensions({ bits, extended }: CertificateTemplate["usages"]): readonly x509.Extension[] {
  return [
    ...(bits === 0 ? [] : [new x509.KeyUsagesExtension(bits, true)]),
    ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...extended])]),
  ];
}

/** The issuer's key identifier. Some authorities' certificates have none. */
function authorityKey(issuer: x509.X509Certificate): readonly x509.Extension[] {
  const identifier = issuer.getExtension(x509.SubjectKeyIdentifierExtension);
  return identifier === null ? [] : [new x509.AuthorityKeyIdentifierExtension(identifier.keyId)];
}

/** The extension is critical when the subject has no other name. */
function alternativeNames(
  { dns, email, ip, uri }: AlternativeNames,
  isCritical: boolean,
): readonly x509.Extension[] {
  const names = [
    ...dns.map((value) => ({ type: "dns" as const, value })),
    ...email.map((value) => ({ type: "email" as const, value })),
    ...ip.map((value) => ({ type: "ip" as const, value })),
    ...uri.map((value) => ({ type: "url" as const, value })),
  ];
  return names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names, isCritical)];
}
