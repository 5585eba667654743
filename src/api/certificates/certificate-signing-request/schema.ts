import { defineKind, type ObjectOf } from "../../../meta/kind.ts";
import {
  type Out,
  bytes,
  int32,
  keyed,
  list,
  map,
  messages,
  oneOf,
  optional,
  pointer,
  required,
  string,
  time,
} from "../../../meta/schema.ts";
import { ObjectMeta } from "../../../meta/v1.ts";

const message = messages("io.k8s.api.certificates.v1");

const keyUsages = oneOf(
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
);
export const keyUsageNames: readonly string[] = keyUsages.enum ?? [];

export const CertificateSigningRequestSpec = message(
  "CertificateSigningRequestSpec",
  "The requested certificate and the requestor; immutable.",
  {
    request: required(1, bytes, "The request (PKCS #10) as PEM."),
    signerName: required(7, string, "The requested signer, such as `kubernetes.io/kubelet-serving`."),
    expirationSeconds: pointer(8, int32, "The requested lifetime in seconds, at least 600."),
    usages: optional(5, list(keyUsages), "The requested key usages."),
    username: optional(2, string, "The requestor's user name; set by the server."),
    uid: optional(3, string, "The requestor's UID; set by the server."),
    groups: optional(4, list(string), "The requestor's groups; set by the server."),
    extra: optional(6, map(list(string)), "The requestor's further attributes; set by the server."),
  },
);
export type CertificateSigningRequestSpec = Out<typeof CertificateSigningRequestSpec>;

export const CertificateSigningRequestCondition = message(
  "CertificateSigningRequestCondition",
  "A condition of a request.",
  {
    type: required(1, string, "The condition's type, such as Approved, Denied or Failed."),
    status: required(
      6,
      string,
      "The condition's status: True, False or Unknown; True for those three types.",
    ),
    reason: optional(2, string, "A machine-readable reason, as one CamelCase word."),
    message: optional(3, string, "A human-readable explanation."),
    lastUpdateTime: optional(4, time, "The time when the condition was last updated."),
    lastTransitionTime: optional(5, time, "The time when the condition's status last changed."),
  },
);
export type CertificateSigningRequestCondition = Out<typeof CertificateSigningRequestCondition>;

export const CertificateSigningRequestStatus = message(
  "CertificateSigningRequestStatus",
  "The result of a request.",
  {
    conditions: optional(
      1,
      keyed(CertificateSigningRequestCondition, "type"),
      "The conditions, one for each type.",
    ),
    certificate: optional(2, bytes, "The certificate as PEM, followed by intermediate certificates."),
  },
);

export const CertificateSigningRequest = message(
  "CertificateSigningRequest",
  "Requests a certificate, which a signer issues after an approval.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, CertificateSigningRequestSpec, "The request."),
    status: optional(3, CertificateSigningRequestStatus, "The observed state."),
  },
);

const kind = { group: "certificates.k8s.io", version: "v1", kind: "CertificateSigningRequest" } as const;

export const certificateSigningRequests = defineKind(CertificateSigningRequest, {
  ...kind,
  plural: "certificatesigningrequests",
  namespaced: false,
  shortNames: ["csr"],
  status: true,
  subresources: { approval: { kind, verbs: ["get", "patch", "update"] } },
});
export type CertificateSigningRequest = ObjectOf<typeof certificateSigningRequests>;
