import ipaddr from "ipaddr.js";
import {
  contentOf,
  type DerElement,
  DerError,
  derTags,
  objectIdentifierText,
  readElements,
  readInside,
} from "./der.ts";

/** The names of a subject besides its distinguished name (RFC 5280, 4.2.1.6), of the types that Go reads. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly email: readonly string[];
  /** Canonical texts. */
  readonly ip: readonly string[];
  readonly uri: readonly string[];
}

const extensionRequest = "1.2.840.113549.1.9.14";
const subjectAlternativeName = "2.5.29.17";
const attributesTag = 0xa0;
const nameTags = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/**
 * Reads the alternative names that a certificate request (the CertificationRequestInfo of RFC 2986) asks for.
 * @throws DerError
 */
export function readAlternativeNames(info: DerElement | undefined): AlternativeNames {
  const names = readInside(info, derTags.sequence)
    .filter(({ tag }) => tag === attributesTag)
    .flatMap(({ content }) => readElements(content))
    .flatMap(requestedExtensions);
  const types = names.map(({ type }) => type);
  if (new Set(types).size < types.length) {
    throw new DerError("x509: certificate request contains duplicate requested extensions");
  }
  const value = names.find(({ type }) => type === subjectAlternativeName)?.value;
  const elements = value === undefined ? [] : readInside(readElements(value)[0], derTags.sequence);
  const texts = (tag: number, what: string) =>
    elements.filter((one) => one.tag === tag).map(({ content }) => asciiOf(content, what));
  return {
    dns: texts(nameTags.dns, "dNSName"),
    email: texts(nameTags.email, "rfc822Name"),
    uri: texts(nameTags.uri, "uniformResourceIdentifier"),
    ip: elements.filter(({ tag }) => tag === nameTags.ip).map(({ content }) => addressOf(content)),
  };
}

interface Requested {
  readonly type: string;
  readonly value: Uint8Array;
}

function requestedExtensions(attribute: DerElement): readonly Requested[] {
  const [type, values] = readInside(attribute, derTags.sequence);
  if (objectIdentifierText(contentOf(type, derTags.objectIdentifier)) !== extensionRequest) return [];
  return readInside(values, derTags.set)
    .flatMap((list) => readInside(list, derTags.sequence))
    .map((extension) => {
      const parts = readInside(extension, derTags.sequence);
      return {
        type: objectIdentifierText(contentOf(parts[0], derTags.objectIdentifier)),
        value: contentOf(parts.at(-1), derTags.octetString),
      };
    });
}

function asciiOf(content: Uint8Array, what: string): string {
  if (content.some((byte) => byte >= 0x80)) throw new DerError(`x509: SAN ${what} is malformed`);
  return Buffer.from(content).toString("latin1");
}

function addressOf(content: Uint8Array): string {
  if (content.length !== 4 && content.length !== 16) {
    throw new DerError(`x509: cannot parse IP address of length ${content.length}`);
  }
  return ipaddr.process(ipaddr.fromByteArray([...content]).toString()).toString();
}
