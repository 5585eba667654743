import { expect, test } from "vitest";
import type { Authorizer, Decision } from "./authorizer.ts";
import { UnionAuthorizer } from "./union.ts";

const request = {
  user: { name: "a", groups: [] },
  verb: "get",
  target: { type: "path", path: "/" },
} as const;
const yes: Decision = { allowed: true, reason: "yes" };
const no = (reason: string): Decision => ({ allowed: false, reason });

function union(...decisions: readonly Decision[]): {
  readonly authorizer: Authorizer;
  readonly asked: number[];
} {
  const asked: number[] = [];
  const members = decisions.map((decision, index) => ({
    authorize: () => {
      asked.push(index);
      return decision;
    },
    rulesFor: () => [{ verbs: [`v${index}`] }],
  }));
  return { authorizer: new UnionAuthorizer(members), asked };
}

test("the first member that allows decides, and the others are not asked", () => {
  const { authorizer, asked } = union(no("a"), yes, no("b"));
  expect(authorizer.authorize(request)).toEqual(yes);
  expect(asked).toEqual([0, 1]);
});

test("a denial has every member's reason that is not empty, in lines", () => {
  expect(union(no("a"), no(""), no("b")).authorizer.authorize(request)).toEqual(no("a\nb"));
  expect(union().authorizer.authorize(request)).toEqual(no(""));
});

test("the rules of all members hold", () => {
  expect(union(yes, no("")).authorizer.rulesFor(request.user, "ns")).toEqual([
    { verbs: ["v0"] },
    { verbs: ["v1"] },
  ]);
});
