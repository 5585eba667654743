import { expect, test } from "vitest";
import { ruleTexts } from "./rule-text.ts";

const of = (verb: string, resource: string, ...resourceNames: readonly string[]) => ({
  verbs: [verb],
  apiGroups: [""],
  resources: [resource],
  ...(resourceNames.length > 0 && { resourceNames }),
});

test("the verbs on one thing are one text, and things are in order", () => {
  expect(ruleTexts([of("get", "secrets"), of("list", "pods"), of("delete", "secrets")])).toEqual([
    '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}',
    '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}',
  ]);
});

test("rules for different names are separate texts", () => {
  expect(ruleTexts([of("get", "pods", "a"), of("get", "pods", "b"), of("list", "pods", "a")])).toEqual([
    '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get" "list"]}',
    '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
  ]);
});

test("each verb on a path is a separate text, without duplicates", () => {
  const rules = ["post", "get", "post"].map((verb) => ({ verbs: [verb], nonResourceURLs: ["/a"] }));
  expect(new Set(ruleTexts(rules)).size).toBe(ruleTexts(rules).length);
  expect(ruleTexts(rules.slice(0, 2))).toEqual([
    '{NonResourceURLs:["/a"], Verbs:["get"]}',
    '{NonResourceURLs:["/a"], Verbs:["post"]}',
  ]);
});
