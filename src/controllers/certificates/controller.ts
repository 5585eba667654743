import { X509Certificate } from "node:crypto";
import { type SubjectAccessReview, subjectAccessReviews } from "../../api/authorization/v1.ts";
import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  certificateSigningRequests,
} from "../../api/certificates/certificate-signing-request/schema.ts";
import {
  controller,
  type Controller,
  type Reconcile,
  type ReconcileResult,
} from "../../operator/controller.ts";
import { formatTime } from "../../util/clock.ts";
import { ignoreGone } from "../ignore-gone.ts";
import {
  approvalRetryMs,
  approvalRules,
  type ApprovalRule,
  type CertificateTemplate,
  cleanAfter,
  planSigning,
} from "./plan.ts";

/** Signs a certificate with the cluster's authority. Returns PEM. */
export type SignCertificate = (template: CertificateTemplate) => Promise<string>;

export interface SigningOptions {
  /** The authority's certificate, in PEM. */
  readonly certificate: string;
  readonly sign: SignCertificate;
}

type Request = CertificateSigningRequest;

/** Upstream gives the three controllers of certificates one ServiceAccount. */
const name = "certificate-controller";

/** Signs approved requests for the cluster's own signers (upstream `csrsigning`). */
export function certificateSigningController({ certificate: authority, sign }: SigningOptions): Controller {
  let authorityNotAfter: number | undefined;
  return controller({
    name,
    for: certificateSigningRequests,
    workers: 5,
    async reconcile(request) {
      const csr = requestOf(request);
      if (csr === undefined) return;
      authorityNotAfter ??= new X509Certificate(authority).validToDate.getTime();
      const now = request.env.clock.now();
      const action = planSigning(csr, now, authorityNotAfter);
      const own = request.client.of(certificateSigningRequests);
      if (action.type === "sign") {
        const certificate = Buffer.from(await sign(action.template)).toString("base64");
        await own.updateStatus({ ...csr, status: { ...csr.status, certificate } });
      } else if (action.type === "fail") {
        const condition = {
          type: "Failed",
          status: "True",
          reason: "SignerValidationFailure",
          message: action.message,
          lastUpdateTime: formatTime(now),
        };
        await own.updateStatus(withAppended(csr, condition));
      }
    },
  });
}

/** Approves kubelets' requests whose requestors have the permission (upstream `csrapproving`). */
export function certificateApprovingController(): Controller {
  return controller({ name, for: certificateSigningRequests, workers: 5, reconcile: approve });
}

async function approve(request: Reconcile): Promise<ReconcileResult> {
  const csr = requestOf(request);
  const rules = csr === undefined ? [] : approvalRules(csr);
  if (csr === undefined || rules.length === 0) return {};
  for (const rule of rules) {
    if (!(await mayRequest(csr, rule, request))) continue;
    const condition = { type: "Approved", status: "True", reason: "AutoApproved", message: rule.message };
    const approval = request.client
      .of(certificateSigningRequests)
      .subresource<Request>(request.name, "approval");
    await approval.update(withAppended(csr, condition));
    return {};
  }
  return { requeueAfterMs: approvalRetryMs(csr, request.env.clock.now()) };
}

async function mayRequest({ spec }: Request, { subresource }: ApprovalRule, { client }: Reconcile) {
  const { username: user, uid, groups, extra } = spec;
  const resourceAttributes = {
    group: certificateSigningRequests.group,
    resource: certificateSigningRequests.plural,
    verb: "create",
    subresource,
    version: "*",
  };
  const review: SubjectAccessReview = await client
    .of(subjectAccessReviews)
    .create({ spec: { user, uid, groups, extra, resourceAttributes } });
  return review.status.allowed;
}

/** Deletes requests that nobody needs any longer (upstream `csrcleaner`). */
export function certificateCleanerController(): Controller {
  return controller({
    name,
    for: certificateSigningRequests,
    async reconcile(request) {
      const csr = requestOf(request);
      if (csr === undefined) return {};
      const leftMs = cleanAfter(csr) - request.env.clock.now();
      if (leftMs === Infinity) return {};
      if (leftMs >= 0) return { requeueAfterMs: leftMs + 1 };
      await ignoreGone(request.client.of(certificateSigningRequests).delete(request.name));
      return {};
    },
  });
}

function requestOf({ cache, name: key }: Reconcile): Request | undefined {
  return cache.get(certificateSigningRequests, undefined, key);
}

/** The request with one condition more: a request keeps all of its conditions. */
function withAppended(csr: Request, condition: CertificateSigningRequestCondition): Request {
  return { ...csr, status: { ...csr.status, conditions: [...(csr.status.conditions ?? []), condition] } };
}
