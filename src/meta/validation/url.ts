import { quoted } from "../../util/go-quote.ts";
import { parseAddress } from "../../util/ip-text.ts";

/** The parts of a URL in Go's `net/url`. */
export interface UrlParts {
  readonly scheme: string;
  /** `user:password`, still escaped like query and fragment; undefined when there is no `@`. */
  readonly user: string | undefined;
  /** The host with its port. */
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** Thrown when a text is not a URL. The message is Go's. */
export class UrlError extends Error {
  override readonly name = "UrlError";
}

/** Parses a URL like Go's `url.Parse`, which also accepts paths and opaque URLs. @throws UrlError */
export function parseUrl(text: string): UrlParts {
  const hash = text.indexOf("#");
  const whole = hash < 0 ? text : text.slice(0, hash);
  const parts = naming(whole, () => parse(whole, false));
  const fragment = hash < 0 ? "" : text.slice(hash + 1);
  naming(text, () => unescape(fragment));
  return { ...parts, fragment };
}

/** Parses an absolute URL or an absolute path, like Go's `url.ParseRequestURI`. @throws UrlError */
export function parseRequestUri(text: string): UrlParts {
  return naming(text, () => parse(text, true));
}

function naming<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new UrlError(`parse ${quoted(text)}: ${error.message}`);
  }
}

function parse(text: string, isRequest: boolean): UrlParts {
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x1f\x7f]/.test(text)) throw new UrlError("net/url: invalid control character in URL");
  if (text === "" && isRequest) throw new UrlError("empty url");
  if (text.startsWith(":")) throw new UrlError("missing protocol scheme");
  const written = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
  const rest = written === "" ? text : text.slice(written.length + 1);
  const [before = "", ...after] = rest.split("?");
  const scheme = written.toLowerCase();
  const none = { scheme, user: undefined, host: "", query: after.join("?"), fragment: "" };
  if (text === "*") return none;
  if (!before.startsWith("/")) {
    if (scheme !== "") return none;
    if (isRequest) throw new UrlError("invalid URI for request");
    if (before.split("/")[0]?.includes(":")) {
      throw new UrlError("first path segment in URL cannot contain colon");
    }
  }
  const hasAuthority =
    before.startsWith("//") && (scheme !== "" || (!isRequest && !before.startsWith("///")));
  const [authority = ""] = hasAuthority ? before.slice(2).split("/") : [];
  const parts = { ...none, ...parseAuthority(scheme, authority) };
  unescape(before);
  return parts;
}

function parseAuthority(scheme: string, authority: string): Pick<UrlParts, "user" | "host"> {
  const at = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlError("net/url: invalid userinfo");
  const [name = "", ...password] = user.split(":");
  for (const part of [name, password.join(":")]) unescape(part);
  return { user, host };
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new UrlError("invalid IP-literal");
  if (open === 0) return parseLiteral(host);
  // Other schemes may have lists of hosts with ports, such as URLs of databases.
  const isStrict = scheme === "http" || scheme === "https";
  const colon = isStrict ? host.indexOf(":") : host.lastIndexOf(":");
  if (colon >= 0) checkPort(host.slice(colon));
  return unescape(host, "host");
}

/** Parses an IPv6 address in brackets, optionally with a zone (RFC 6874) and a port. */
function parseLiteral(host: string): string {
  const close = host.lastIndexOf("]");
  if (close < 0) throw new UrlError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const literal = host.slice(1, close);
  const zone = literal.indexOf("%25");
  const address =
    zone < 0
      ? unescape(literal, "host")
      : unescape(literal.slice(0, zone), "host") + unescape(literal.slice(zone), "zone");
  const parsed = parseAddress(address);
  if (typeof parsed === "string") throw new UrlError(`invalid host: ${parsed}`);
  if (parsed.bytes.length === 4) throw new UrlError("invalid IP-literal");
  return `[${address}]${port}`;
}

function checkPort(port: string): void {
  if (!/^(:\d*)?$/.test(port)) throw new UrlError(`invalid port ${quoted(port)} after host`);
}

const hostBytes = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\x80-\xff]$/;

/** Decodes the escaped bytes of a part as UTF-8. A host and its zone allow only some characters. */
function unescape(text: string, part?: "host" | "zone"): string {
  const bytes = Buffer.from(text).toString("latin1");
  for (const [escape, byte] of bytes.matchAll(/%.{0,2}|([^])/gs)) {
    if (byte === undefined) checkEscape(escape, part);
    else if (part !== undefined && !hostBytes.test(byte)) {
      throw new UrlError(`invalid character ${quoted(byte)} in host name`);
    }
  }
  const decoded = bytes.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(decoded, "latin1").toString();
}

/**
 * Checks an escape. In hosts, only non-ASCII characters may be escaped; in zones, only blanks and the ASCII
 * characters that hosts allow.
 */
function checkEscape(escape: string, part: "host" | "zone" | undefined): void {
  const byte = Number.parseInt(escape.slice(1), 16);
  const isEscape = /%[0-9A-Fa-f]{2}/.test(escape);
  const isHidden = part === "host" ? byte < 0x80 : part === "zone" && !isForZone(byte);
  if (isEscape && (escape === "%25" || !isHidden)) return;
  throw new UrlError(`invalid URL escape ${quotedBytes(escape)}`);
}

const isForZone = (byte: number) =>
  byte === 0x20 || (byte < 0x80 && hostBytes.test(String.fromCharCode(byte)));

/** Quotes bytes as Go does. An escape may end within a character. */
function quotedBytes(bytes: string): string {
  const text = Buffer.from(bytes, "latin1").toString();
  if (!text.includes("\ufffd")) return quoted(text);
  return quoted(bytes, false).replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
}
