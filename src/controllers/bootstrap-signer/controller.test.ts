import { expect, test } from "vitest";
import { configMaps } from "../../api/core/config-map/schema.ts";
import { secrets } from "../../api/core/secret/schema.ts";
import { startTestbed } from "../testbed.suite.ts";
import { tokenCleaner } from "../token-cleaner/controller.ts";
import { bootstrapSigner } from "./controller.ts";

test("cluster-info is signed with each bootstrap token until the token expires and is deleted", async () => {
  const bed = await startTestbed(() => [bootstrapSigner(), tokenCleaner()]);
  const tokens = bed.client.of(secrets, "kube-system");
  const add = (id: string, more: Readonly<Record<string, string>> = {}) =>
    tokens.create({
      metadata: { name: `bootstrap-token-${id}` },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": id,
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-signing": "true",
        ...more,
      },
    });
  const infos = bed.client.of(configMaps, "kube-public");
  const keys = async () => Object.keys((await infos.get("cluster-info")).data ?? {}).toSorted();
  await infos.create({ metadata: { name: "cluster-info" }, data: { kubeconfig: "payload" } });
  await add("aaaaaa");
  await add("bbbbbb", { expiration: "2026-01-01T01:00:00Z" });
  await bed.until(async () => (await keys()).length === 3);
  expect(await keys()).toEqual(["jws-kubeconfig-aaaaaa", "jws-kubeconfig-bbbbbb", "kubeconfig"]);
  await bed.clock.advance(3_500_000);
  expect((await tokens.list()).items.length).toBe(2);
  await bed.clock.advance(101_000);
  expect((await tokens.list()).items.map(({ metadata }) => metadata.name)).toEqual([
    "bootstrap-token-aaaaaa",
  ]);
  await bed.until(async () => (await keys()).length === 2);
  expect(await keys()).toEqual(["jws-kubeconfig-aaaaaa", "kubeconfig"]);
  expect(bed.complaints).toEqual([]);
});

test("Secrets of other namespaces and types are no tokens", async () => {
  const bed = await startTestbed(() => [tokenCleaner()]);
  const stringData = { "token-id": "aaaaaa", expiration: "2025-01-01T00:00:00Z" };
  const metadata = { name: "bootstrap-token-aaaaaa" };
  await bed.client
    .of(secrets, "default")
    .create({ metadata, type: "bootstrap.kubernetes.io/token", stringData });
  await bed.client.of(secrets, "kube-system").create({ metadata, type: "example.com/token", stringData });
  await bed.clock.advance(60_000);
  expect((await bed.client.of(secrets).list()).items.length).toBe(2);
});
