import { expect, test } from "vitest";
import { configMaps } from "../../api/core/config-map/schema.ts";
import { secrets } from "../../api/core/secret/schema.ts";
import { formatTime } from "../../util/clock.ts";
import { build, start } from "../builders.suite.ts";
import { planSignatures } from "./plan.ts";

const id = "abc123";
const signature = "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiYzEyMyJ9..QSxpUG7Q542CirTI2ECPSZjvBOJURUW5a7XqFpNI958";
const signed = { kubeconfig: "payload", [`jws-kubeconfig-${id}`]: signature };

const info = (data: object = { kubeconfig: "payload" }) =>
  build(configMaps, { metadata: { name: "cluster-info", namespace: "kube-public" }, data });
const token = (data: Readonly<Record<string, string>> = {}, name = `bootstrap-token-${id}`) => {
  const all = { "token-id": id, "token-secret": "tokenSecret", "usage-bootstrap-signing": "true", ...data };
  const encoded = Object.entries(all).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return build(secrets, {
    metadata: { name, namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    data: Object.fromEntries(encoded),
  });
};
const hour = 3_600_000;
const expiresIn = (ms: number) => token({ expiration: formatTime(start + ms) });

test.each([
  ["a new signature is added (TestSimpleSign)", info(), [token()], signed],
  ["nothing changes (TestNoSignNeeded)", info(signed), [token()], undefined],
  [
    "a signature is replaced (TestUpdateSignature)",
    info({ ...signed, [`jws-kubeconfig-${id}`]: "old signature" }),
    [token()],
    signed,
  ],
  ["a signature is removed (TestRemoveSignature)", info(signed), [], { kubeconfig: "payload" }],
  ["without a kubeconfig, nothing is signed", info({ a: "b" }), [token()], undefined],
  ["other keys stay", info({ kubeconfig: "payload", a: "b" }), [token()], { ...signed, a: "b" }],
])("%s", (_, configMap, tokens, expected) => {
  expect(planSignatures(configMap, tokens, start)).toEqual(expected);
});

test.each([
  ["without expiration", token(), true],
  ["with an expiration", expiresIn(hour), true],
  ["with an offset in its expiration", token({ expiration: "2026-01-01T00:30:00+00:10" }), true],
  ["that has expired", expiresIn(-hour), false],
  ["that expires now", expiresIn(0), false],
  ["with a bad expiration", token({ expiration: "garbage" }), false],
  ["without the signing bit", token({ "usage-bootstrap-signing": "" }), false],
  ["without an ID", token({ "token-id": "" }), false],
  ["without a secret", token({ "token-secret": "" }), false],
  ["with a bad name", token({}, id), false],
  ["with another name", token({}, "bootstrap-token-def456"), false],
])("a token %s signs or not", (_, one, signs) => {
  expect(planSignatures(info(), [one], start)).toEqual(signs ? signed : undefined);
});
