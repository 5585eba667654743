import { X509Certificate } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { signingRequest } from "../../api/certificates/certificate-signing-request/request.suite.ts";
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
} from "../../api/certificates/certificate-signing-request/schema.ts";
/* oxlint-disable-next-line no-restricted-imports -- The authority is the cluster's; the test needs a real one. */
import { ensurePki, type Pki } from "../../cluster/pki.ts";
/* oxlint-disable-next-line no-restricted-imports -- See above. */
import { signCertificate } from "../../cluster/sign-certificate.ts";
import { silentLogger } from "../../util/logger.ts";
import { seededRandom } from "../../util/random.ts";
import { VirtualClock } from "../../util/virtual-clock.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import {
  certificateApprovingController,
  certificateCleanerController,
  certificateSigningController,
} from "./controller.ts";

let pki: Pki;
beforeAll(async () => {
  const env = { clock: new VirtualClock(), random: seededRandom(1), log: silentLogger };
  pki = await ensurePki({ env, directory: undefined, serverNames: ["localhost"] });
});

const startBed = () =>
  startTestbed(() => [
    certificateSigningController({
      certificate: pki.ca.certificate,
      sign: (template) => signCertificate(pki.ca, template),
    }),
    certificateApprovingController(),
    certificateCleanerController(),
  ]);
const own = ({ client }: Testbed) => client.of(certificateSigningRequests);
const usages = ["client auth", "digital signature"] as const;
const subject = [
  [{ type: "organization" as const, text: "system:nodes" }],
  [{ type: "commonName" as const, text: "system:node:n" }],
];
const create = (bed: Testbed, spec: Partial<CertificateSigningRequest["spec"]>) =>
  own(bed).create({
    metadata: { name: "csr" },
    spec: {
      request: signingRequest(...subject),
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages,
      ...spec,
    },
  });
const conditions = async (bed: Testbed) =>
  ((await own(bed).get("csr")).status.conditions ?? []).map(({ type, reason, message }) =>
    [type, reason, message].join(" "),
  );

test("a kubelet's request is approved once its requestor may, signed, and deleted after an hour", async () => {
  const bed = await startBed();
  const before = await create(bed, {});
  // The administrator may do everything, so the request is approved at once.
  await bed.until(async () => (await own(bed).get("csr")).status.certificate !== undefined);
  expect(before.spec.username).toBe("admin");
  expect(await conditions(bed)).toEqual([
    "Approved AutoApproved Auto approving kubelet client certificate after SubjectAccessReview.",
  ]);
  const { certificate = "" } = (await own(bed).get("csr")).status;
  const signed = new X509Certificate(Buffer.from(certificate, "base64"));
  expect(signed.verify(new X509Certificate(pki.ca.certificate).publicKey)).toBe(true);
  expect(signed.subject).toBe("O=system:nodes\nCN=system:node:n");
  expect(signed.validFromDate.toISOString()).toBe("2025-12-31T23:55:00.000Z");
  expect(signed.validToDate.toISOString()).toBe("2026-12-31T23:55:00.000Z");
  // Signing takes real time, in which any virtual time may pass.
  const [approved] = (await own(bed).get("csr")).status.conditions ?? [];
  await bed.clock.advance(Date.parse(approved?.lastUpdateTime ?? "") + 3_600_000 - bed.clock.now());
  expect((await own(bed).list()).items.length).toBe(1);
  await bed.clock.advance(1000);
  expect((await own(bed).list()).items).toEqual([]);
  expect(bed.complaints).toEqual([]);
});

test("an approved request that its signer refuses fails", async () => {
  const bed = await startBed();
  const created = await create(bed, { usages: ["server auth"], signerName: "kubernetes.io/kubelet-serving" });
  await own(bed)
    .subresource("csr", "approval")
    .update({ ...created, status: { conditions: [{ type: "Approved", status: "True", reason: "Test" }] } });
  await bed.until(async () => (await conditions(bed)).length === 2);
  expect((await conditions(bed))[1]).toBe(
    "Failed SignerValidationFailure DNS or IP subjectAltName is required",
  );
});
