import { organizationsOf } from "../../api/certificates/certificate-signing-request/request.ts";
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "../../api/certificates/certificate-signing-request/schema.ts";
import { errors } from "../../meta/status.ts";
import { deepEqual } from "../../util/deep-equal.ts";
import type { AdmissionServices } from "./admission-services.ts";
import { about, type AdmissionPlugin, type AttributesOf } from "./plugin.ts";

const { group } = certificateSigningRequests;
const clientSigner = "kubernetes.io/kube-apiserver-client";
const superusers = "system:masters";

/**
 * Requires the permission to `approve` for the signer of an approved request (plugin
 * `certificates/approval`).
 */
export const certificateApproval: AdmissionPlugin = {
  name: "CertificateApproval",
  validate(attributes, services) {
    const approval = about(certificateSigningRequests, attributes, "approval");
    if (approval !== undefined) requireSigner(approval, services, "approve");
  },
};

/**
 * Requires the permission to `sign` for the signer of an issued certificate (plugin `certificates/signing`).
 */
export const certificateSigning: AdmissionPlugin = {
  name: "CertificateSigning",
  validate(attributes, services) {
    const signing = about(certificateSigningRequests, attributes, "status");
    if (signing === undefined) return;
    const [next, before] = [signing.object?.status, signing.old?.status];
    const isSame =
      next !== undefined &&
      next.certificate === before?.certificate &&
      deepEqual(next.conditions, before?.conditions);
    if (!isSame) requireSigner(signing, services, "sign");
  },
};

/**
 * Refuses requests for certificates of the cluster's superusers (plugin `certificates/subjectrestriction`).
 */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  validate(attributes) {
    const { operation, resource, name } = attributes;
    const spec = about(certificateSigningRequests, attributes)?.object?.spec;
    if (operation !== "CREATE" || spec === undefined) return;
    if (spec.signerName !== clientSigner || !organizationsOf(spec.request).includes(superusers)) return;
    const why = `use of ${clientSigner} signer with ${superusers} group is not allowed`;
    throw errors.forbidden(resource.name, name, why);
  },
};

/** The permission may be for the signer, or for all signers of its domain. */
function requireSigner(
  { user, resource, name, old }: AttributesOf<CertificateSigningRequest>,
  { authorizer }: AdmissionServices,
  verb: "approve" | "sign",
): void {
  const signerName = old?.spec.signerName ?? "";
  const may = (signer: string) => {
    const place = { group, version: "*", namespace: "", resource: "signers", subresource: "", name: signer };
    return authorizer.authorize({ user, verb, target: { type: "resource", ...place } }).allowed;
  };
  if (may(signerName) || may(`${signerName.split("/")[0]}/*`)) return;
  const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`;
  throw errors.forbidden(resource.name, name, why);
}
