import { X509Certificate } from "node:crypto";
import { pemBlocks } from "../../util/pem.ts";
import { type FieldError, type FieldPath, invalid, requiredValue } from "../field-error.ts";
import { subdomainProblems } from "./dns.ts";
import { portProblems } from "./number.ts";
import { parseUrl, UrlError } from "./url.ts";

/** Validation of the address of a webhook (apiserver `util/webhook/validation.go`). */

const form = "; desired format: https://host[/path]";

export function* validateWebhookUrl(text: string, path: FieldPath): Generator<FieldError> {
  try {
    const { scheme, host, user, fragment, query } = parseUrl(text);
    if (scheme !== "https") yield invalid(path, scheme, `'https' is the only allowed URL scheme${form}`);
    if (host === "") yield invalid(path, host, `host must be specified${form}`);
    if (user !== undefined) yield invalid(path, user, "user information is not permitted in the URL");
    if (fragment !== "") yield invalid(path, fragment, "fragments are not permitted in the URL");
    if (query !== "") yield invalid(path, query, "query parameters are not permitted in the URL");
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    yield requiredValue(path, `url must be a valid URL: ${error.message}${form}`);
  }
}

interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

export function* validateWebhookService(service: ServiceReference, path: FieldPath): Generator<FieldError> {
  if (service.name === "") yield requiredValue(path.child("name"));
  if (service.namespace === "") yield requiredValue(path.child("namespace"));
  const port = service.port ?? 0;
  const wrong = portProblems(port).join(", ");
  if (wrong !== "") yield invalid(path.child("port"), port, `port is not valid: ${wrong}`);
  if (service.path !== undefined) yield* validateUrlPath(service.path, path.child("path"));
}

function* validateUrlPath(text: string, path: FieldPath): Generator<FieldError> {
  if (text === "" || text === "/") return;
  if (!text.startsWith("/")) yield invalid(path, text, "must start with a '/'");
  for (const [i, segment] of text.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (segment === "") yield invalid(path, text, `segment[${i}] may not be empty`);
    else
      for (const problem of subdomainProblems(segment))
        yield invalid(path, text, `segment[${i}]: ${problem}`);
  }
}

/** Requires CA certificates as PEM in Base64. */
export function* validateCaBundle(bundle: string, path: FieldPath): Generator<FieldError> {
  const problem = certificatesProblem(bundle);
  if (problem !== undefined) yield invalid(path, bundle, `unable to load root certificates: ${problem}`);
}

/** Requires one valid certificate, because Go silently ignores the others. */
function certificatesProblem(bundle: string): string | undefined {
  const blocks = pemBlocks(bundle);
  const certificates = blocks.filter(({ type, hasHeaders }) => type === "CERTIFICATE" && !hasHeaders);
  if (certificates.some(({ bytes }) => isCertificate(bytes))) return undefined;
  if (certificates.length > 0) return "failed to parse certificate: x509: malformed certificate";
  const isWhole = blocks.at(-1)?.end === Buffer.from(bundle, "base64").length;
  return isWhole ? "no valid certificate authority data seen" : "unable to parse bytes as PEM block";
}

function isCertificate(bytes: Uint8Array): boolean {
  try {
    return new X509Certificate(bytes).raw.length > 0;
  } catch {
    return false;
  }
}
