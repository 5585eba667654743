import { expect, test } from "vitest";
import { customResourceDefinitions } from "../../src/api/apiextensions/custom-resource-definition/schema.ts";
import { configMaps } from "../../src/api/core/config-map/schema.ts";
import { namespaces } from "../../src/api/core/namespace/schema.ts";
import { definition } from "../../src/apiserver/crd/definitions.suite.ts";
import type { Json } from "../../src/apiserver/server.suite.ts";
import type { UntypedObject } from "../../src/client/client.ts";
import { GarbageCollector } from "../../src/controllers/garbage-collector/garbage-collector.ts";
import { namespaceController } from "../../src/controllers/namespace/controller.ts";
import { addNamespace, startTestbed, type Testbed } from "../../src/controllers/testbed.suite.ts";
import type { KubeObject } from "../../src/meta/kind.ts";

/** Controllers follow discovery: custom resources take part as soon as they are defined. */

async function start(): Promise<Testbed> {
  const bed = await startTestbed(() => [namespaceController()]);
  bed.run((as, signal) =>
    new GarbageCollector({ env: bed.env, transport: as("generic-garbage-collector") }).run(signal),
  );
  await bed.clock.advance(1000);
  return bed;
}

async function define({ client, clock }: Testbed, scope = "Namespaced"): Promise<void> {
  await client.of(customResourceDefinitions).create(definition({ scope }));
  // The controllers read discovery at intervals.
  await clock.advance(60_000);
}

const crons = ({ client }: Testbed, namespace = "default") =>
  client.resource(
    { group: "example.com", version: "v1", plural: "crons", namespaced: true, kind: "Cron" },
    namespace,
  );

const make = (bed: Testbed, metadata: Json, namespace?: string) => crons(bed, namespace).create({ metadata });

const ownedBy = ({ apiVersion, kind, metadata }: KubeObject | UntypedObject): Json => [
  { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "" },
];

const left = async (bed: Testbed): Promise<readonly string[]> => {
  const [maps, customs] = [await bed.client.of(configMaps, "default").list(), await crons(bed).list()];
  return [...maps.items, ...customs.items].map(({ metadata }) => metadata.name ?? "").toSorted();
};

test("a custom resource's dependents are deleted after it, and it is deleted after its owner", async () => {
  const bed = await start();
  await define(bed);
  const maps = bed.client.of(configMaps, "default");
  const top = await maps.create({ metadata: { name: "top" } });
  const middle = await make(bed, { name: "middle", ownerReferences: ownedBy(top) });
  await maps.create({ metadata: { name: "bottom", ownerReferences: ownedBy(middle) } });
  await make(bed, { name: "other" });
  await bed.clock.advance(10_000);
  expect(await left(bed)).toEqual(["bottom", "middle", "other", "top"]);
  await maps.delete("top", { propagationPolicy: "Background" });
  await bed.until(async () => (await left(bed)).join() === "other", 60_000);
});

test("with foreground deletion a custom resource waits for its dependents", async () => {
  const bed = await start();
  await define(bed);
  const owner = await make(bed, { name: "owner" });
  const maps = bed.client.of(configMaps, "default");
  const [reference] = ownedBy(owner);
  await maps.create({
    metadata: {
      name: "owned",
      finalizers: ["example.com/hold"],
      ownerReferences: [{ ...reference, blockOwnerDeletion: true }],
    },
  });
  await crons(bed).delete("owner", { propagationPolicy: "Foreground" });
  await bed.clock.advance(60_000);
  expect(await left(bed)).toEqual(["owned", "owner"]);
  await maps.patch("owned", { metadata: { finalizers: null } }, { type: "merge" });
  await bed.until(async () => (await left(bed)).length === 0, 60_000);
});

test("dependents of a custom resource are deleted when its definition is deleted", async () => {
  const bed = await start();
  await define(bed);
  const owner = await make(bed, { name: "owner" });
  const maps = bed.client.of(configMaps, "default");
  await maps.create({ metadata: { name: "owned", ownerReferences: ownedBy(owner) } });
  await bed.client.of(customResourceDefinitions).delete("crons.example.com");
  await bed.until(async () => (await maps.list()).items.length === 0, 600_000);
});

test("a deleted namespace deletes its custom resources, and waits for those with finalizers", async () => {
  const bed = await start();
  await define(bed);
  await addNamespace(bed.client, "x");
  await make(bed, { name: "a" }, "x");
  await make(bed, { name: "b", finalizers: ["example.com/hold"] }, "x");
  await make(bed, { name: "c" });
  await bed.client.of(namespaces).delete("x");
  await bed.clock.advance(60_000);
  const { status } = await bed.client.of(namespaces).get("x");
  const remaining = status.conditions?.find(({ type }) => type === "NamespaceContentRemaining");
  expect(remaining?.message).toBe("Some resources are remaining: crons.example.com has 1 resource instances");
  await crons(bed, "x").patch("b", { metadata: { finalizers: null } }, { type: "merge" });
  const exists = async (name: string) =>
    (await bed.client.of(namespaces).list()).items.some(({ metadata }) => metadata.name === name);
  await bed.until(async () => !(await exists("x")), 600_000);
  expect((await crons(bed).list()).items.map(({ metadata }) => metadata.name)).toEqual(["c"]);
});
