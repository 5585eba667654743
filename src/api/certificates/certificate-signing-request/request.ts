import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import {
  contentOf,
  type DerElement,
  DerError,
  derTags,
  objectIdentifierText,
  readElements,
  readInside,
  stringOf,
} from "../der.ts";
import { type AlternativeNames, readAlternativeNames } from "../alternative-names.ts";
import { pemBlocks } from "../../../util/pem.ts";
import { table } from "../../../util/table.ts";

/**
 * Returns the reason why the text is not a certificate request (PKCS #10, RFC 2986) as PEM in Base64, signed
 * with its own key; undefined if it is. Go's parse errors have more detail.
 */
export function requestProblem(base64: string): string | undefined {
  const [block] = pemBlocks(base64);
  if (block?.type !== "CERTIFICATE REQUEST") return "PEM block type must be CERTIFICATE REQUEST";
  try {
    return signatureProblem(block.bytes);
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

const subjectTypes = { commonName: "2.5.4.3", organization: "2.5.4.10" } as const;

/** The organizations of the subject, which are the groups of a client. Empty if the text is not a request. */
export function organizationsOf(base64: string): readonly string[] {
  return subjectValues(base64, subjectTypes.organization);
}

/** The subject's common name, which is the user name of a client. The last of several counts, as in Go. */
export function commonNameOf(base64: string): string | undefined {
  return subjectValues(base64, subjectTypes.commonName).at(-1);
}

/** The parts of a request that a signer may copy into a certificate. */
export interface CertificateRequest {
  /** The subject's attributes by object identifier, in the request's order. */
  readonly subject: readonly { readonly type: string; readonly text: string }[];
  /** The public key, as SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  readonly alternativeNames: AlternativeNames;
}

/** Reads a request that `requestProblem` accepts. @throws DerError */
export function readRequest(base64: string): CertificateRequest {
  const [block] = pemBlocks(base64);
  const [outer] = readElements(block?.bytes ?? new Uint8Array());
  const [info] = readInside(outer, derTags.sequence);
  const [, , keyInfo] = readInside(info, derTags.sequence);
  return {
    subject: readSubject(info),
    publicKey: keyInfo?.whole ?? new Uint8Array(),
    alternativeNames: readAlternativeNames(info),
  };
}

/** The subject's attributes of one type, including those of multi-valued names. */
function subjectValues(base64: string, type: string): readonly string[] {
  const [block] = pemBlocks(base64);
  try {
    const [outer] = readElements(block?.bytes ?? new Uint8Array());
    const [info] = readInside(outer, derTags.sequence);
    return readSubject(info)
      .filter((one) => one.type === type)
      .map(({ text }) => text);
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}

/** @throws DerError */
function readSubject(
  info: DerElement | undefined,
): readonly { readonly type: string; readonly text: string }[] {
  const [, subject] = readInside(info, derTags.sequence);
  return readInside(subject, derTags.sequence)
    .flatMap((relative) => readInside(relative, derTags.set))
    .map((attribute) => {
      const [type, value] = readInside(attribute, derTags.sequence);
      if (value === undefined) throw new DerError("asn1: syntax error: sequence truncated");
      return { type: objectIdentifierText(contentOf(type, derTags.objectIdentifier)), text: stringOf(value) };
    });
}

function signatureProblem(request: Uint8Array): string | undefined {
  const [outer, ...rest] = readElements(request);
  if (rest.length > 0) return "asn1: syntax error: trailing data";
  const [info, algorithm, signature] = readInside(outer, derTags.sequence);
  const [, , keyInfo] = readInside(info, derTags.sequence);
  // What cannot be parsed must be refused, because a signer might read any group or name in it.
  readSubject(info);
  readAlternativeNames(info);
  const key = readKey(keyInfo?.whole ?? new Uint8Array());
  const scheme = schemeOf(contentOf(algorithm, derTags.sequence));
  if (key === undefined || scheme === undefined) {
    return "x509: cannot verify signature: algorithm unimplemented";
  }
  if (key.asymmetricKeyType !== scheme.key) {
    return `x509: signature algorithm specifies an ${schemeNames[scheme.key]} public key, but have public key of type ${keyTypeName(key)}`;
  }
  // The first byte is the number of unused bits, which is 0.
  const bits = contentOf(signature, derTags.bitString).subarray(1);
  const options = { key, ...scheme.options };
  const isValid = verify(scheme.hash, info?.whole ?? new Uint8Array(), options, bits);
  return isValid ? undefined : failures[scheme.key];
}

type KeyType = "rsa" | "ec" | "ed25519";

interface Scheme {
  readonly key: KeyType;
  readonly hash: string | null;
  readonly options?: { readonly padding: number; readonly saltLength: number };
}

const failures: Readonly<Record<KeyType, string>> = {
  rsa: "crypto/rsa: verification error",
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
};

const schemeNames: Readonly<Record<KeyType, string>> = { rsa: "RSA", ec: "ECDSA", ed25519: "Ed25519" };

function keyTypeName({ asymmetricKeyType }: KeyObject): string {
  if (asymmetricKeyType === "rsa") return "*rsa.PublicKey";
  return asymmetricKeyType === "ec" ? "*ecdsa.PublicKey" : "ed25519.PublicKey";
}

const schemes: Readonly<Record<string, Scheme>> = table({
  "1.2.840.113549.1.1.5": { key: "rsa", hash: "sha1" },
  "1.2.840.113549.1.1.11": { key: "rsa", hash: "sha256" },
  "1.2.840.113549.1.1.12": { key: "rsa", hash: "sha384" },
  "1.2.840.113549.1.1.13": { key: "rsa", hash: "sha512" },
  "1.2.840.10045.4.1": { key: "ec", hash: "sha1" },
  "1.2.840.10045.4.3.2": { key: "ec", hash: "sha256" },
  "1.2.840.10045.4.3.3": { key: "ec", hash: "sha384" },
  "1.2.840.10045.4.3.4": { key: "ec", hash: "sha512" },
  "1.3.101.112": { key: "ed25519", hash: null },
});

const pss = "1.2.840.113549.1.1.10";
const pssHashes: Readonly<Record<string, string>> = table({
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
});

function schemeOf(algorithm: Uint8Array): Scheme | undefined {
  const [identifier, parameters] = readElements(algorithm);
  const name = objectIdentifierText(contentOf(identifier, derTags.objectIdentifier));
  if (name !== pss) return schemes[name];
  const [first] = readInside(parameters, derTags.sequence);
  const [hash] = readInside(readElements(first?.content ?? new Uint8Array())[0], derTags.sequence);
  const hashName = pssHashes[objectIdentifierText(contentOf(hash, derTags.objectIdentifier))];
  if (hashName === undefined) return undefined;
  const options = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return { key: "rsa", hash: hashName, options };
}

/** Returns undefined for unsupported keys. */
function readKey(info: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(info), format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}
