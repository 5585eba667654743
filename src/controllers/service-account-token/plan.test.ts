import { expect, test } from "vitest";
import type { Secret } from "../../api/core/secret/schema.ts";
import type { ServiceAccount } from "../../api/core/service-account/schema.ts";
import { accountOf, plan, secretType, withoutSecrets, withToken } from "./plan.ts";

const certificate = "-----BEGIN CERTIFICATE-----";
const encode = (text: string) => Buffer.from(text).toString("base64");
const whole = { "ca.crt": encode(certificate), namespace: encode("x"), token: encode("t") };
const account: ServiceAccount = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: "robot", namespace: "x", uid: "u-1" },
};
const secret = (data?: Readonly<Record<string, string>>, annotations: object = {}): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: "s",
    namespace: "x",
    annotations: { "kubernetes.io/service-account.name": "robot", ...annotations },
  },
  type: secretType,
  ...(data === undefined ? {} : { data }),
});

test("a Secret of the token type is for the account that its annotation names", () => {
  expect(accountOf(secret())).toBe("robot");
  expect(accountOf({ ...secret(), type: "Opaque" })).toBeUndefined();
  expect(accountOf(secret({}, { "kubernetes.io/service-account.name": "" }))).toBeUndefined();
});

test.each<readonly [string, Secret, ServiceAccount | undefined, string, boolean | undefined]>([
  ["is filled", secret(), account, "fill", true],
  ["gets its missing fields besides the token", secret({ token: encode("t") }), account, "fill", false],
  ["gets the cluster's certificate", secret({ ...whole, "ca.crt": encode("other") }), account, "fill", false],
  [
    "keeps another namespace in its data",
    secret({ ...whole, namespace: encode("y") }),
    account,
    "none",
    undefined,
  ],
  ["is not changed when complete", secret(whole), account, "none", undefined],
  ["is deleted without its account", secret(whole), undefined, "delete", undefined],
  [
    "is deleted when its account has another UID",
    secret(whole, { "kubernetes.io/service-account.uid": "u-0" }),
    account,
    "delete",
    undefined,
  ],
])("a Secret %s", (_, given, of, type, needsToken) => {
  expect(plan(given, of, certificate)).toMatchObject({
    type,
    ...(needsToken === undefined ? {} : { needsToken }),
  });
});

test("a filled Secret names its account, and keeps its other data", () => {
  const step = plan(secret({ more: encode("m") }), account, certificate);
  if (step.type !== "fill") throw new Error("Cannot fill the Secret");
  expect(withToken(step.secret, "t")).toMatchObject({
    metadata: { annotations: { "kubernetes.io/service-account.uid": "u-1" } },
    data: { ...whole, more: encode("m") },
  });
});

test("an account loses its references to deleted Secrets, and no others", () => {
  const full = { ...account, secrets: [{ name: "a" }, { name: "b" }] };
  expect(withoutSecrets(full, new Set(["a"])).secrets).toEqual([{ name: "b" }]);
  expect(withoutSecrets(full, new Set(["c"]))).toBe(full);
});
