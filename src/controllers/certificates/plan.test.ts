import { describe, expect, test } from "vitest";
import type { CertificateRequest } from "../../api/certificates/certificate-signing-request/request.ts";
import {
  requestPem,
  signingRequest,
} from "../../api/certificates/certificate-signing-request/request.suite.ts";
import { certificateSigningRequests } from "../../api/certificates/certificate-signing-request/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { build, start } from "../builders.suite.ts";
import {
  approvalRetryMs,
  approvalRules,
  cleanAfter,
  durationMs,
  ExpiredAuthorityError,
  planSigning,
} from "./plan.ts";
import { signerRules } from "./signers.ts";
import { keyUsagesOf } from "./usages.ts";

const minute = 60_000;
const hour = 60 * minute;
const ago = (ms: number) => formatTime(start - ms);
const client = "kubernetes.io/kube-apiserver-client";
const kubelet = "kubernetes.io/kube-apiserver-client-kubelet";
const serving = "kubernetes.io/kubelet-serving";
const legacy = "kubernetes.io/legacy-unknown";
const clientUsages = ["client auth", "digital signature", "key encipherment"];
const approved = [{ type: "Approved", status: "True" }];

const nodeSubject = (commonName: string, organization = "system:nodes") => [
  [{ type: "organization" as const, text: organization }],
  [{ type: "commonName" as const, text: commonName }],
];
const pem = signingRequest(...nodeSubject("system:node:foo"));
const csr = (spec: object = {}, status: object = {}, metadata: object = {}) =>
  build(certificateSigningRequests, {
    metadata: { name: "csr", creationTimestamp: ago(0), ...metadata },
    spec: { signerName: client, request: pem, usages: clientUsages, username: "system:node:foo", ...spec },
    status,
  });

describe("signer rules (upstream's TestHandle)", () => {
  const none = { dns: [], email: [], ip: [], uri: [] };
  const request = (
    organizations: readonly string[],
    commonName: string,
    names: Partial<CertificateRequest["alternativeNames"]> = {},
  ): CertificateRequest => ({
    subject: [
      ...organizations.map((text) => ({ type: "2.5.4.10", text })),
      { type: "2.5.4.3", text: commonName },
    ],
    publicKey: new Uint8Array(),
    alternativeNames: { ...none, ...names },
  });
  const node = (names: Partial<CertificateRequest["alternativeNames"]> = {}) =>
    request(["system:nodes"], "system:node:n", names);
  const [sign, seal] = ["digital signature", "key encipherment"];
  const mismatch = (...usages: readonly string[]) => `usages did not match [${usages.join(" ")}]`;
  const clientMismatch = mismatch("client auth", "digital signature", "key encipherment");
  const servingMismatch = mismatch("digital signature", "key encipherment", "server auth");
  const noNodes = "subject organization is not system:nodes";
  test.each<[string, CertificateRequest, readonly string[], string | undefined]>([
    [client, request(["some-org"], "hello-world"), ["client auth", sign, seal], undefined],
    [client, request(["some-org"], "hello-world"), ["client auth", sign], undefined],
    [
      client,
      request(["some-org"], "hello-world"),
      ["server auth", "client auth", sign, seal],
      "invalid usage for client certificate: server auth",
    ],
    [
      client,
      request(["some-org"], "hello-world"),
      [sign],
      "missing required usage for client certificate: client auth",
    ],
    [kubelet, node(), ["client auth", sign, seal], undefined],
    [kubelet, node(), ["client auth", sign], undefined],
    [kubelet, node(), ["client auth"], clientMismatch],
    [kubelet, node(), ["client auth", sign, seal, "server auth"], clientMismatch],
    [kubelet, request([], "system:node:n"), ["client auth", sign], noNodes],
    [kubelet, request(["system:nodes", "b"], "system:node:n"), ["client auth", sign], noNodes],
    [
      kubelet,
      request(["system:nodes"], "n"),
      ["client auth", sign],
      "subject common name does not begin with system:node:",
    ],
    [kubelet, node({ dns: ["a"] }), ["client auth", sign], "DNS subjectAltNames are not allowed"],
    [kubelet, node({ ip: ["1.2.3.4"] }), ["client auth", sign], "IP subjectAltNames are not allowed"],
    [kubelet, node({ email: ["a"] }), ["client auth", sign], "Email subjectAltNames are not allowed"],
    [kubelet, node({ uri: ["a"] }), ["client auth", sign], "URI subjectAltNames are not allowed"],
    [serving, node({ dns: ["example.com"] }), ["server auth", sign, seal], undefined],
    [serving, node({ ip: ["1.2.3.4"] }), ["server auth", sign], undefined],
    [serving, node(), ["server auth", sign], "DNS or IP subjectAltName is required"],
    [serving, node({ dns: ["a"] }), ["client auth", sign], servingMismatch],
    [serving, request(["a"], "system:node:n", { dns: ["a"] }), ["server auth", sign], noNodes],
    [
      serving,
      node({ dns: ["a"], email: ["b"] }),
      ["server auth", sign],
      "Email subjectAltNames are not allowed",
    ],
    [serving, node({ dns: ["a"], uri: ["b"] }), ["server auth", sign], "URI subjectAltNames are not allowed"],
    [legacy, request([], ""), ["any"], undefined],
  ])("%s, %j, %j", (signer, one, usages, problem) => {
    expect(signerRules.get(signer)?.(one, usages)).toBe(problem);
  });
});

