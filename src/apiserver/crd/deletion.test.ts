import { beforeEach, expect, test } from "vitest";
import { addNamespace, Bed, type Json, startBed } from "../server.suite.ts";
import { conditionsOf, cron, crons, define, definitionsUrl, version } from "./definitions.suite.ts";

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

const stored = () => bed.store.list("/registry/crons.example.com/").entries.length;

test("objects are deleted before their definition, in all namespaces and versions", async () => {
  await addNamespace(bed, "other");
  const url = await define(bed, { versions: [version("v1", { storage: true }), version("v2")] });
  for (let i = 0; i < 100; i++) await bed.make(crons(), cron(`c${i}`));
  await bed.make(crons("", "v2").replace("/default/", "/other/"), cron("one", {}, "v2"));
  const watching = await bed.watch(`${definitionsUrl}?watch=1`);
  await bed.delete(url);
  await bed.clock.settle();
  expect(stored()).toBe(0);
  expect((await bed.get(url)).status).toBe(404);
  const told = watching.lines.map(({ type, object }: Json) => {
    const terminating = object.status.conditions.find((one: Json) => one.type === "Terminating");
    return `${type} ${terminating?.status} ${terminating?.reason}`;
  });
  expect(told).toEqual([
    "ADDED undefined undefined",
    "MODIFIED True InstanceDeletionPending",
    "MODIFIED True InstanceDeletionInProgress",
    "DELETED True InstanceDeletionInProgress",
  ]);
});

test("a definition waits for objects with finalizers, and accepts no creates", async () => {
  const url = await define(bed);
  await bed.make(crons(), { ...cron("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } });
  await bed.delete(url);
  await bed.clock.settle();
  expect(await conditionsOf(bed, url)).toMatchObject({ Terminating: "True InstanceDeletionInProgress" });
  const refused = await bed.post(crons(), cron("late"));
  expect(refused.status).toBe(403);
  expect(refused.body.message).toMatch(/create not allowed while custom resource definition is terminating$/);
  await bed.clock.advance(60_000);
  expect(await conditionsOf(bed, url)).toMatchObject({ Terminating: "True InstanceDeletionCheck" });
  await bed.patch(crons("held"), { metadata: { finalizers: null } });
  await bed.clock.advance(5000);
  expect((await bed.get(url)).status).toBe(404);
  expect(stored()).toBe(0);
});

test("an object that is being created when its definition's deletion begins is refused", async () => {
  const held: (() => void)[] = [];
  const plugin = {
    name: "Hold",
    validate: ({ name }: { readonly name: string }) =>
      name === "late" ? new Promise<void>((resolve) => held.push(resolve)) : undefined,
  };
  bed = await startBed({ admission: [plugin] });
  const url = await define(bed);
  const late = bed.post(crons(), cron("late"));
  await bed.clock.settle();
  await bed.delete(url);
  await bed.clock.settle();
  for (const resolve of held) resolve();
  expect((await late).status).toBe(404);
  expect(stored()).toBe(0);
});

test("a definition that was never established is deleted at once", async () => {
  await define(bed);
  const url = await define(bed, { names: { plural: "others", kind: "Cron" } });
  await bed.make(crons(), cron("one"));
  await bed.delete(url);
  await bed.clock.settle();
  expect((await bed.get(url)).status).toBe(404);
  expect((await bed.get(crons("one"))).status).toBe(200);
});

test("a deletion in progress is finished by the next server", async () => {
  const url = await define(bed);
  await bed.make(crons(), { ...cron("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } });
  await bed.delete(url);
  await bed.clock.settle();
  const again = new Bed({ store: bed.store });
  const stop = new AbortController();
  const ended = again.server.run(stop.signal);
  await again.patch(crons("held"), { metadata: { finalizers: null } });
  await again.clock.advance(5000);
  expect((await again.get(url)).status).toBe(404);
  stop.abort();
  await ended;
});

test("a new definition may use the same name", async () => {
  const url = await define(bed);
  await bed.make(crons(), cron("one"));
  await bed.delete(url);
  await bed.clock.settle();
  await define(bed, { scope: "Cluster" });
  const all = "/apis/example.com/v1/crons";
  expect((await bed.get(all)).body.items).toEqual([]);
  expect((await bed.post(all, cron("one"))).status).toBe(201);
});
