import { expect, test } from "vitest";
import { firstRange } from "./subordinate-ids.ts";

test.each([
  ["by name", "eve:1000:5\nada:100000:65536\n", { first: 100000, count: 65536 }],
  ["by ID", "1000:100000:65536", { first: 100000, count: 65536 }],
  [
    "the first of the usual size",
    "ada:5000:10\nada:100000:65536\nada:900000:70000",
    { first: 100000, count: 65536 },
  ],
  ["a small one without another", "ada:5000:10", { first: 5000, count: 10 }],
  ["none of others", "adam:5000:10\n10001:1:1", undefined],
  ["none of what is no range", "ada:x:65536\nada:1:-2\nada\nada:1:2:3\nada:99999999999:1", undefined],
])("a user's range: %s", (_, text, range) => {
  expect(firstRange(text, "ada", 1000)).toEqual(range);
});
