import { table } from "./table.ts";
import { errorCode } from "./error-code.ts";
import { errorText } from "./error-text.ts";
import { fieldsOf } from "./is-object.ts";

/** Returns the message of a network or TLS error, in Go's words if clients look for them. */
export function networkError(error: unknown): string {
  const { address, port, hostname } = fieldsOf(error);
  const code = errorCode(error) ?? "";
  const message = errorText(error);
  if (code === "ECONNREFUSED") return `dial tcp ${join(address, port)}: connect: connection refused`;
  if (code === "EHOSTUNREACH") return `dial tcp ${join(address, port)}: connect: no route to host`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${String(hostname)}: no such host`;
  if (code === "EPROTO") return "http: server gave HTTP response to HTTPS client";
  const certificate = certificateProblems[code];
  if (certificate !== undefined) return `tls: failed to verify certificate: x509: ${certificate}`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `tls: failed to verify certificate: ${message}`;
  return message;
}

const unknownAuthority = "certificate signed by unknown authority";

const certificateProblems: Readonly<Record<string, string>> = table({
  CERT_HAS_EXPIRED: "certificate has expired or is not yet valid",
  CERT_NOT_YET_VALID: "certificate has expired or is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
});

function join(address: unknown = "", port: unknown = 0): string {
  const host = String(address);
  return host.includes(":") ? `[${host}]:${String(port)}` : `${host}:${String(port)}`;
}
