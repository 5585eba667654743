import fc from "fast-check";
import { expect, test } from "vitest";
import { customResourceDefinitions } from "../../api/apiextensions/custom-resource-definition/schema.ts";
import { configMaps } from "../../api/core/config-map/schema.ts";
import { namespaces } from "../../api/core/namespace/schema.ts";
import type { DeleteOptions } from "../../client/options.ts";
import type { OwnerReference } from "../../meta/v1.ts";
import { addNamespace, startTestbed, type Testbed } from "../testbed.suite.ts";
import { GarbageCollector } from "./garbage-collector.ts";

async function start(lagMs = 0): Promise<Testbed> {
  const bed = await startTestbed(() => [], { lagMs: () => lagMs });
  bed.run((as, signal) =>
    new GarbageCollector({ env: bed.env, transport: as("generic-garbage-collector") }).run(signal),
  );
  await bed.clock.advance(1000);
  return bed;
}

/** Creates a ConfigMap with owners. Returns its UID. */
async function add(
  { client }: Testbed,
  name: string,
  owners: readonly (Partial<OwnerReference> & { readonly uid: string })[] = [],
  more: { readonly namespace?: string; readonly finalizers?: readonly string[] } = {},
): Promise<string> {
  const { namespace = "default", finalizers } = more;
  const ownerReferences = owners.map((one) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "owner",
    blockOwnerDeletion: true,
    ...one,
  }));
  const metadata = { name, ownerReferences, ...(finalizers === undefined ? {} : { finalizers }) };
  const made = await client.of(configMaps, namespace).create({ metadata });
  return made.metadata.uid ?? "";
}

const names = async ({ client }: Testbed, namespace = "default") =>
  (await client.of(configMaps, namespace).list()).items.map(({ metadata }) => metadata.name ?? "").toSorted();
const remove = ({ client }: Testbed, name: string, options: DeleteOptions = {}) =>
  client.of(configMaps, "default").delete(name, options);

test("dependents are deleted after their owner, down to the last generation", async () => {
  const bed = await start();
  const owner = await add(bed, "owner");
  const child = await add(bed, "child", [{ uid: owner }]);
  await add(bed, "grandchild", [{ uid: child, name: "child" }]);
  await add(bed, "stranger");
  await bed.clock.advance(10_000);
  expect((await names(bed)).length).toBe(4);
  await remove(bed, "owner", { propagationPolicy: "Background" });
  await bed.until(async () => (await names(bed)).join() === "stranger", 5_000);
});

test("in the foreground the owner is deleted last, and waits only for blocking dependents", async () => {
  const bed = await start();
  const owner = await add(bed, "owner");
  const child = await add(bed, "child", [{ uid: owner }]);
  await add(bed, "grandchild", [{ uid: child, name: "child" }], { finalizers: ["example.com/hold"] });
  await add(bed, "lax", [{ uid: owner, blockOwnerDeletion: false }], { finalizers: ["example.com/hold"] });
  await remove(bed, "owner", { propagationPolicy: "Foreground" });
  await bed.clock.advance(60_000);
  expect(await names(bed)).toEqual(["child", "grandchild", "lax", "owner"]);
  const free = { metadata: { finalizers: null } };
  await bed.client.of(configMaps, "default").patch("grandchild", free, { type: "merge" });
  await bed.until(async () => (await names(bed)).join() === "lax", 5_000);
});

test("orphans stay, without their owner reference", async () => {
  const bed = await start();
  const owner = await add(bed, "owner");
  const other = await add(bed, "other");
  await add(bed, "child", [{ uid: owner }, { uid: other, name: "other" }]);
  await bed.clock.advance(1000);
  await remove(bed, "owner", { propagationPolicy: "Orphan" });
  await bed.until(async () => (await names(bed)).join() === "child,other", 5_000);
  const { metadata } = await bed.client.of(configMaps, "default").get("child");
  expect(metadata.ownerReferences?.map(({ name }) => name)).toEqual(["other"]);
  await bed.clock.advance(60_000);
  expect(await names(bed)).toEqual(["child", "other"]);
});

test("an object with another owner stays, and loses the reference to the deleted one", async () => {
  const bed = await start();
  const [owner, other] = [await add(bed, "owner"), await add(bed, "other")];
  await add(bed, "child", [{ uid: owner }, { uid: other, name: "other" }]);
  await remove(bed, "owner");
  const owners = async () =>
    (await bed.client.of(configMaps, "default").get("child")).metadata.ownerReferences?.map(
      ({ name }) => name,
    );
  await bed.until(async () => (await owners())?.join() === "other", 5_000);
});

test("an object whose owner never existed, or has another UID, is deleted", async () => {
  const bed = await start();
  await add(bed, "owner");
  await add(bed, "lost", [{ uid: "no-such-uid", name: "nobody" }]);
  await add(bed, "mistaken", [{ uid: "another-uid" }]);
  await bed.until(async () => (await names(bed)).join() === "owner", 5_000);
});

