import { expect, test } from "vitest";
import type { ContainerRule } from "./configuration/schema.ts";
import { Rules } from "./rules.ts";

const pod = { namespace: "default", labels: { app: "web" }, annotations: {} };
const has = (one: ContainerRule, image: string) => new Rules([one]).find(pod, image) !== undefined;

test.each([
  ["a", "a", true],
  ["a", "ab", false],
  ["*", "", true],
  ["*", "any", true],
  ["a*", "a", true],
  ["a*", "ba", false],
  ["*a", "ba", true],
  ["*a", "ab", false],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["a*b*b", "ab", false],
  ["a*b*b", "abb", true],
  ["**", "x", true],
  ["example.com/*:v1", "example.com/team/app:v1", true],
  ["a.c", "abc", false],
])("the pattern %s matches the image %j: %s", (pattern, image, expected) => {
  expect(has({ images: [pattern] }, image)).toBe(expected);
});

test.each<[string, ContainerRule, boolean]>([
  ["no condition", {}, true],
  ["one of several images", { images: ["x", "a"] }, true],
  ["the namespace", { namespaces: ["other", "default"] }, true],
  ["another namespace", { namespaces: ["other"] }, false],
  ["the labels", { podSelector: { matchLabels: { app: "web" } } }, true],
  ["other labels", { podSelector: { matchLabels: { app: "db" } } }, false],
  ["an empty selector", { podSelector: {} }, true],
  ["only some of the conditions", { images: ["a"], namespaces: ["other"] }, false],
])("a rule with %s matches a container: %s", (_, one, expected) => {
  expect(has(one, "a")).toBe(expected);
});

test("the first rule that matches counts", () => {
  const usage = (cpu: string) => ({ usage: { cpu } });
  const rules = new Rules([{ images: ["b"], ...usage("1") }, usage("2"), usage("3")]);
  expect(rules.find(pod, "a")?.usage).toEqual({ cpu: 2, memoryBytes: 8 << 20 });
});

test("an image that is longer than any reference matches no pattern", () => {
  expect(has({ images: ["a*"] }, "a".repeat(1024))).toBe(true);
  expect(has({ images: ["a*"] }, "a".repeat(1025))).toBe(false);
  expect(has({}, "a".repeat(1025))).toBe(true);
});
