import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseRequestUri, parseUrl, UrlError } from "./url.ts";

/**
 * The result of Go's `url.Parse`: the parts or the error; and the error of `url.ParseRequestURI` if it
 * differs, or null.
 */
type Answer = readonly [
  url: string,
  partsOrProblem: string | Readonly<Record<string, unknown>>,
  requestProblem?: string | null,
];

const fixture = new URL("../../../test/fixtures/urls.jsonl", import.meta.url);
const answers = readFileSync(fixture, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Answer);

function problemOr<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof UrlError) return error.message;
    throw error;
  }
}

function parts(url: string): Readonly<Record<string, unknown>> {
  const { fragment: _, user, ...rest } = parseUrl(url);
  const named = { ...rest, hasUser: user !== undefined };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== "" && value !== false));
}

test(`${answers.length} URLs are read as Go reads them`, () => {
  for (const [url, expected, other] of answers) {
    expect(
      problemOr(() => parts(url)),
      url,
    ).toEqual(expected);
    const same = typeof expected === "string" ? expected : null;
    const problem = problemOr(() => (parseRequestUri(url), null));
    expect(problem, url).toBe(other === undefined ? same : other);
  }
});

test.each([
  ["#", ""],
  ["#a", "a"],
  ["https://h/#a%20b", "a%20b"],
  ["a#b#c", "b#c"],
  ["https://h/", ""],
])("the fragment of %j is %j, as it is written", (url, fragment) => {
  expect(parseUrl(url).fragment).toBe(fragment);
});
