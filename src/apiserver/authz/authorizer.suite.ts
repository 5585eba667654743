import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { UserInfo } from "../../meta/exchange.ts";
import type { AccessRequest, Authorizer, ResourceAccess } from "./authorizer.ts";
import { ruleAllows } from "./rules.ts";

export interface AuthorizerUnderTest {
  readonly authorizer: Authorizer;
  /** Requests that it allows, at least one; each for a resource in a namespace. */
  readonly allowed: readonly AccessRequest[];
  /** Requests of the same users that it denies. */
  readonly denied: readonly AccessRequest[];
  /** Takes back what `allowed` rests on, and waits until the server has seen it. Absent where nothing can be taken back. */
  readonly revoke?: () => Promise<void>;
  /** False where permissions depend on objects' states, so that `rulesFor` names none. */
  readonly listsRules: boolean;
}

export function accessTo(
  user: UserInfo,
  verb: string,
  resource: string,
  more: Partial<ResourceAccess> = {},
): AccessRequest {
  const place = { group: "", version: "v1", namespace: "default", subresource: "", name: "" };
  return { user, verb, target: { type: "resource", ...place, resource, ...more } };
}

/** Names that an object has without being given any, and names that are none. */
const strangeNames = ["", "__proto__", "constructor", "toString", "*", " ", "User:alice", "system:node:"];

/** Names that permissions are written with, and some that they are not. */
const words = ["*", "", "a", "get", "list", "create", "pods", "secrets", "nodes", "default", "apps", "log"];

const arbitraryAccess: fc.Arbitrary<ResourceAccess> = fc.record({
  type: fc.constant("resource"),
  group: fc.constantFrom(...words),
  version: fc.constant("v1"),
  namespace: fc.constantFrom("", "default", "other"),
  resource: fc.constantFrom(...words),
  subresource: fc.constantFrom("", "status", "log"),
  name: fc.constantFrom("", "a", "n1"),
});

function frozen(request: AccessRequest): AccessRequest {
  Object.freeze(request.user.groups);
  Object.freeze(request.user);
  Object.freeze(request.target);
  return Object.freeze(request);
}

/** Tests the behaviour that all authorizers share. */
export function authorizerSuite(name: string, open: () => Promise<AuthorizerUnderTest>): void {
  describe(`${name} as an authorizer`, () => {
    let under: AuthorizerUnderTest;
    let authorizer: Authorizer;
    beforeEach(async () => {
      under = await open();
      authorizer = under.authorizer;
    });
    const isAllowed = (request: AccessRequest) => authorizer.authorize(request).allowed;

    test("allows what is permitted, each time that it is asked, and leaves the question as it is", () => {
      expect(under.allowed.length).toBeGreaterThan(0);
      for (const request of under.allowed) {
        expect([request, isAllowed(frozen(request))]).toEqual([request, true]);
        expect(isAllowed(request)).toBe(true);
      }
    });

    test("denies what is not", () => {
      expect(under.denied.length).toBeGreaterThan(0);
      for (const request of under.denied)
        expect([request, isAllowed(frozen(request))]).toEqual([request, false]);
    });

    test("gives a stranger nothing of it", () => {
      for (const request of under.allowed)
        for (const stranger of strangeNames) {
          const user = { name: stranger, groups: strangeNames };
          expect([stranger, isAllowed({ ...request, user })]).toEqual([stranger, false]);
          expect(authorizer.rulesFor(user, "default")).toEqual([]);
        }
    });

    test("does not take a user for a group of that name, nor a group for a user", () => {
      for (const { user, ...request } of under.allowed) {
        const [group = ""] = user.groups;
        expect(isAllowed({ ...request, user: { name: group, groups: [user.name] } })).toBe(false);
      }
    });

    test("allows whatever its rules allow, and nothing else where it lists all", () => {
      const users = [...under.allowed, ...under.denied].map(({ user }) => user);
      const property = fc.property(
        fc.constantFrom(...users),
        fc.constantFrom(...words),
        arbitraryAccess,
        (user, verb, target) => {
          const rules = authorizer.rulesFor(user, target.namespace);
          const byRules = rules.some((rule) => ruleAllows(rule, verb, target));
          if (byRules || under.listsRules) expect(isAllowed({ user, verb, target })).toBe(byRules);
        },
      );
      fc.assert(property, { numRuns: 500 });
      for (const { user, verb, target } of under.listsRules ? under.allowed : []) {
        const rules = authorizer.rulesFor(user, target.type === "resource" ? target.namespace : "");
        expect(rules.some((rule) => ruleAllows(rule, verb, target))).toBe(true);
      }
    });

    test("denies what is permitted no longer", async () => {
      if (under.revoke === undefined) return;
      expect(under.allowed.filter((request) => !isAllowed(request))).toEqual([]);
      await under.revoke();
      expect(under.allowed.filter(isAllowed)).toEqual([]);
      for (const { user } of under.allowed) expect(authorizer.rulesFor(user, "default")).toEqual([]);
    });
  });
}
