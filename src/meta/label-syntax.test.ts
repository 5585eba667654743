import { describe, expect, it } from "vitest";
import { labelKeyProblems, labelValueProblems } from "./label-syntax.ts";

const name = /^name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end/;
const prefix =
  /^prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters/;
const value = /^a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'/;

const label = "a".repeat(63);
const subdomain = `${label}.${label}.${label}.${"a".repeat(61)}`;

/** After upstream's `TestIsQualifiedName`. */
describe("a label key", () => {
  it.each([
    "simple",
    "now-with-dashes",
    "1-starts-with-num",
    "1234",
    "simple/simple",
    "1.2.3.4/5678",
    "Uppercase_Is_OK_123",
    "example.com/Uppercase_Is_OK_123",
    "a-b.c-d/x",
    "a",
    label,
    `${subdomain}/${label}`,
  ])("may be %s", (key) => {
    expect(labelKeyProblems(key)).toEqual([]);
  });

  it.each<[string, ...(string | RegExp)[]]>([
    ["", "name part must be non-empty", name],
    ["/", "prefix part must be non-empty", "name part must be non-empty", name],
    ["/a", "prefix part must be non-empty"],
    ["a/", "name part must be non-empty", name],
    ["a/b/c", /^a valid label key must consist of .* with an optional DNS subdomain prefix and '\/'/],
    ["-a", name],
    ["a.", name],
    ["a b", name],
    ["only/é", name],
    ["Example.com/a", prefix],
    ["a..b/a", prefix],
    ["-a/a", prefix],
    ["a-/b-", prefix, name],
    [`${label}a`, "name part must be no more than 63 bytes"],
    ["é".repeat(32), "name part must be no more than 63 bytes", name],
    [`${subdomain}a/a`, "prefix part must be no more than 253 bytes"],
    [`${"é".repeat(127)}/a`, "prefix part must be no more than 253 bytes", prefix],
  ])("%s has the problems %s", (key, ...problems) => {
    expect(labelKeyProblems(key)).toEqual(problems.map(matching));
  });
});

/** After upstream's `TestIsValidLabelValue`. */
describe("a label value", () => {
  it.each(["", "simple", "1234", "end-with-num-1", "a_b.C", label])("may be %j", (text) => {
    expect(labelValueProblems(text)).toEqual([]);
  });

  it.each<[string, ...(string | RegExp)[]]>([
    ["-a", value],
    ["a_", value],
    ["a b", value],
    ["a/b", value],
    [`${label}a`, "must be no more than 63 bytes"],
    ["é".repeat(32), "must be no more than 63 bytes", value],
  ])("%s has the problems %s", (text, ...problems) => {
    expect(labelValueProblems(text)).toEqual(problems.map(matching));
  });
});

function matching(problem: string | RegExp): unknown {
  return typeof problem === "string" ? problem : expect.stringMatching(problem);
}