describe("a signing controller", () => {
  const later = start + 10 * 365 * 24 * hour;
  test.each([
    ["not approved", csr()],
    ["denied", csr({}, { conditions: [{ type: "Denied", status: "True" }] })],
    ["failed", csr({}, { conditions: [...approved, { type: "Failed", status: "True" }] })],
    ["signed", csr({}, { conditions: approved, certificate: "eA==" })],
    ["for an unknown signer", csr({ signerName: "kubernetes.io/not-recognised" }, { conditions: approved })],
    ["for another's signer", csr({ signerName: "example.com/sample-name" }, { conditions: approved })],
  ])("ignores a request that is %s", (_, one) => {
    expect(planSigning(one, start, later)).toEqual({ type: "ignore" });
  });
  test("refuses an approved request that breaks the signer's rule", () => {
    const one = csr({ usages: ["server auth"] }, { conditions: approved });
    expect(planSigning(one, start, later)).toEqual({
      type: "fail",
      message: "invalid usage for client certificate: server auth",
    });
  });
  const validity = (expirationSeconds: number | undefined, end: number) => {
    const action = planSigning(csr({ expirationSeconds }, { conditions: approved }), start, end);
    return action.type === "sign"
      ? [action.template.notBefore - start, action.template.notAfter - start]
      : undefined;
  };
  test.each([
    ["a year less the backdating by default", undefined, later, 365 * 24 * hour - 5 * minute],
    ["the whole of a short duration", 3600, later, hour],
    ["a long duration less the backdating", 8 * 3600, later, 8 * hour - 5 * minute],
    ["no longer than the authority", 3600, start + minute, minute],
  ])("signs for %s", (_, seconds, end, expected) => {
    expect(validity(seconds, end)).toEqual([-5 * minute, expected]);
  });
  test("does not sign once the authority has ended", () => {
    expect(() => validity(3600, start)).toThrow(ExpiredAuthorityError);
  });
});

test.each([
  ["can be shorter", 30 * 60, 30 * minute],
  ["cannot be longer", 3 * 3600, hour],
  ["cannot be negative", -60, 10 * minute],
  ["cannot be less than 10 minutes", 599, 10 * minute],
  ["can be 10 minutes", 600, 10 * minute],
  ["can be the maximum", 3600, hour],
  ["is the maximum by default", undefined, hour],
])("a requested duration %s (upstream's Test_signer_duration)", (_, seconds, expected) => {
  expect(durationMs(seconds, hour)).toBe(expected);
});

