import type { IncomingHttpHeaders } from "node:http";
import { type Readable, Transform, pipeline } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { type RedirectSource, rewriteLocation } from "./headers.ts";
import { HtmlLinks } from "./html-links.ts";

/** Reports whether the links of an answer are rewritten. A redirect's page is passed on, as upstream does. */
export function isPage(headers: IncomingHttpHeaders): boolean {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const coding = headers["content-encoding"] ?? "";
  const isReadable = coding === "" || coding === "gzip";
  return type.trim().toLowerCase() === "text/html" && isReadable && headers.location === undefined;
}

/** Returns a page with links that lead through the proxy, in the same content coding. */
export function rewritePage(page: Readable, coding: string | undefined, source: RedirectSource): Readable {
  const rewriter = linkTransform(source);
  const ignore = () => {}; // An error destroys the last stream, whose reader sees it.
  if (coding !== "gzip") return pipeline(page, rewriter, ignore);
  return pipeline(page, createGunzip(), rewriter, createGzip(), ignore);
}

function linkTransform(source: RedirectSource): Transform {
  const links = new HtmlLinks((url) => rewriteLink(url, source));
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) =>
      done(null, Buffer.from(links.write(chunk.toString("latin1")), "latin1")),
    flush: (done) => done(null, Buffer.from(links.end(), "latin1")),
  });
}

/** The prefix comes from a request's path, and becomes part of an attribute. */
function rewriteLink(url: string, source: RedirectSource): string {
  const rewritten = rewriteLocation(url, source);
  if (rewritten === url || !rewritten.includes(source.prefix)) return rewritten;
  const from = rewritten.indexOf(source.prefix);
  return rewritten.slice(0, from) + escaped(source.prefix) + rewritten.slice(from + source.prefix.length);
}

function escaped(text: string): string {
  const codes: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&#34;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => codes[character] ?? "");
}
