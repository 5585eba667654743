import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { ApiRequest } from "../../meta/exchange.ts";

/** Headers of one connection, which a proxy does not pass on (RFC 9110 §7.6.1). */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that the API server has acted on: a backend must not learn the caller's credentials. */
const consumed = new Set(["authorization", "content-length", "expect", "host", "http2-settings"]);

/** Removed from answers, because the API server's origin is not the backend's (apimachinery `util/proxy`). */
const corsHeaders = new Set([
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
]);

/** A bearer token as a WebSocket subprotocol of browsers. */
const tokenProtocol = "base64url.bearer.authorization.k8s.io.";

export interface Forwarding {
  /** The request's path at the backend. */
  readonly path: string;
  /** The part of the path that the backend does not see. */
  readonly prefix: string;
  readonly isUpgrade: boolean;
}

/** Returns the headers for the backend (Go `httputil.ReverseProxy`, apimachinery `util/proxy`). */
export function backendHeaders(
  { headers, caller }: Pick<ApiRequest, "headers" | "caller">,
  { path, prefix, isUpgrade }: Forwarding,
): OutgoingHttpHeaders {
  const named = namedByConnection(headers["connection"]);
  const passed: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":") || name.startsWith("impersonate-")) continue;
    if (consumed.has(name) || hopByHop.has(name) || named.has(name)) continue;
    passed[name] = value;
  }
  const host = headers["host"] ?? headers[":authority"];
  if (host !== undefined) passed["host"] = host;
  if (caller.type === "connection") {
    const before = headers["x-forwarded-for"];
    passed["x-forwarded-for"] = before === undefined ? caller.address : `${before}, ${caller.address}`;
  }
  if (!isUpgrade) {
    passed["x-forwarded-uri"] = prefix + path;
    return passed;
  }
  const protocols = withoutTokens(headers["sec-websocket-protocol"]);
  delete passed["sec-websocket-protocol"];
  return {
    ...passed,
    connection: "Upgrade",
    upgrade: headers["upgrade"] ?? "",
    ...(protocols !== "" && { "sec-websocket-protocol": protocols }),
  };
}

function namedByConnection(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
}

function withoutTokens(protocols: string | undefined): string {
  const names = (protocols ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "" && !name.startsWith(tokenProtocol)).join(", ");
}

/** Returns the headers of a backend's answer for the client. */
export function clientHeaders(
  headers: IncomingHttpHeaders,
  location: string | undefined,
): Record<string, string> {
  const named = namedByConnection(headers.connection);
  const passed: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    // Node joins repeated headers, except cookies, which are passed on beside the others.
    if (typeof value !== "string" || hopByHop.has(name) || named.has(name) || corsHeaders.has(name)) continue;
    passed.push([name, value]);
  }
  if (location !== undefined) passed.push(["location", location]);
  return Object.fromEntries(passed);
}

export interface RedirectSource {
  /** The host and port of the backend. */
  readonly backend: string;
  /** The host that the client asked. */
  readonly host: string;
  /** The path of the proxy, which the backend does not know. */
  readonly prefix: string;
}

/**
 * Rewrites a redirect of a backend to itself, so that it leads through the proxy (apimachinery `util/proxy`
 * `rewriteURL`). Other redirects are unchanged.
 */
export function rewriteLocation(location: string, { backend, host, prefix }: RedirectSource): string {
  const parsed = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/([^/?#]*))?(\/[^?#]*)(.*)$/is.exec(location);
  if (parsed === null) return location;
  const [, authority = "", path = "", rest = ""] = parsed;
  if (authority !== "" && authority !== backend && authority !== host) return location;
  const target = path.startsWith(prefix) ? path : `${prefix}${path}`;
  if (authority !== "" && authority === host)
    return location.slice(0, location.indexOf(authority)) + authority + target + rest;
  return target + rest;
}
