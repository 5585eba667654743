import { expect, test } from "vitest";
import type { PolicyRule } from "./authorizer.ts";
import { uncovered } from "./covers.ts";

const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

test("rules that grant more than can be checked are refused, however few names they have", () => {
  const list = names(400);
  const wanted = [{ verbs: list, apiGroups: list, resources: list }];
  const all = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
  expect(() => uncovered(all, wanted)).toThrow(/grant too much to check/);
  expect(uncovered([], wanted)).toHaveLength(1_000);
});

test("rules are covered name by name, by any of the held rules", () => {
  const held = [
    { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] },
    { verbs: ["get"], apiGroups: [""], resources: ["secrets"] },
  ];
  const wanted = [{ verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "secrets"] }];
  expect(uncovered(held, wanted)).toEqual([{ verbs: ["list"], apiGroups: [""], resources: ["secrets"] }]);
});

const core = (verb: string, resource: string, ...resourceNames: readonly string[]): PolicyRule => ({
  verbs: [verb],
  apiGroups: [""],
  resources: [resource],
  ...(resourceNames.length > 0 && { resourceNames }),
});
const path = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ["get"], nonResourceURLs });

test.each<readonly [string, PolicyRule, PolicyRule, readonly PolicyRule[]]>([
  ["one name, for all names of a resource", core("get", "pods"), core("get", "pods", "a"), []],
  ["not all names, for an empty name", core("get", "pods", ""), core("get", "pods"), [core("get", "pods")]],
  ["not all names, for some", core("get", "pods", "a"), core("get", "pods"), [core("get", "pods")]],
  [
    "some names, for one of them",
    core("get", "pods", "a"),
    core("get", "pods", "a", "b"),
    [core("get", "pods", "b")],
  ],
  [
    "no subresource, for its resource",
    core("get", "pods"),
    core("get", "pods/log"),
    [core("get", "pods/log")],
  ],
  ["a subresource, for a star with it", core("get", "*/scale"), core("get", "apples/scale"), []],
  [
    "no resource, for a star with a subresource",
    core("get", "*/scale"),
    core("get", "pods"),
    [core("get", "pods")],
  ],
  ["no star, for a name", core("get", "pods"), core("get", "*"), [core("get", "*")]],
  [
    "no other group",
    core("get", "pods"),
    { ...core("get", "pods"), apiGroups: ["a"] },
    [{ ...core("get", "pods"), apiGroups: ["a"] }],
  ],
  ["paths one by one", path("/a", "/b/*"), path("/a", "/b/c", "/d"), [path("/d")]],
  ["no path, for resources", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, path("/a"), [path("/a")]],
  [
    "no resource, for paths",
    { verbs: ["*"], nonResourceURLs: ["*"] },
    core("get", "pods"),
    [core("get", "pods")],
  ],
])("rules held cover %s", (_, held, wanted, missing) => {
  expect(uncovered([held], [wanted])).toEqual(missing);
});

test("at most a thousand missing rules are named", () => {
  const wanted = (count: number) => [{ verbs: ["get"], apiGroups: [""], resources: names(count) }];
  expect(uncovered([], wanted(999))).toHaveLength(999);
  expect(uncovered([], wanted(1001))).toHaveLength(1000);
});

test.each<readonly [string, PolicyRule, number]>([
  ["a hundred thousand, against few rules", core("get", "*"), 100_000],
  ["the fewer, the more verbs are held", { ...core("get", "*"), verbs: ["get", ...names(996)] }, 20_000],
  ["the fewer, the more groups are held", { ...core("get", "*"), apiGroups: ["", ...names(996)] }, 20_000],
  [
    "the fewer, the more resources are held",
    { ...core("get", "*"), resources: ["*", ...names(996)] },
    20_000,
  ],
  ["the fewer, the more names are held", core("get", "*", ...names(996)), 20_000],
  ["the fewer, the more paths are held", { ...core("get", "*"), nonResourceURLs: names(996) }, 20_000],
])("so many grants are looked at: %s", (_, held, most) => {
  const things = { verbs: ["get"], apiGroups: [""], resources: names(most / 100) };
  // A hundred names that are held, of each resource: none is missing.
  const wanted = { ...things, resourceNames: names(100) };
  expect(uncovered([held], [wanted])).toEqual([]);
  expect(() => uncovered([held], [wanted, core("get", "*", "n0")])).toThrow(/grant too much to check/);
});
