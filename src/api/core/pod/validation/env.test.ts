import { expect, test } from "vitest";
import { root } from "../../../../meta/field-error.ts";
import { validateFieldRef } from "./env.ts";

const allowed = ["metadata.name", "metadata.labels", "metadata.annotations"];
const problems = (fieldPath: string) =>
  [...validateFieldRef({ apiVersion: "v1", fieldPath }, allowed, root)].map(({ message }) => message);

/** After upstream's `TestSplitMaybeSubscriptedPath`: the key in brackets, which is then checked as a label's key. */
test.each([
  ["metadata.annotations['key']", undefined],
  ["metadata.annotations['Example.com/Key']", undefined],
  ["metadata.annotations['a[b']c']", "a[b']c"],
  ["metadata.labels['['key']", "['key"],
  ["metadata.labels['key']']", "key']"],
  ["metadata.labels['']", ""],
  ["metadata.labels[' ']", " "],
])("%s has the key %j, unless the key is valid", (fieldPath, key) => {
  const [first] = problems(fieldPath);
  if (key === undefined) expect(first).toBeUndefined();
  else expect(first).toContain(`Invalid value: ${JSON.stringify(key)}: name part`);
});

test.each([
  "metadata.labels[ 'key' ]",
  "metadata.labels[]",
  "metadata.labels[']",
  "metadata.labels['key']foo",
  "['key']",
  "spec.other['key']",
])("%s has no key", (fieldPath) => {
  expect(problems(fieldPath)).toEqual([
    `Invalid value: ${JSON.stringify(fieldPath)}: error converting fieldPath: field label not supported: ${fieldPath}`,
  ]);
});

test("only labels and annotations have keys", () => {
  expect(problems("metadata.name['key']")).toEqual([
    'Invalid value: "metadata.name": does not support subscript',
  ]);
});

// In quadratic time, the test would run for many minutes.
test("a path is split in linear time", () => {
  expect(problems("['".repeat(500_000))).toHaveLength(1);
});
