import { expect, test } from "vitest";
import { configMaps } from "../../api/core/config-map/schema.ts";
import { namespaces } from "../../api/core/namespace/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { template } from "../builders.suite.ts";
import { addNamespace, pretendNodes, startTestbed, type Testbed } from "../testbed.suite.ts";
import { namespaceController } from "./controller.ts";

const exists = async ({ client }: Testbed, name: string) =>
  (await client.of(namespaces).list()).items.some(({ metadata }) => metadata.name === name);
const conditions = async ({ client }: Testbed) => {
  const { status } = await client.of(namespaces).get("x");
  return Object.fromEntries(
    (status.conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}: ${one.message}`]),
  );
};

test("a namespace is deleted with its contents, and with nothing of another namespace", async () => {
  const bed = await startTestbed(() => [namespaceController()]);
  for (const name of ["x", "y"]) {
    await addNamespace(bed.client, name);
    await bed.client.of(configMaps, name).create({ metadata: { name: "settings" } });
  }
  await bed.client.of(namespaces).delete("x");
  await bed.until(async () => !(await exists(bed, "x")));
  expect((await bed.client.of(configMaps).list()).items.map(({ metadata }) => metadata.namespace)).toEqual([
    "y",
  ]);
  expect(bed.complaints).toEqual([]);
});

test("Pods terminate before anything that they may use is deleted", async () => {
  const bed = await startTestbed(() => [namespaceController()]);
  bed.runAsAdmin(pretendNodes(bed.env, { stopMs: 20_000 }));
  await addNamespace(bed.client, "x");
  await bed.client.of(configMaps, "x").create({ metadata: { name: "settings" } });
  await bed.client.of(pods, "x").create({ metadata: { name: "p" }, spec: template.spec });
  await bed.client.of(namespaces).delete("x");
  await bed.until(
    async () => (await conditions(bed))["NamespaceContentRemaining"]?.startsWith("True") ?? false,
  );
  expect(await conditions(bed)).toMatchObject({
    NamespaceContentRemaining:
      "True SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances",
    NamespaceDeletionContentFailure:
      "False ContentDeleted: All content successfully deleted, may be waiting on finalization",
  });
  await bed.until(async () => {
    const left = (await bed.client.of(pods, "x").list()).items.length;
    if (left > 0) expect((await bed.client.of(configMaps, "x").list()).items.length).toBe(1);
    return left === 0;
  });
  const began = bed.clock.now();
  await bed.until(async () => !(await exists(bed, "x")));
  expect(bed.clock.now() - began).toBeLessThan(1000);
});

test("an object with a finalizer keeps its namespace, whose conditions say so, until the finalizer is removed", async () => {
  const bed = await startTestbed(() => [namespaceController()]);
  await addNamespace(bed.client, "x");
  await bed.client
    .of(configMaps, "x")
    .create({ metadata: { name: "held", finalizers: ["example.com/hold"] } });
  await bed.client.of(namespaces).delete("x");
  await bed.until(
    async () => (await conditions(bed))["NamespaceFinalizersRemaining"]?.startsWith("True") ?? false,
  );
  expect(await conditions(bed)).toMatchObject({
    NamespaceContentRemaining:
      "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
    NamespaceFinalizersRemaining:
      "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
  });
  await bed.clock.advance(120_000);
  expect(await exists(bed, "x")).toBe(true);
  await bed.client.of(configMaps, "x").patch("held", { metadata: { finalizers: null } }, { type: "merge" });
  await bed.until(async () => !(await exists(bed, "x")), 30_000);
});

test("a namespace with another finalizer is emptied, but stays", async () => {
  const bed = await startTestbed(() => [namespaceController()]);
  await bed.client.of(namespaces).create({ metadata: { name: "x", finalizers: ["example.com/hold"] } });
  await bed.client.of(namespaces).delete("x");
  const get = () => bed.client.of(namespaces).get("x");
  await bed.until(async () => ((await get()).spec.finalizers ?? []).length === 0);
  await bed.clock.advance(60_000);
  expect((await get()).status.phase).toBe("Terminating");
});
