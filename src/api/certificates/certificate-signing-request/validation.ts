import { X509Certificate } from "node:crypto";
import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notSupported,
  requiredValue,
  root,
  tooLong,
} from "../../../meta/field-error.ts";
import { labelProblems, subdomainProblems } from "../../../meta/validation/dns.ts";
import { deepEqual } from "../../../util/deep-equal.ts";
import { pemBlocks } from "../../../util/pem.ts";
import { requestProblem } from "./request.ts";
import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  type CertificateSigningRequestSpec,
  keyUsageNames,
} from "./schema.ts";
import { repeats } from "../../../util/repeats.ts";

type Request = CertificateSigningRequest;

/** The endpoint, which decides the writable parts. */
type Endpoint = "" | "status" | "approval";

const specPath = root.child("spec");
const conditionsPath = root.child("status", "conditions");
const certificatePath = root.child("status", "certificate");

const conditionsOf = ({ status }: Request, ...types: readonly string[]) =>
  (status.conditions ?? []).filter(({ type }) => types.length === 0 || types.includes(type));
const hasDuplicates = (values: readonly unknown[]) => new Set(values).size < values.length;

export function* validateRequest(request: Request, old?: Request): Generator<FieldError> {
  const { spec, status } = request;
  const problem = requestProblem(spec.request);
  if (problem !== undefined) yield invalid(specPath.child("request"), spec.request, problem);
  yield* validateUsages(spec.usages ?? [], old?.spec.usages ?? []);
  yield* validateSigner(spec.signerName, old?.spec.signerName);
  yield* validateExpiration(spec);
  yield* validateConditions(request, old);
  const isSame = old !== undefined && status.certificate === old.status.certificate;
  if (isSame || certificateProblem(old?.status.certificate) !== undefined) return;
  const wrong = certificateProblem(status.certificate);
  if (wrong !== undefined) yield invalid(certificatePath, "<certificate data>", wrong);
}

export const validateRequestUpdate = (request: Request, old: Request) => validateChange(request, old, "");
export const validateStatusUpdate = (request: Request, old: Request) =>
  validateChange(request, old, "status");
export const validateApprovalUpdate = (request: Request, old: Request) =>
  validateChange(request, old, "approval");

function* validateChange(request: Request, old: Request, endpoint: Endpoint): Generator<FieldError> {
  yield* validateRequest(request, old);
  for (const type of ["Approved", "Denied", "Failed"]) {
    const [before, now] = [conditionsOf(old, type), conditionsOf(request, type)];
    if (now.length < before.length) {
      yield forbidden(conditionsPath, `updates may not remove a condition of type ${JSON.stringify(type)}`);
    }
  }
  for (const type of endpoint === "approval" ? [] : ["Approved", "Denied"]) {
    const [before, now] = [conditionsOf(old, type), conditionsOf(request, type)];
    const change = now.length > before.length ? "add" : "modify";
    if (now.length >= before.length && !deepEqual(now, before)) {
      yield forbidden(
        conditionsPath,
        `updates may not ${change} a condition of type ${JSON.stringify(type)}`,
      );
    }
  }
  if (request.status.certificate === old.status.certificate) return;
  if (endpoint !== "status") yield forbidden(certificatePath, "updates may not set certificate content");
  else if (old.status.certificate !== undefined) {
    yield forbidden(certificatePath, "updates may not modify existing certificate content");
  }
}

/** Validates the usages. Tolerates invalid ones that are already stored. */
function* validateUsages(usages: readonly string[], old: readonly string[]): Generator<FieldError> {
  const path = specPath.child("usages");
  if (usages.length === 0) yield requiredValue(path);
  const isKnown = (usage: string) => keyUsageNames.includes(usage);
  for (const [i, usage] of usages.entries()) {
    if (!isKnown(usage) && old.every(isKnown)) yield notSupported(path.index(i), usage, keyUsageNames);
  }
  const repeated = repeats(usages);
  for (const [i, usage] of usages.entries()) {
    if (repeated.has(i) && !hasDuplicates(old)) yield duplicate(path.index(i), usage);
  }
}

