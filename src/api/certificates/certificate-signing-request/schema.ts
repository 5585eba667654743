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
  "What is asked for, and by whom; it cannot be changed.",
  {
    request: required(1, bytes, "The request (PKCS #10) as PEM."),
    signerName: required(7, string, "Who shall sign it, such as `kubernetes.io/kubelet-serving`."),
    expirationSeconds: pointer(8, int32, "How long the certificate should be valid, at least 600."),
    usages: optional(5, list(keyUsages), "What the certificate may be used for."),
    username: optional(2, string, "Who asks; the server fills it in."),
    uid: optional(3, string, "The asker's UID; the server fills it in."),
    groups: optional(4, list(string), "The asker's groups; the server fills them in."),
    extra: optional(6, map(list(string)), "What else is known of the asker; the server fills it in."),
  },
);
export type CertificateSigningRequestSpec = Out<typeof CertificateSigningRequestSpec>;

export const CertificateSigningRequestCondition = message(
  "CertificateSigningRequestCondition",
  "One aspect of a request's state.",
  {
    type: required(1, string, "The aspect, such as Approved, Denied or Failed."),
    status: required(6, string, "Whether it holds: True, False or Unknown; True for those three."),
    reason: optional(2, string, "Why, as one CamelCase word for programs."),
    message: optional(3, string, "Why, for people."),
    lastUpdateTime: optional(4, time, "When the condition was last written."),
    lastTransitionTime: optional(5, time, "When the status last changed."),
  },
);
export type CertificateSigningRequestCondition = Out<typeof CertificateSigningRequestCondition>;

export const CertificateSigningRequestStatus = message(
  "CertificateSigningRequestStatus",
  "What has become of a request.",
  {
    conditions: optional(
      1,
      keyed(CertificateSigningRequestCondition, "type"),
      "Aspects of the state, one entry for each type.",
    ),
    certificate: optional(2, bytes, "The certificate as PEM, with intermediate ones after it."),
  },
);

export const CertificateSigningRequest = message(
  "CertificateSigningRequest",
  "Asks for a certificate: somebody approves or denies, then a signer signs.",
  {
    metadata: optional(1, ObjectMeta, "Standard object metadata."),
    spec: required(2, CertificateSigningRequestSpec, "What is asked for."),
    status: optional(3, CertificateSigningRequestStatus, "What has become of it."),
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
