/** Parts of a URL as Go's `net/url` sees them. */
export interface UrlParts {
  readonly scheme: string;
  /** `user:password`; undefined when there is no `@`. */
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** The text is no URL. The message is Go's. */
export class UrlError extends Error {
  override readonly name = "UrlError";
}

/**
 * Parses as Go's `url.Parse` does, which takes more than WHATWG's parser: also paths and opaque URLs.
 * @throws UrlError
 */
export function parseUrl(text: string): UrlParts {
  const hash = text.indexOf("#");
  const whole = hash < 0 ? text : text.slice(0, hash);
  return naming(whole, () => {
    const fragment = hash < 0 ? "" : text.slice(hash + 1);
    checkEscapes(fragment);
    return { ...parse(whole, false), fragment };
  });
}

/**
 * An absolute URL or an absolute path, as Go's `url.ParseRequestURI` wants it.
 * @throws UrlError
 */
export function parseRequestUri(text: string): UrlParts {
  return naming(text, () => parse(text, true));
}

function naming(text: string, parts: () => UrlParts): UrlParts {
  try {
    return parts();
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new UrlError(`parse ${JSON.stringify(text)}: ${error.message}`);
  }
}

function parse(text: string, isRequest: boolean): UrlParts {
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x1f\x7f]/.test(text)) throw new UrlError("net/url: invalid control character in URL");
  if (text === "" && isRequest) throw new UrlError("empty url");
  if (text.startsWith(":")) throw new UrlError("missing protocol scheme");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
  const rest = scheme === "" ? text : text.slice(scheme.length + 1);
  const [before = "", ...after] = rest.split("?");
  const none = {
    scheme: scheme.toLowerCase(),
    user: undefined,
    host: "",
    query: after.join("?"),
    fragment: "",
  };
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
  checkEscapes(hasAuthority ? before.slice(2 + authority.length) : before);
  return { ...none, ...parseAuthority(authority) };
}

function parseAuthority(authority: string): Pick<UrlParts, "user" | "host"> {
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  checkHost(host);
  if (at < 0) return { user: undefined, host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlError("net/url: invalid userinfo");
  checkEscapes(user);
  return { user, host };
}

function checkHost(host: string): void {
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    if (end < 0) throw new UrlError("missing ']' in host");
    checkPort(host.slice(end + 1));
  } else if (host.includes(":")) checkPort(host.slice(host.lastIndexOf(":")));
  const wrong = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host)?.[0];
  if (wrong !== undefined) throw new UrlError(`invalid character ${JSON.stringify(wrong)} in host name`);
}

function checkPort(port: string): void {
  if (!/^(:\d*)?$/.test(port)) throw new UrlError(`invalid port ${JSON.stringify(port)} after host`);
}

function checkEscapes(text: string): void {
  const wrong = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(text)?.[0];
  if (wrong !== undefined) throw new UrlError(`invalid URL escape ${JSON.stringify(wrong)}`);
}