const legacySigner = "kubernetes.io/legacy-unknown";
const [maxDomain, maxName] = [253, 571];

function* validateSigner(name: string, old: string | undefined): Generator<FieldError> {
  const path = specPath.child("signerName");
  const [domain = "", rest, ...more] = name.split("/");
  if (name === legacySigner && old !== legacySigner) {
    yield invalid(path, name, "the legacy signerName is not allowed via this API version");
  } else if (name === "") yield requiredValue(path);
  else if (rest === undefined || more.length > 0) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    yield invalid(path, name, detail);
  } else {
    if (domain.length > maxDomain) yield tooLong(path, maxDomain);
    yield* validateSegment(domain, labelProblems, path);
    if (!domain.includes(".")) {
      yield invalid(path, domain, "should be a domain with at least two segments separated by dots");
    }
    yield* validateSegment(rest, subdomainProblems, path);
    if (name.length > maxName) yield tooLong(path, maxName);
  }
}

/** Validates a segment of the signer's name. Only the first error is reported. */
function* validateSegment(
  text: string,
  problemsOf: (part: string) => readonly string[],
  path: FieldPath,
): Generator<FieldError> {
  const part = text.split(".").find((part) => problemsOf(part).length > 0);
  if (part === undefined) return;
  for (const problem of problemsOf(part)) {
    yield invalid(path, text, `validating label ${JSON.stringify(part)}: ${problem}`);
  }
}

function* validateExpiration({
  expirationSeconds: seconds,
}: CertificateSigningRequestSpec): Generator<FieldError> {
  if (seconds === undefined || seconds >= 600) return;
  const detail = "may not specify a duration less than 600 seconds (10 minutes)";
  yield invalid(specPath.child("expirationSeconds"), seconds, detail);
}

function* validateConditions(request: Request, old: Request | undefined): Generator<FieldError> {
  const before = old === undefined ? [] : conditionsOf(old).map(({ type }) => type);
  const allowsBoth = before.includes("Approved") && before.includes("Denied");
  const seen = new Set<string>();
  for (const [i, condition] of conditionsOf(request).entries()) {
    const { type } = condition;
    const path = conditionsPath.index(i);
    if (type === "" && !before.includes("")) yield requiredValue(path.child("type"));
    yield* validateConditionStatus(condition, path.child("status"));
    const other = { Approved: "Denied", Denied: "Approved" }[type];
    if (!allowsBoth && other !== undefined && seen.has(other)) {
      yield invalid(conditionsPath, type, "Approved and Denied conditions are mutually exclusive");
    }
    if (seen.has(type) && !hasDuplicates(before)) yield duplicate(path.child("type"), type);
    seen.add(type);
  }
}

function* validateConditionStatus(
  { type, status }: CertificateSigningRequestCondition,
  path: FieldPath,
): Generator<FieldError> {
  const isFinal = ["Approved", "Denied", "Failed"].includes(type);
  const allowed = isFinal ? ["True"] : ["False", "True", "Unknown"];
  if (status === "") yield requiredValue(path);
  else if (!allowed.includes(status)) yield notSupported(path, status, allowed);
}

/** Returns the reason why the text is not a list of PEM certificates. An absent text is valid. */
function certificateProblem(base64: string | undefined): string | undefined {
  if (base64 === undefined) return undefined;
  const blocks = pemBlocks(base64);
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== "CERTIFICATE") {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    }
    if (hasHeaders) return "no PEM block headers are permitted";
    if (bytes.length === 0) return "found CERTIFICATE PEM block containing 0 certificates";
    if (!isCertificate(bytes)) return "x509: malformed certificate";
  }
  return blocks.length === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}

function isCertificate(bytes: Uint8Array): boolean {
  try {
    return new X509Certificate(bytes).raw.length > 0;
  } catch {
    return false;
  }
}
