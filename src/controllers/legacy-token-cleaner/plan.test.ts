import { expect, test } from "vitest";
import { secrets } from "../../api/core/secret/schema.ts";
import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import { build } from "../builders.suite.ts";
import { isTracked, planLegacyToken } from "./plan.ts";

const now = Date.UTC(2023, 5, 1);
/** A period that began on a day. */
const since = (day: string) => ({ now, unusedMs: now - Date.parse(day) });
const secret = (
  lastUsed: string,
  invalidSince: string,
  created: string,
  {
    uid = "12345",
    type = "kubernetes.io/service-account-token",
    deletionTimestamp = undefined as string | undefined,
  } = {},
) =>
  build(secrets, {
    metadata: {
      name: "token-secret-1",
      namespace: "default",
      creationTimestamp: `${created}T00:00:00Z`,
      annotations: { "kubernetes.io/service-account.uid": uid },
      labels: {
        ...(lastUsed === "" ? {} : { "kubernetes.io/legacy-token-last-used": lastUsed }),
        ...(invalidSince === "" ? {} : { "kubernetes.io/legacy-token-invalid-since": invalidSince }),
      },
      deletionTimestamp,
    },
    type,
  });
const account = (names: readonly string[] = ["token-secret-1"]) =>
  build(serviceAccounts, {
    metadata: { name: "default", namespace: "default", uid: "12345" },
    secrets: names.map((name) => ({ name })),
  });
const [old, late] = ["2022-12-27", "2022-12-30"];

/** The cases of upstream's TestLegacyServiceAccountTokenCleanUp. */
test.each([
  ["of another type", secret(old, "", old, { type: "Opaque" }), account(), "2022-12-29", "keep"],
  ["that no account lists", secret(old, "", old), account([]), "2022-12-29", "keep"],
  ["that is young", secret(old, "", late), account(), "2022-12-29", "keep"],
  [
    "that is being deleted",
    secret(old, "", old, { deletionTimestamp: "2023-05-31T00:00:00Z" }),
    account(),
    late,
    "keep",
  ],
  ["that was used lately", secret(late, "", old), account(), "2022-12-29", "keep"],
  ["with an unreadable last use", secret("2022-12-27-1", "", old), account(), "2022-12-29", "keep"],
  ["without its account", secret(old, "", old), undefined, "2022-12-29", "keep"],
  [
    "of another account of the name",
    secret(old, "", old, { uid: "123456" }),
    account(),
    "2022-12-29",
    "keep",
  ],
  ["that was never used", secret("", "", old), account(), late, "invalidate"],
  ["that is invalid since an unreadable day", secret("", "2022-12-29-1", old), account(), late, "invalidate"],
  ["that is invalid, but not for long", secret("", "2023-01-01", old), account(), "2022-12-29", "keep"],
  ["that is invalid for long", secret("", "2022-12-29", old), account(), "2023-01-01", "delete"],
  ["that was used long ago", secret(old, "", old), account(), late, "invalidate"],
  ["that was used long ago, and is invalid", secret(old, "2023-05-01", old), account(), late, "keep"],
  ["… for long", secret(old, "2023-01-05", old), account(), "2023-05-01", "delete"],
  ["without the account's UID", secret(old, "", old, { uid: "" }), account(), late, "invalidate"],
] as const)("a token %s", (_, one, owner, from, expected) => {
  expect(planLegacyToken({ secret: one, account: owner, mounted: new Set() }, since(from))).toBe(expected);
});

test("a token that a Pod references is kept", () => {
  const observed = { secret: secret(old, "", old), account: account(), mounted: new Set(["token-secret-1"]) };
  expect(planLegacyToken(observed, since(late))).toBe("keep");
});

test.each([
  [undefined, "2022-12-28", false],
  ["2022-12-27-1", "2022-12-29", false],
  ["2022-12-29", "2022-12-29", false],
  ["2022-12-28", "2022-12-29", true],
])("uses that are recorded since %s are enough for a period since %s: %s", (day, from, expected) => {
  expect(isTracked(day, since(from))).toBe(expected);
});