describe("usages (upstream's TestKeyUsagesFromStrings)", () => {
  const [, clientAuth, email, ocsp] = [1, 2, 4, 9].map((n) => `1.3.6.1.5.5.7.3.${n}`);
  test.each([
    [["signing"], 1, []],
    [["client auth"], 0, [clientAuth]],
    [["client auth", "client auth"], 0, [clientAuth]],
    [["cert sign", "encipher only"], 32 | 128, []],
    [["ocsp signing", "crl sign", "s/mime", "content commitment"], 64 | 2, [email, ocsp]],
  ])("%j", (usages, bits, extended) => {
    expect(keyUsagesOf(usages)).toEqual({ bits, extended });
  });
  test("unknown ones are refused", () => {
    expect(() => keyUsagesOf(["unsupported string"])).toThrow(
      'unrecognized usage values: ["unsupported string"]',
    );
  });
});

describe("approval (upstream's TestRecognizers)", () => {
  const node = { signerName: kubelet };
  const names = (one: ReturnType<typeof csr>) => approvalRules(one).map(({ subresource }) => subresource);
  test.each([
    ["its own request", csr(node), ["selfnodeclient", "nodeclient"]],
    [
      "without key encipherment",
      csr({ ...node, usages: clientUsages.slice(0, 2) }),
      ["selfnodeclient", "nodeclient"],
    ],
    ["another requestor", csr({ ...node, username: "joe" }), ["nodeclient"]],
    [
      "another node",
      csr({ ...node, request: signingRequest(...nodeSubject("system:node:bar")) }),
      ["nodeclient"],
    ],
    ["another name", csr({ ...node, request: signingRequest(...nodeSubject("mike")) }), []],
    [
      "another organization",
      csr({ ...node, request: signingRequest(...nodeSubject("system:node:foo", "system:master")) }),
      [],
    ],
    [
      "no organization",
      csr({ ...node, request: signingRequest(...nodeSubject("system:node:foo").slice(1)) }),
      [],
    ],
    ["a further usage", csr({ ...node, usages: [...clientUsages, "server auth"] }), []],
    ["another signer", csr({ signerName: "example.com/not-correct" }), []],
    ["the serving signer", csr({ signerName: serving }), []],
    ["approved", csr(node, { conditions: approved }), []],
    ["denied", csr(node, { conditions: [{ type: "Denied", status: "True" }] }), []],
    ["signed", csr(node, { certificate: "eA==" }), []],
  ])("%s", (_, one, expected) => {
    expect(names(one)).toEqual(expected);
  });
  test.each([
    [0, 200],
    [5000, 5000],
    [2_000_000, 1_000_000],
  ])("a refused request that is %d ms old is checked again after %d ms", (age, expected) => {
    expect(approvalRetryMs(csr(), start + age)).toBe(expected);
  });
});

describe("cleaning (upstream's TestCleanerWithApprovedExpiredCSR)", () => {
  const certificate = (text: string) => Buffer.from(text).toString("base64");
  // Any text that is no certificate never expires.
  const garbage = certificate(requestPem());
  const at = (type: string, ms: number) => ({ type, status: "True", lastUpdateTime: ago(ms) });
  test.each<[string, number, string | undefined, object[], boolean]>([
    ["approved, issued", minute, garbage, [at("Approved", 50 * minute)], false],
    ["approved, not issued", minute, undefined, [at("Approved", 50 * minute)], false],
    ["approved, issued, past the deadline", minute, garbage, [at("Approved", 2 * hour)], true],
    ["denied", minute, undefined, [at("Denied", 50 * minute)], false],
    ["denied, past the deadline", minute, undefined, [at("Denied", 2 * hour)], true],
    ["failed", minute, undefined, [at("Approved", 2 * hour), at("Failed", 50 * minute)], false],
    [
      "failed, past the deadline",
      minute,
      undefined,
      [at("Approved", 2 * hour), at("Failed", 2 * hour)],
      true,
    ],
    ["pending", 5 * hour, undefined, [], false],
    ["pending, past the deadline", 25 * hour, undefined, [], true],
    ["approved, not issued, past the deadline", minute, undefined, [at("Approved", 25 * hour)], true],
    ["approved, not issued, 5 h", minute, undefined, [at("Approved", 5 * hour)], false],
    ["no certificate, past the deadline", minute, certificate("garbage"), [at("Approved", 2 * hour)], true],
  ])("%s", (_, age, text, conditions, isCleaned) => {
    const one = csr({}, { certificate: text, conditions }, { creationTimestamp: ago(age) });
    expect(start > cleanAfter(one)).toBe(isCleaned);
  });
});
