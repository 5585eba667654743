import { expect, test } from "vitest";
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