test("an owner in another namespace is absent: the object is deleted, and an Event says why", async () => {
  const bed = await start();
  await addNamespace(bed.client, "x");
  const owner = await add(bed, "owner");
  await bed.clock.advance(1000);
  await add(bed, "child", [{ uid: owner }], { namespace: "x" });
  await bed.until(async () => (await names(bed, "x")).length === 0, 5_000);
  expect(await names(bed)).toEqual(["owner"]);
  expect(await bed.eventsOf("child")).toEqual([
    `OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: x, name: owner, uid: ${owner}] does not exist in namespace "x"`,
  ]);
});

test("a cluster-scoped owner's dependents are deleted in any namespace, and an object with an unknown owner stays", async () => {
  const bed = await start();
  const made = await bed.client
    .of(namespaces)
    .create({ metadata: { name: "x", finalizers: ["example.com/hold"] } });
  const kind = { apiVersion: "v1", kind: "Namespace", name: "x", uid: made.metadata.uid ?? "" };
  await add(bed, "child", [kind]);
  await add(bed, "of-a-kind-to-come", [{ apiVersion: "example.com/v1", kind: "Widget", uid: "u" }]);
  await bed.clock.advance(120_000);
  expect(await names(bed)).toEqual(["child", "of-a-kind-to-come"]);
});

test("objects of a kind that was just defined are collected at once", async () => {
  const bed = await start();
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
  await bed.client.of(customResourceDefinitions).create({
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: anything } }],
    },
  });
  await bed.clock.advance(1000);
  const discovery = await bed.client.discovery();
  const resource = discovery.find("example.com/v1", "Widget");
  if (resource === undefined) throw new Error("widgets are not served");
  const widgets = bed.client.resource(resource, "default");
  for (const propagationPolicy of ["Foreground", "Background"] as const) {
    const { metadata } = await widgets.create({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w" },
    });
    await add(bed, "child", [
      { apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: metadata.uid ?? "" },
    ]);
    await widgets.delete("w", { propagationPolicy });
    await bed.until(async () => (await widgets.list()).items.length + (await names(bed)).length === 0, 2_000);
  }
  // The kind is no longer served when its watch ends.
  await bed.client.of(customResourceDefinitions).delete("widgets.example.com");
  await bed.clock.advance(10_000);
  expect(bed.complaints).toEqual([]);
});

test("a circle of owners that are deleted in the foreground is resolved", async () => {
  const bed = await start();
  const a = await add(bed, "a");
  const b = await add(bed, "b", [{ uid: a, name: "a" }]);
  const ownerReferences = [
    { apiVersion: "v1", kind: "ConfigMap", name: "b", uid: b, blockOwnerDeletion: true },
  ];
  await bed.client.of(configMaps, "default").patch("a", { metadata: { ownerReferences } }, { type: "merge" });
  await bed.clock.advance(1000);
  await remove(bed, "a", { propagationPolicy: "Foreground" });
  await bed.until(async () => (await names(bed)).length === 0, 60_000);
});

test("an object that was adopted during its owner's deletion stays, even when the graph is stale", async () => {
  const bed = await start(500);
  const [owner, saviour] = [await add(bed, "owner"), await add(bed, "saviour")];
  await add(bed, "child", [{ uid: owner }]);
  await bed.clock.advance(5000);
  await remove(bed, "owner");
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "saviour", uid: saviour }];
  await bed.clock.advance(400);
  await bed.client
    .of(configMaps, "default")
    .patch("child", { metadata: { ownerReferences } }, { type: "merge" });
  await bed.clock.advance(60_000);
  expect(await names(bed)).toEqual(["child", "saviour"]);
});

test("in any forest, exactly the objects without a remaining owner are deleted", async () => {
  const forest = fc.array(fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 2 }), {
    minLength: 2,
    maxLength: 10,
  });
  await fc.assert(
    fc.asyncProperty(forest, fc.nat({ max: 9 }), async (parents, choice) => {
      const bed = await start();
      const uids: string[] = [];
      // Only earlier objects own later ones: no circles.
      const ownersOf = parents.map((some, i) => some.filter((one) => one < i));
      for (const [i, owners] of ownersOf.entries()) {
        uids.push(
          await add(
            bed,
            `o${i}`,
            owners.map((one) => ({ uid: uids[one] ?? "", name: `o${one}` })),
          ),
        );
      }
      const doomed = choice % parents.length;
      const gone = new Set([doomed]);
      for (const [i, owners] of ownersOf.entries()) {
        if (owners.length > 0 && owners.every((one) => gone.has(one))) gone.add(i);
      }
      const left = parents.flatMap((_, i) => (gone.has(i) ? [] : [`o${i}`])).toSorted();
      await remove(bed, `o${doomed}`, { propagationPolicy: "Background" });
      await bed.clock.advance(30_000);
      expect(await names(bed)).toEqual(left);
    }),
    { numRuns: 15 },
  );
});
