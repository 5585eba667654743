import "reflect-metadata";
import { X509Certificate, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { beforeAll, describe, expect, test } from "vitest";
import { readRequest, requestProblem } from "../api/certificates/certificate-signing-request/request.ts";
import type { KeyUsages } from "../controllers/certificates/usages.ts";
import { systemClock } from "../util/clock.ts";
import { silentLogger } from "../util/logger.ts";
import { systemRandom } from "../util/random.ts";
import { ensurePki, type Pki } from "./pki.ts";
import { signCertificate } from "./sign-certificate.ts";

const env = { clock: systemClock, random: systemRandom, log: silentLogger };
const notBefore = Date.UTC(2026, 0, 1);
const notAfter = notBefore + 3_600_000;
const tls: KeyUsages = { bits: 5, extended: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"] };
const none: KeyUsages = { bits: 0, extended: [] };

let pki: Pki;
beforeAll(async () => {
  pki = await ensurePki({ env, directory: undefined, serverNames: ["localhost"] });
});

async function request(
  name: x509.JsonNameParams,
  names?: x509.JsonGeneralNames,
  algorithm: webcrypto.EcKeyGenParams | webcrypto.RsaHashedKeyGenParams = {
    name: "ECDSA",
    namedCurve: "P-256",
  },
): Promise<string> {
  const signing = { name: algorithm.name, hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey({ ...algorithm, hash: "SHA-256" }, true, [
    "sign",
    "verify",
  ]);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    name: new x509.Name(name).toString(),
    keys,
    signingAlgorithm: signing,
    extensions: names === undefined ? [] : [new x509.SubjectAlternativeNameExtension(names)],
  });
  return Buffer.from(made.toString("pem")).toString("base64");
}

async function signed(pem: string, usages = tls): Promise<X509Certificate> {
  expect(requestProblem(pem)).toBe(undefined);
  const template = { ...readRequest(pem), usages, notBefore, notAfter };
  return new X509Certificate(await signCertificate(pki.ca, template));
}

describe("a signed certificate", () => {
  const node = [{ O: ["system:nodes"] }, { CN: ["system:node:k-a-node-s36b"] }];
  test("has the request's subject, key and names, and the authority's signature (upstream's TestSigner)", async () => {
    const names = [
      { type: "dns", value: "a.example" },
      { type: "ip", value: "10.0.0.1" },
      { type: "ip", value: "fd00::1" },
      { type: "email", value: "a@b.example" },
      { type: "url", value: "spiffe://a/b" },
    ] as const;
    const pem = await request(node, [...names]);
    const certificate = await signed(pem);
    expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:k-a-node-s36b");
    expect(certificate.subjectAltName).toBe(
      "DNS:a.example, email:a@b.example, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1, URI:spiffe://a/b",
    );
    expect(certificate.ca).toBe(false);
    expect(certificate.validFromDate.getTime()).toBe(notBefore);
    expect(certificate.validToDate.getTime()).toBe(notAfter);
    expect(certificate.keyUsage).toEqual(tls.extended);
    const ca = new X509Certificate(pki.ca.certificate);
    expect(certificate.verify(ca.publicKey)).toBe(true);
    expect(certificate.checkIssued(ca)).toBe(true);
    const key = certificate.publicKey.export({ type: "spki", format: "der" });
    expect(key.equals(readRequest(pem).publicKey)).toBe(true);
  });
  test("has no extension of usages and names without any", async () => {
    const certificate = new x509.X509Certificate((await signed(await request(node), none)).raw);
    expect(certificate.extensions.map(({ type }) => type)).toEqual(["2.5.29.19", "2.5.29.35"]);
  });
  test("may have an RSA key", async () => {
    const rsa = { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
    const certificate = await signed(await request(node, undefined, { ...rsa, hash: "SHA-256" }));
    expect(certificate.publicKey.asymmetricKeyType).toBe("rsa");
  });
  test.each([
    [
      "an RSA key",
      { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
    ],
    ["an ECDSA key of 384 bits", { name: "ECDSA", namedCurve: "P-384" }],
  ])("is signed by an authority with %s", async (_, algorithm) => {
    const parameters = { ...algorithm, hash: "SHA-256" };
    const keys = await webcrypto.subtle.generateKey(parameters, true, ["sign", "verify"]);
    const own = await x509.X509CertificateGenerator.createSelfSigned({
      name: "CN=ca",
      keys,
      signingAlgorithm: parameters,
    });
    const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
    const ca = { certificate: own.toString("pem"), key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
    const template = { ...readRequest(await request(node)), usages: tls, notBefore, notAfter };
    const certificate = new X509Certificate(await signCertificate(ca, template));
    expect(certificate.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
  });
  test("has all organizations, and drops attributes that Go drops", async () => {
    const many = [{ O: ["bb"] }, { O: ["a"] }, { CN: ["x"] }, { "1.2.3.4": ["y"] }, { DC: ["z"] }];
    expect((await signed(await request(many))).subject).toBe("O=a + O=bb\nCN=x");
  });
  test("takes texts of the subject literally", async () => {
    const pem = await request([{ CN: ["x"] }]);
    const subject = [{ type: "2.5.4.3", text: '#0c0161, O="a"' }];
    const template = { ...readRequest(pem), subject, usages: tls, notBefore, notAfter };
    const certificate = new X509Certificate(await signCertificate(pki.ca, template));
    expect(certificate.toLegacyObject().subject).toEqual({ CN: '#0c0161, O="a"' });
  });
});
