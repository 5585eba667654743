import { CelError } from "../cel/values.ts";
import type { UrlReader, UrlText } from "../cel/libraries/urls.ts";
import { parseRequestUri, parseUrl, UrlError } from "../meta/validation/url.ts";

/** Parses and formats URLs as Go's `net/url`. */
export const urlReader: UrlReader = {
  parse: (text) => {
    try {
      parseRequestUri(text);
      return read(text);
    } catch (error) {
      if (error instanceof UrlError) return new CelError(error.message);
      throw error;
    }
  },
};

/** @throws UrlError */
function read(text: string): UrlText {
  const { scheme, host, query, user, fragment } = parseUrl(text);
  const [beforeFragment = ""] = text.split("#", 1);
  const [beforeQuery = ""] = beforeFragment.split("?", 1);
  const rest = scheme === "" ? beforeQuery : beforeQuery.slice(scheme.length + 1);
  const isOpaque = !rest.startsWith("/");
  const hasAuthority = rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"));
  const path = hasAuthority ? rest.slice(2).replace(/^[^/]*/, "") : rest;
  const escapedPath = isOpaque && text !== "*" ? "" : escapePath(path);
  const start = scheme === "" ? "" : `${scheme}:`;
  const authority = hasAuthority ? `//${user === undefined ? "" : `${user}@`}${escapeHost(host)}` : "";
  const end = `${beforeFragment.includes("?") ? `?${query}` : ""}${fragment === "" ? "" : `#${fragment}`}`;
  return {
    scheme,
    host,
    escapedPath,
    query,
    text: start + authority + (isOpaque ? path : escapedPath) + end,
  };
}

/** Keeps the path if all of its characters may be written unescaped; otherwise escapes the whole path. */
function escapePath(path: string): string {
  if (/^[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]%]*$/.test(path)) return path;
  const decoded = Buffer.from(
    path.replace(
      /%([0-9A-Fa-f]{2})|([^%]+)/gu,
      (_whole, hex: string | undefined, plain: string | undefined) =>
        hex === undefined
          ? Buffer.from(plain ?? "").toString("latin1")
          : String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    "latin1",
  );
  return Array.from(decoded, escapeByte).join("");
}

function escapeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)) return character;
  return hexEscape(byte);
}

const hexEscape = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;

const escapeHost = (host: string) =>
  Array.from(Buffer.from(host), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/.test(character) ? character : hexEscape(byte);
  }).join("");
