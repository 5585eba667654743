import { expect, test } from "vitest";
import { type Secret, secrets } from "../../api/core/secret/schema.ts";
import { serviceAccounts } from "../../api/core/service-account/schema.ts";
import { startTestbed, type Testbed } from "../testbed.suite.ts";
import { serviceAccountTokenController } from "./controller.ts";
import { secretType } from "./plan.ts";

const rootCertificate = "-----BEGIN CERTIFICATE-----";
const start = () =>
  startTestbed(() => [
    serviceAccountTokenController({
      rootCertificate,
      sign: (namespace, { name, uid }, secretName) =>
        Promise.resolve([namespace, name, uid, secretName].join()),
    }),
  ]);

const accounts = ({ client }: Testbed) => client.of(serviceAccounts, "default");
const make = (bed: Testbed, name: string, account = "robot") =>
  bed.client.of(secrets, "default").create({
    metadata: { name, annotations: { "kubernetes.io/service-account.name": account } },
    type: secretType,
  });
const names = async ({ client }: Testbed) =>
  (await client.of(secrets, "default").list()).items.map(({ metadata }) => metadata.name);
const dataOf = ({ data = {} }: Secret) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );

test("a Secret for an account gets its token, certificate and namespace", async () => {
  const bed = await start();
  const { metadata } = await accounts(bed).create({ metadata: { name: "robot" } });
  await make(bed, "s");
  await bed.clock.settle();
  const filled = await bed.client.of(secrets, "default").get("s");
  expect(dataOf(filled)).toEqual({
    token: `default,robot,${metadata.uid},s`,
    "ca.crt": rootCertificate,
    namespace: "default",
  });
  expect(filled.metadata.annotations).toMatchObject({ "kubernetes.io/service-account.uid": metadata.uid });
  expect(bed.complaints).toEqual([]);
});

test("Secrets are deleted with their account, even when a new account takes the name, and others stay", async () => {
  const bed = await start();
  await accounts(bed).create({ metadata: { name: "robot" } });
  for (const name of ["a", "b"]) await make(bed, name);
  await bed.client.of(secrets, "default").create({ metadata: { name: "other" } });
  await bed.clock.settle();
  await accounts(bed).delete("robot");
  await accounts(bed).create({ metadata: { name: "robot" } });
  await bed.until(async () => (await names(bed)).join() === "other");
  expect(bed.complaints).toEqual([]);
});

test("a Secret for an account that does not exist is deleted at once", async () => {
  const bed = await start();
  await make(bed, "s", "nobody");
  await bed.until(async () => (await names(bed)).length === 0);
});

test("an account loses its reference to a deleted Secret", async () => {
  const bed = await start();
  await accounts(bed).create({ metadata: { name: "robot" }, secrets: [{ name: "a" }, { name: "b" }] });
  await make(bed, "a");
  await bed.clock.settle();
  await bed.client.of(secrets, "default").delete("a");
  await bed.until(async () => (await accounts(bed).get("robot")).secrets?.length === 1);
  expect((await accounts(bed).get("robot")).secrets).toEqual([{ name: "b" }]);
});
