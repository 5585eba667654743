import fc from "fast-check";
import { expect, test } from "vitest";
import { HtmlLinks } from "./html-links.ts";

/** Rewrites a page that arrives in these pieces. */
function rewrite(...pieces: readonly string[]): string {
  const links = new HtmlLinks((url) => (url.startsWith("/") ? `/p${url}` : url));
  return [...pieces.map((piece) => links.write(piece)), links.end()].join("");
}

test.each([
  ['<a href="/x">test</a>', '<a href="/p/x">test</a>'],
  ["<a href='/x'>", "<a href='/p/x'>"],
  ["<a href=/x>", '<a href="/p/x">'],
  ["<A  HREF = /x class=c>", '<A  HREF = "/p/x" class=c>'],
  ['<img alt="a>b" src="/i.png" longdesc="/d"/>', '<img alt="a>b" src="/p/i.png" longdesc="/p/d"/>'],
  ['<form hidden action="/go"><input src=/s>', '<form hidden action="/p/go"><input src="/p/s">'],
  ['<a href="x"><a href="?q"><a href="">', '<a href="x"><a href="?q"><a href="">'],
  ['<a title="/x" data-href="/x">', '<a title="/x" data-href="/x">'],
  ['<b href="/x"><constructor href="/x">', '<b href="/x"><constructor href="/x">'],
  ['a < b <3 </a href="/x"><!doctype html>', 'a < b <3 </a href="/x"><!doctype html>'],
  ['<!-- <a href="/x"> --><a href="/x">', '<!-- <a href="/x"> --><a href="/p/x">'],
  ['<!--><a href="/x">', '<!--><a href="/p/x">'],
  [
    '<script src="/s">"<a href=/x>"</SCRIPT><a href=/x>',
    '<script src="/p/s">"<a href=/x>"</SCRIPT><a href="/p/x">',
  ],
  ['<a href="/ä\u0080">', '<a href="/p/ä\u0080">'],
  ["text <a href=", "text <a href="],
  ["text <", "text <"],
])("the page %j becomes %j", (page, expected) => {
  expect(rewrite(page)).toBe(expected);
  expect(rewrite(...page.split(""))).toBe(expected);
});

test("a tag longer than the bound is passed on, and the next one is rewritten", () => {
  const long = `<a title="${"<a x='".repeat(10_000)}">`;
  expect(rewrite(long.slice(0, -1), ">", "<a href=/x>")).toBe(`${long}<a href="/p/x">`);
});

test("the pieces in which a page arrives do not matter", () => {
  const part = fc.constantFrom(
    ..."<>/=!-'\" \n".split(""),
    "a",
    "href=",
    "/x",
    "<a ",
    "<!--",
    "-->",
    "<script>",
    "</script",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      expect(rewrite(...parts)).toBe(rewrite(parts.join("")));
    }),
  );
});

test("a page without links of its own is passed on byte by byte", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(..."<>/=!-'\"a ".split(""), "<a href", "x")), (parts) => {
      const page = parts.join("");
      const links = new HtmlLinks((url) => url);
      expect(links.write(page) + links.end()).toBe(page);
    }),
  );
});
