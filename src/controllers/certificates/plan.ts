import { X509Certificate } from "node:crypto";
import {
  type CertificateRequest,
  readRequest,
} from "../../api/certificates/certificate-signing-request/request.ts";
import type { CertificateSigningRequest } from "../../api/certificates/certificate-signing-request/schema.ts";
import { pemBlocks } from "../../util/pem.ts";
import { commonNameIn, kubeletClientProblem, kubeletClientSigner, signerRules } from "./signers.ts";
import { keyUsagesOf, type KeyUsages } from "./usages.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The default of `--cluster-signing-duration`: a year. */
const maxDurationMs = 365 * 24 * hourMs;
const minDurationMs = 10 * minuteMs;
/** Allows for clocks that differ between machines. */
const backdateMs = 5 * minuteMs;
/** A certificate of a shorter life keeps its whole duration. */
const shortMs = 8 * hourMs;

/** A certificate to sign. */
export interface CertificateTemplate extends CertificateRequest {
  readonly usages: KeyUsages;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export type SigningAction =
  | { readonly type: "ignore" }
  | { readonly type: "fail"; readonly message: string }
  | { readonly type: "sign"; readonly template: CertificateTemplate };

/** The signer with the authority's end of validity cannot sign. */
export class ExpiredAuthorityError extends Error {
  override readonly name = "ExpiredAuthorityError";
}

const has = ({ status }: CertificateSigningRequest, type: string) =>
  (status.conditions ?? []).some((one) => one.type === type);

/**
 * Plans the signing of an approved request (upstream `signer/signer.go`). `authorityNotAfter` is the end of the
 * authority's certificate.
 * @throws ExpiredAuthorityError, DerError
 */
export function planSigning(
  csr: CertificateSigningRequest,
  now: number,
  authorityNotAfter: number,
): SigningAction {
  const { signerName, usages = [], request: pem, expirationSeconds } = csr.spec;
  const rule = signerRules.get(signerName);
  const isDone = csr.status.certificate !== undefined || has(csr, "Denied") || hasFailed(csr);
  if (isDone || !has(csr, "Approved") || rule === undefined) return { type: "ignore" };
  const request = readRequest(pem);
  const message = rule(request, usages);
  if (message !== undefined) return { type: "fail", message };
  const validity = validityOf(durationMs(expirationSeconds), now, authorityNotAfter);
  return { type: "sign", template: { ...request, ...validity, usages: keyUsagesOf(usages) } };
}

function hasFailed({ status }: CertificateSigningRequest): boolean {
  return (status.conditions ?? []).some((one) => one.type === "Failed" && one.status === "True");
}

/** The granted duration: the requested one between ten minutes and `maximum`. */
export function durationMs(expirationSeconds: number | undefined, maximum = maxDurationMs): number {
  if (expirationSeconds === undefined) return maximum;
  return Math.min(maximum, Math.max(minDurationMs, expirationSeconds * 1000));
}

function validityOf(duration: number, now: number, authorityNotAfter: number) {
  if (now >= authorityNotAfter) {
    throw new ExpiredAuthorityError(
      `Cannot sign: the authority's certificate ended at ${new Date(authorityNotAfter).toISOString()}`,
    );
  }
  const end = now + duration - (duration < shortMs ? 0 : backdateMs);
  return { notBefore: now - backdateMs, notAfter: Math.min(end, authorityNotAfter) };
}

/** A permission with which the requestor's certificate is approved. */
export interface ApprovalRule {
  readonly subresource: "selfnodeclient" | "nodeclient";
  readonly message: string;
}

const selfApproval: ApprovalRule = {
  subresource: "selfnodeclient",
  message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
};
const nodeApproval: ApprovalRule = {
  subresource: "nodeclient",
  message: "Auto approving kubelet client certificate after SubjectAccessReview.",
};

/**
 * The permissions of which the requestor needs one, in the order of the checks; empty for a request that users
 * approve (upstream `approver/sarapprove.go`).
 * @throws DerError
 */
export function approvalRules(csr: CertificateSigningRequest): readonly ApprovalRule[] {
  const { signerName, usages = [], username, request: pem } = csr.spec;
  if (csr.status.certificate !== undefined || has(csr, "Approved") || has(csr, "Denied")) return [];
  if (signerName !== kubeletClientSigner) return [];
  const request = readRequest(pem);
  if (kubeletClientProblem(request, usages) !== undefined) return [];
  return commonNameIn(request) === username ? [selfApproval, nodeApproval] : [nodeApproval];
}

const maxRetryMs = 1_000_000;

/** The delay until a refused approval is checked again: as long as the request has waited, from 200 ms to 1,000 s. */
export function approvalRetryMs({ metadata }: CertificateSigningRequest, now: number): number {
  const waited = now - Date.parse(metadata.creationTimestamp ?? "");
  return Number.isNaN(waited) ? maxRetryMs : Math.min(maxRetryMs, Math.max(200, waited));
}

/** The time after which a request is deleted, in milliseconds since 1970 (upstream `cleaner/cleaner.go`). */
export function cleanAfter(csr: CertificateSigningRequest): number {
  const { metadata, status } = csr;
  const { conditions = [], certificate } = status;
  if (conditions.length === 0) return after(metadata.creationTimestamp, 24 * hourMs);
  const times = conditions.map(({ type, lastUpdateTime }) => {
    if (type === "Denied" || type === "Failed") return after(lastUpdateTime, hourMs);
    if (type !== "Approved") return Infinity;
    if (certificate === undefined) return after(lastUpdateTime, 24 * hourMs);
    return Math.min(after(lastUpdateTime, hourMs), endOf(certificate));
  });
  return Math.min(...times);
}

function after(time: string | undefined, ms: number): number {
  return time === undefined ? Infinity : Date.parse(time) + ms;
}

/** The end of a certificate's validity; never, if the text is no certificate. */
function endOf(certificate: string): number {
  const [block] = pemBlocks(certificate);
  if (block === undefined) return Infinity;
  try {
    return new X509Certificate(block.bytes).validToDate.getTime();
  } catch {
    return Infinity;
  }
}
