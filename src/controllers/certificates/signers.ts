import type { CertificateRequest } from "../../api/certificates/certificate-signing-request/request.ts";
import { deepEqual } from "../../util/deep-equal.ts";

export const kubeletClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";

const organization = "2.5.4.10";
const commonName = "2.5.4.3";

/** Returns the reason why a signer refuses a request; undefined when it signs it. */
export type SignerRule = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

/** The rules of the signers that the cluster's authority serves (upstream `signer/signer.go`). */
export const signerRules: ReadonlyMap<string, SignerRule> = new Map([
  ["kubernetes.io/kube-apiserver-client", (_, usages) => clientUsagesProblem(usages)],
  [kubeletClientSigner, kubeletClientProblem],
  ["kubernetes.io/kubelet-serving", kubeletServingProblem],
  ["kubernetes.io/legacy-unknown", () => undefined],
]);

function clientUsagesProblem(usages: readonly string[]): string | undefined {
  const allowed = ["digital signature", "key encipherment", "client auth"];
  const wrong = usages.find((usage) => !allowed.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes("client auth")
    ? undefined
    : "missing required usage for client certificate: client auth";
}

/** The common name. The last of several counts, as in Go. */
export function commonNameIn({ subject }: CertificateRequest): string {
  return subject.findLast(({ type }) => type === commonName)?.text ?? "";
}

/** Returns the reason why the request is not for a kubelet's client certificate (upstream `ValidateKubeletClientCSR`). */
export function kubeletClientProblem(
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  const { dns, email, ip, uri } = request.alternativeNames;
  if (!isOfNodes(request)) return notOfNodes;
  if (dns.length > 0) return "DNS subjectAltNames are not allowed";
  if (email.length > 0) return noEmail;
  if (ip.length > 0) return "IP subjectAltNames are not allowed";
  if (uri.length > 0) return noUri;
  return nodeNameProblem(request) ?? usagesProblem(usages, "client auth");
}

function kubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { dns, email, ip, uri } = request.alternativeNames;
  if (!isOfNodes(request)) return notOfNodes;
  if (dns.length === 0 && ip.length === 0) return "DNS or IP subjectAltName is required";
  if (email.length > 0) return noEmail;
  if (uri.length > 0) return noUri;
  return usagesProblem(usages, "server auth") ?? nodeNameProblem(request);
}

const notOfNodes = "subject organization is not system:nodes";
const noEmail = "Email subjectAltNames are not allowed";
const noUri = "URI subjectAltNames are not allowed";

function isOfNodes({ subject }: CertificateRequest): boolean {
  const organizations = subject.filter(({ type }) => type === organization).map(({ text }) => text);
  return deepEqual(organizations, ["system:nodes"]);
}

function nodeNameProblem(request: CertificateRequest): string | undefined {
  const isNode = commonNameIn(request).startsWith("system:node:");
  return isNode ? undefined : "subject common name does not begin with system:node:";
}

/** Requires exactly the usages of TLS. Keys that are not RSA keys need no key encipherment. */
function usagesProblem(usages: readonly string[], main: string): string | undefined {
  const given = new Set(usages);
  const required = new Set(["digital signature", main]);
  const withRsa = new Set([...required, "key encipherment"]);
  const isSame = (one: ReadonlySet<string>) => given.symmetricDifference(one).size === 0;
  if (isSame(required) || isSame(withRsa)) return undefined;
  return `usages did not match [${[...withRsa].toSorted((a, b) => (a < b ? -1 : 1)).join(" ")}]`;
}
