import { parseInteger, uint64 } from "../integers.ts";
import { quoted } from "../../util/go-quote.ts";
import type { Int } from "../values.ts";
import { ascending } from "../../util/compare.ts";

/** Semantic versions, with the error messages of `github.com/blang/semver`. */

export interface Version {
  readonly major: Int;
  readonly minor: Int;
  readonly patch: Int;
  /** Numbers are less than strings. */
  readonly prerelease: readonly (Int | string)[];
}

class Problem extends Error {
  override readonly name = "Problem";
}

function fail(problem: string): never {
  throw new Problem(problem);
}

/** Parses a version, or returns the error. */
export function parseVersion(text: string, isTolerant: boolean): Version | string {
  try {
    return read(isTolerant ? normalized(text) : text);
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** Splits into at most three parts. The last one contains the remaining dots. */
function pieces(text: string): string[] {
  const [major = "", minor, ...others] = text.split(".");
  if (minor === undefined) return [major];
  return others.length === 0 ? [major, minor] : [major, minor, others.join(".")];
}

/** Removes a leading `v` and leading zeros, and adds missing zeros. */
function normalized(text: string): string {
  const parts = pieces(text.replace(/^v/, "")).map((part) =>
    part.length > 1 ? part.replace(/^0+/, "").replace(/^(?![0-9])/, "0") : part,
  );
  const isShort = parts.length < 3;
  if (isShort && /[+-]/.test(parts.at(-1) ?? "")) {
    fail("short version cannot contain PreRelease/Build meta data");
  }
  return [...parts, "0", "0"].slice(0, 3).join(".");
}

function read(text: string): Version {
  if (text === "") fail("Version string empty");
  const parts = pieces(text);
  const [first = "", second = "", rest = ""] = parts;
  if (parts.length < 3) fail("No Major.Minor.Patch elements found");
  const major = readNumber(first, "Major");
  const minor = readNumber(second, "Minor");
  const [before, build] = cut(rest, "+");
  const [number, prerelease] = cut(before, "-");
  const patch = readNumber(number, "Patch");
  const parsed = prerelease?.split(".").map(readPrerelease) ?? [];
  for (const part of build?.split(".") ?? []) {
    if (part === "") fail("Build meta data is empty");
    if (!isWord(part)) fail(`Invalid character(s) found in build meta data ${quoted(part)}`);
  }
  return { major, minor, patch, prerelease: parsed };
}

function cut(text: string, separator: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const isWord = (text: string) => /^[A-Za-z0-9-]*$/.test(text);
const isNumber = (text: string) => /^[0-9]*$/.test(text);
const hasLeadingZeros = (text: string) => text.length > 1 && text.startsWith("0");

function readNumber(text: string, name: string): Int {
  if (!isNumber(text)) {
    fail(`Invalid character(s) found in ${name.toLowerCase()} number ${quoted(text)}`);
  }
  if (hasLeadingZeros(text)) fail(`${name} number must not contain leading zeroes ${quoted(text)}`);
  return unsigned(text);
}

function unsigned(text: string): Int {
  const problem = text === "" ? "invalid syntax" : "value out of range";
  return parseInteger(uint64, text) ?? fail(`strconv.ParseUint: parsing ${quoted(text)}: ${problem}`);
}

function readPrerelease(text: string): Int | string {
  if (text === "") fail("Prerelease is empty");
  if (isNumber(text)) {
    if (!hasLeadingZeros(text)) return unsigned(text);
    fail(`Numeric PreRelease version must not contain leading zeroes ${quoted(text)}`);
  }
  return isWord(text) ? text : fail(`Invalid character(s) found in prerelease ${quoted(text)}`);
}

/** Returns -1, 0 or 1. A version is greater than its prereleases. */
export function compareVersions(a: Version, b: Version): number {
  const numbers = ascending(a.major, b.major) || ascending(a.minor, b.minor) || ascending(a.patch, b.patch);
  if (numbers !== 0) return numbers;
  const [left, right] = [a.prerelease, b.prerelease];
  if (left.length === 0 || right.length === 0) return ascending(right.length, left.length);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const parts = orderOfParts(left[i] ?? 0, right[i] ?? 0);
    if (parts !== 0) return parts;
  }
  return ascending(left.length, right.length);
}

function orderOfParts(a: Int | string, b: Int | string): number {
  if (typeof a === "string") return typeof b === "string" ? ascending(a, b) : 1;
  return typeof b === "string" ? -1 : ascending(a, b);
}
