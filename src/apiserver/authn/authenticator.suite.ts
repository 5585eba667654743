import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { Caller, UserInfo } from "../../meta/exchange.ts";
import { StatusError } from "../../meta/status.ts";
import type { Authenticator, Credentials, Identity } from "./authenticator.ts";

export interface AuthenticatorUnderTest {
  readonly authenticator: Authenticator;
  /** Credentials that hold. */
  readonly good: Credentials;
  /** The user that they stand for; `extra` may hold more. */
  readonly user: UserInfo;
  /** Credentials of its kind that do not hold, each with what is wrong. */
  readonly bad: readonly (readonly [why: string, credentials: Credentials])[];
  /** The kinds of credentials below that are its own. */
  readonly own: "component" | "certificate" | "bearer";
  /** True where credentials name the audiences that they are for. */
  readonly namesAudiences: boolean;
}

const connection: Caller = { type: "connection", address: "127.0.0.1" };

export const bearer = (token: string): Credentials => ({
  caller: connection,
  headers: { authorization: `Bearer ${token}` },
});

export const certified = (
  commonName: string,
  organizations: readonly string[] = [],
  headers: Credentials["headers"] = {},
): Credentials => ({
  caller: { ...connection, certificate: { commonName, organizations, fingerprint: "f00d" } },
  headers,
});

export const component = (user: UserInfo): Credentials => ({
  caller: { type: "component", user },
  headers: {},
});

/** Credentials by kind; those of the kind `none` say nothing at all. */
const samples: readonly (readonly [kind: string, credentials: Credentials])[] = [
  ["none", { caller: connection, headers: {} }],
  ["none", { caller: connection, headers: { authorization: "" } }],
  ["none", { caller: connection, headers: { authorization: "Basic YTpi" } }],
  ["none", { caller: connection, headers: { "x-remote-user": "admin", "x-remote-group": "system:masters" } }],
  ["bearer", bearer("a.b.c")],
  ["certificate", certified("boss", ["system:masters"])],
  ["certificate", { caller: { ...connection, certificate: "rejected" }, headers: {} }],
  ["component", component({ name: "boss", groups: ["system:masters"] })],
];

/** Whatever a client without a certificate can send. */
const arbitraryHeaders = fc.record({
  authorization: fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string().map((token) => `Bearer ${token}`),
    fc
      .tuple(fc.json(), fc.json(), fc.string())
      .map(
        ([head, claims, signature]) =>
          `Bearer ${[head, claims].map((part) => Buffer.from(part).toString("base64url")).join(".")}.${signature}`,
      ),
  ),
});

/** Tests the behaviour that all authenticators share. */
export function authenticatorSuite(name: string, open: () => Promise<AuthenticatorUnderTest>): void {
  describe(`${name} as an authenticator`, () => {
    let under: AuthenticatorUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    const ask = async (credentials: Credentials): Promise<Identity | undefined> =>
      under.authenticator.authenticate(credentials);
    const refused = (credentials: Credentials): Promise<unknown> =>
      ask(credentials).then(
        (identity) => ({ accepted: identity }),
        (error: unknown) => (error instanceof StatusError ? error.status.code : error),
      );

    test("knows the caller by credentials that hold, with the groups that they name", async () => {
      for (let time = 0; time < 2; time++) {
        const { user } = (await ask(under.good)) ?? {};
        expect(user).toMatchObject({ ...under.user });
        expect(user?.groups).toEqual(under.user.groups);
      }
    });

    test("leaves credentials of other kinds to other authenticators", async () => {
      const others = samples.filter(([kind]) => kind !== under.own);
      for (const [, credentials] of others)
        expect([credentials, await ask(credentials)]).toEqual([credentials, undefined]);
    });

    test("refuses credentials of its kind that do not hold", async () => {
      for (const [why, credentials] of under.bad)
        expect([why, await refused(credentials)]).toEqual([why, 401]);
    });

    test("takes nothing that a client makes up for an identity, and fails in no other way than 401", async () => {
      const property = fc.asyncProperty(arbitraryHeaders, async (headers) => {
        const outcome = await refused({ caller: connection, headers });
        expect([401, { accepted: undefined }]).toContainEqual(outcome);
      });
      await fc.assert(property, { numRuns: 300 });
    });

    test("accepts credentials for the audiences that they are for, and no others", async () => {
      const audiences = ["https://elsewhere.example"];
      const elsewhere = await refused({ ...under.good, audiences });
      if (under.namesAudiences) expect(elsewhere).toBe(401);
      else expect(elsewhere).toMatchObject({ accepted: { user: { name: under.user.name } } });
      expect((await ask(under.good))?.audiences === undefined).toBe(!under.namesAudiences);
    });
  });
}
